import { Fault, isRefused, Unreachable } from '../../../api/faults.js'
import { queryClient } from '../../../api/query-client.js'
import { attempts } from '../tests-api.js'
import type { Attempt, Outcome, Question } from '../types.js'
import { Answers } from './answers.svelte.js'
import { Countdown, spokenBetween } from './countdown.js'
import { readAttempt, readMarks, writeMarks } from './stored-attempt.js'

const SECOND_MS = 1_000
/** Delay before a submission is repeated after the time is over */
const SUBMIT_AGAIN_MS = 3_000

const isPassing = (error: unknown) => error instanceof Fault && error.isPassing
const times = () => ({ elapsed: performance.now(), wall: Date.now() })

/** An open attempt on this page: its time, its marks and its submission. */
export class AttemptPage {
  readonly attempt: Attempt
  readonly answers: Answers
  readonly #user: number
  readonly #onended: () => void
  readonly #stops: (() => void)[] = []
  #countdown: Countdown | undefined
  #isAsking = false
  #isClosed = false

  marked = $state.raw<readonly number[]>([])
  secondsLeft = $state<number | null>(null)
  /** Read out by screen readers */
  spoken = $state('')
  /** The time is over: nothing can be changed any more. */
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
   * Opens an attempt as the service has it, or as this device last saw it, with the answers that still wait here.
   * Returns undefined if the attempt has ended.
   * @throws Fault
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
   * Sends what waits, then submits.
   * @throws Unreachable if answers could not be sent, or a Fault of the service
   */
  async submit(): Promise<Outcome> {
    this.isSubmitting = true
    try {
      const isSent = await this.answers.sendAll()
      if (!this.isOver && !isSent) throw new Unreachable()
      const outcome = await attempts.submit(this.attempt.id)
      this.#end()
      return outcome
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
    const onVisible = () => (document.visibilityState === 'visible' ? void this.#ask() : leave())
    const timer = setInterval(() => this.#tick(), SECOND_MS)
    addEventListener('pagehide', leave)
    addEventListener('online', this.#ask)
    document.addEventListener('visibilitychange', onVisible)
    this.#stops.push(
      this.answers.follow({
        onsaved: (seconds) => this.#setSeconds(seconds),
        ondisplaced: () => void this.#ask(),
        onended: () => this.#end(),
      }),
      () => clearInterval(timer),
      () => removeEventListener('pagehide', leave),
      () => removeEventListener('online', this.#ask),
      () => document.removeEventListener('visibilitychange', onVisible),
    )
    // The copy of this device may be old.
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
    if (this.#countdown.isDoubtful(now)) void this.#ask()
    const seconds = this.#countdown.secondsAt(now)
    this.spoken = spokenBetween(this.secondsLeft ?? seconds, seconds) ?? this.spoken
    this.secondsLeft = seconds
    if (seconds === 0) void this.#runOut()
  }

  /** Asks the service for its answers and its time: after a sleep, offline, or an answer of another device. */
  readonly #ask = async (): Promise<void> => {
    if (this.#isAsking || this.#isClosed) return
    this.#isAsking = true
    try {
      const { state, seconds_left, questions } = await attempts.read(this.attempt.id)
      if (state === 'submitted') return this.#end()
      this.#setSeconds(seconds_left)
      this.answers.reconcile(questions)
    } catch (error) {
      // Offline: the page goes on, and the next answer or the network asks again.
      if (isRefused(error, 404)) this.#end()
    } finally {
      this.#isAsking = false
    }
  }

  /** Submits until the service has ended the attempt; what reaches it in time counts. */
  async #runOut(): Promise<void> {
    await this.answers.storeNow()
    this.answers.lock()
    this.isOver = true
    this.spoken = 'Die Zeit ist um.'
    while (!this.#isClosed) {
      try {
        await this.submit()
        return
      } catch (error) {
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
