import { Fault, isRefused, Unreachable } from '../../../api/faults.js'
import { queryClient } from '../../../api/query-client.js'
import { attempts } from '../tests-api.js'
import type { Attempt, Question } from '../types.js'
import { Answers } from './answers.svelte.js'
import { Countdown, spokenBetween } from './countdown.js'
import { readAttempt, readMarks, writeMarks } from './stored-attempt.js'

const SECOND_MS = 1_000
/** Delay in milliseconds before a failed submission is repeated, once the time of the attempt is over */
const SUBMIT_AGAIN_MS = 3_000
/** Milliseconds after the deadline during which the service still accepts answers (`src/domain/tests/deadline.ts`) */
const GRACE_MS = 10_000

const isPassing = (error: unknown) => error instanceof Fault && error.isPassing
const times = () => ({ elapsed: performance.now(), wall: Date.now() })

export class AttemptPage {
  readonly attempt: Attempt
  readonly answers: Answers
  readonly #user: number
  readonly #onended: () => void
  readonly #stops: (() => void)[] = []
  #countdown: Countdown | undefined
  #isReloading = false
  #isClosed = false
  /** Monotonic time in milliseconds until which an unsent answer prevents the submission */
  #unsentUntil = Infinity

  marked = $state.raw<readonly number[]>([])
  secondsLeft = $state<number | null>(null)
  spoken = $state('')
  /** Whether the time is over, so that nothing can be changed any more */
  isOver = $state(false)
  isSubmitting = $state(false)

  private constructor(attempt: Attempt, answers: Answers, user: number, onended: () => void) {
    this.attempt = attempt
    this.answers = answers
    this.#user = user
    this.#onended = onended
    this.marked = readMarks(user, attempt.id)
    this.#setSeconds(attempt.seconds_left)
  }

  /**
   * Opens an attempt from the service, or offline from the copy on this device, and adds the answers that are not sent
   * yet. Returns undefined if the attempt has ended.
   * @throws Fault if the service refuses, or is unreachable and this device has no copy
   */
  static async open(id: number, user: number, onended: () => void): Promise<AttemptPage | undefined> {
    const attempt = await readAttempt(id, user)
    if (attempt.state === 'submitted') return undefined
    const page = new AttemptPage(attempt, await Answers.open(user, attempt), user, onended)
    page.#start()
    return page
  }

  get questions(): Question[] {
    return this.attempt.questions
  }

  mark(slot: number, isMarked: boolean): void {
    this.marked = [...this.marked.filter((one) => one !== slot), ...(isMarked ? [slot] : [])]
    writeMarks(this.#user, this.attempt.id, this.marked)
  }

  /**
   * Sends the waiting answers, then submits the attempt. While there is time left, does not submit if the service
   * refuses an answer, because the learner does not know that yet.
   * @returns the slot of the refused answer; undefined after the submission
   * @throws Unreachable if answers could not be sent and the service would still accept them
   * @throws Fault if the submission fails
   */
  async submit(): Promise<number | undefined> {
    this.isSubmitting = true
    try {
      const left = await this.answers.sendAll()
      const isSent = left.every(({ refusal }) => refusal !== undefined)
      if (!isSent && times().elapsed < this.#unsentUntil) throw new Unreachable()
      if (!this.isOver && left[0] !== undefined) return left[0].slot
      await attempts.submit(this.attempt.id)
      this.#end()
      return undefined
    } finally {
      this.isSubmitting = false
    }
  }

  close(): void {
    this.#isClosed = true
    void this.answers.storeNow()
    for (const stop of this.#stops) stop()
  }

  #start(): void {
    const leave = () => void this.answers.storeNow()
    const onVisible = () => (document.visibilityState === 'visible' ? void this.#reload() : leave())
    const timer = setInterval(() => this.#tick(), SECOND_MS)
    addEventListener('pagehide', leave)
    addEventListener('online', this.#reload)
    document.addEventListener('visibilitychange', onVisible)
    this.#stops.push(
      this.answers.follow({
        // The time is 0 also after a submission elsewhere.
        onsaved: (seconds) => (seconds === 0 ? void this.#reload() : this.#setSeconds(seconds)),
        ondisplaced: () => void this.#reload(),
        onended: () => this.#end(),
      }),
      () => clearInterval(timer),
      () => removeEventListener('pagehide', leave),
      () => removeEventListener('online', this.#reload),
      () => document.removeEventListener('visibilitychange', onVisible),
    )
    // The time may already be over, because a copy on this device may be old.
    if (this.secondsLeft === 0) this.#tick()
  }

  #setSeconds(seconds: number | null): void {
    if (seconds === null) return
    const now = times()
    if (this.#countdown === undefined) this.#countdown = new Countdown(seconds, now)
    else this.#countdown.sync(seconds, now)
    this.secondsLeft = seconds
  }

  #tick(): void {
    if (this.#countdown === undefined || this.isOver || this.#isClosed) return
    const now = times()
    if (this.#countdown.isDoubtful(now)) void this.#reload()
    const seconds = this.#countdown.secondsAt(now)
    this.spoken = spokenBetween(this.secondsLeft ?? seconds, seconds) ?? this.spoken
    this.secondsLeft = seconds
    if (seconds === 0) void this.#runOut()
  }

  /**
   * Loads answers and remaining time from the service, for example after a sleep, a lost connection or a displaced
   * answer. Opens the app again if the session is now that of another user, who has no such attempt.
   */
  readonly #reload = async (): Promise<void> => {
    if (this.#isReloading || this.#isClosed) return
    this.#isReloading = true
    try {
      const { state, seconds_left, questions } = await attempts.read(this.attempt.id)
      if (state === 'submitted') return this.#end()
      this.#setSeconds(seconds_left)
      this.answers.reconcile(questions)
    } catch (error) {
      // After any other failure, the page continues with its present state.
      if (isRefused(error, 404)) location.reload()
    } finally {
      this.#isReloading = false
    }
  }

  /** Stores and locks the answers, then repeats the submission until it succeeds or fails permanently. */
  async #runOut(): Promise<void> {
    this.#unsentUntil = times().elapsed + GRACE_MS
    await this.answers.storeNow()
    this.answers.lock()
    this.isOver = true
    this.spoken = 'Die Zeit ist um.'
    while (!this.#isClosed) {
      try {
        await this.submit()
        return
      } catch (error) {
        if (isRefused(error, 404)) return location.reload()
        if (!isPassing(error)) return this.#end()
        await new Promise((resolve) => setTimeout(resolve, SUBMIT_AGAIN_MS))
      }
    }
  }

  #end(): void {
    if (this.#isClosed) return
    void queryClient.invalidateQueries({ queryKey: ['tests'] })
    this.#onended()
  }
}
