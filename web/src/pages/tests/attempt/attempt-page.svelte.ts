import { api } from '../../../api/client.js'
import { Fault, ForeignAnswer, isRefused, Unreachable } from '../../../api/faults.js'
import { queryClient } from '../../../api/query-client.js'
import { startLane } from '../../../outbox/answers/answer-post.js'
import type { AnswerLane, LaneEvent } from '../../../outbox/answers/lane.js'
import type { Obstacle } from '../../../outbox/verdict.js'
import { OWN, readStored, removeStored, writeStored } from '../../../platform/storage.js'
import type { StoredAnswer } from '../../../storage/answer.js'
import { findKept, forgetOne, keep } from '../../../storage/kept.js'
import { attempts } from '../tests-api.js'
import type { Attempt, GivenAnswer, Outcome, Question } from '../types.js'
import { Countdown, spokenBetween } from './countdown.js'
import { isComplete, openSlot, reconcile, type Slot } from './slots.js'

/** Rest after the last key before a typed answer is stored */
const REST_MS = 700
const SECOND_MS = 1_000
/** Delay before a submission is repeated after the time is over */
const SUBMIT_AGAIN_MS = 3_000

const isPassing = (error: unknown) => error instanceof Fault && error.isPassing
const times = () => ({ elapsed: performance.now(), wall: Date.now() })
const nameOf = (id: number) => `attempt ${id}`
const marksKeyOf = (user: number, id: number) => `${OWN}test-marks.${user}.${id}`

/** Deletes the copy and the marks of an ended attempt on this device. */
export async function forgetAttempt(user: number, id: number): Promise<void> {
  removeStored(marksKeyOf(user, id))
  await forgetOne(user, nameOf(id))
}

/** An open attempt on this page: its answers, its time and its submission. */
export class AttemptPage {
  readonly attempt: Attempt
  readonly #user: number
  readonly #lane: AnswerLane
  readonly #onended: () => void
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()
  readonly #stops: (() => void)[] = []
  #countdown: Countdown | undefined
  #isAsking = false
  #isClosed = false

  /** By number of the question */
  slots = $state.raw<Readonly<Record<number, Slot>>>({})
  marked = $state.raw<readonly number[]>([])
  obstacle = $state.raw<Obstacle | undefined>()
  /** Answers that are lost when the page closes */
  volatile = $state(0)
  secondsLeft = $state<number | null>(null)
  /** Read out by screen readers */
  spoken = $state('')
  /** The time is over: nothing can be changed any more. */
  isOver = $state(false)
  isSubmitting = $state(false)

  private constructor(attempt: Attempt, user: number, kept: StoredAnswer[], onended: () => void) {
    this.attempt = attempt
    this.#user = user
    this.#onended = onended
    this.#lane = startLane()
    this.slots = Object.fromEntries(
      attempt.questions.map((question) => [
        question.slot,
        openSlot(
          question,
          kept.find(({ slot }) => slot === question.slot),
        ),
      ]),
    )
    this.marked = readStored<number[]>(this.#marksKey) ?? []
    this.obstacle = this.#lane.obstacle
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
    const kept = await startLane().of(user, id)
    const page = new AttemptPage(attempt, user, kept, onended)
    // Answers that were refused under another login
    for (const answer of kept) if (answer.refusal?.status === 404) void page.#store(answer.slot)
    page.#start()
    return page
  }

  get #marksKey(): string {
    return marksKeyOf(this.#user, this.attempt.id)
  }

  #set(slot: number, state: Slot): void {
    this.slots = { ...this.slots, [slot]: state }
  }

  get questions(): Question[] {
    return this.attempt.questions
  }

  /** Whether the whole question is answered, by an answer that the service can take */
  isDone({ slot, gaps = [] }: Question): boolean {
    const state = this.slots[slot]
    return state !== undefined && state.state !== 'refused' && isComplete({ gaps }, state.answer)
  }

  /** Sets an answer: stores and sends it at once, a typed one after a rest. */
  answer(slot: number, answer: GivenAnswer, { isTyped = false } = {}): void {
    const before = this.slots[slot]
    if (before === undefined || this.isOver) return
    const { message: _, ...rest } = before
    this.#set(slot, { ...rest, answer, state: 'typed' })
    clearTimeout(this.#timers.get(slot))
    if (isTyped)
      this.#timers.set(
        slot,
        setTimeout(() => void this.#store(slot), REST_MS),
      )
    else void this.#store(slot)
  }

  /** Answers again with the own answer that a newer one has displaced. */
  takeMine(slot: number): void {
    const before = this.slots[slot]
    if (before?.mine === undefined) return
    const { mine, ...rest } = before
    this.#set(slot, rest)
    this.answer(slot, mine)
  }

  /** Keeps the newer answer. */
  dropMine(slot: number): void {
    const before = this.slots[slot]
    if (before === undefined) return
    const { mine: _, ...rest } = before
    this.#set(slot, { ...rest, state: rest.state === 'newer' ? 'saved' : rest.state })
    void this.#forget(slot)
  }

  mark(slot: number, isMarked: boolean): void {
    this.marked = [...this.marked.filter((one) => one !== slot), ...(isMarked ? [slot] : [])]
    writeStored(this.#marksKey, this.marked)
  }

  /** Stores what was typed, as when the page is left. */
  async storeNow(): Promise<void> {
    await Promise.all(this.questions.map(({ slot }) => this.#store(slot)))
  }

  /**
   * Sends what waits, then submits.
   * @throws Unreachable if answers could not be sent, or a Fault of the service
   */
  async submit(): Promise<Outcome> {
    this.isSubmitting = true
    try {
      await this.storeNow()
      await this.#lane.wake()
      const waiting = await this.#lane.of(this.#user, this.attempt.id)
      if (!this.isOver && waiting.some(({ refusal }) => refusal === undefined)) throw new Unreachable()
      const outcome = await attempts.submit(this.attempt.id)
      this.#end()
      return outcome
    } finally {
      this.isSubmitting = false
    }
  }

  close(): void {
    this.#isClosed = true
    void this.storeNow()
    for (const stop of this.#stops) stop()
  }

  #start(): void {
    const leave = () => void this.storeNow()
    const onVisible = () => (document.visibilityState === 'visible' ? void this.#ask() : leave())
    const timer = setInterval(() => this.#tick(), SECOND_MS)
    addEventListener('pagehide', leave)
    addEventListener('online', this.#ask)
    document.addEventListener('visibilitychange', onVisible)
    this.#stops.push(
      this.#lane.listen((event) => this.#hear(event)),
      this.#lane.watch((obstacle) => this.#meet(obstacle)),
      () => clearInterval(timer),
      () => removeEventListener('pagehide', leave),
      () => removeEventListener('online', this.#ask),
      () => document.removeEventListener('visibilitychange', onVisible),
    )
    void this.#lane.wake()
    // The copy of this device may be old.
    if (this.secondsLeft === 0) this.#tick()
  }

  async #store(slot: number): Promise<void> {
    clearTimeout(this.#timers.get(slot))
    const typed = this.slots[slot]
    if (typed?.answer == null || (typed.state !== 'typed' && typed.state !== 'waiting')) return
    const isNew = typed.state === 'typed'
    const seq = isNew ? typed.seq + 1 : typed.seq
    if (isNew) this.#set(slot, { ...typed, seq, state: 'waiting' })
    else if ((await this.#find(slot))?.refusal === undefined) return
    const { answer } = typed
    await this.#lane.put({ user: this.#user, attempt: this.attempt.id, slot, seq, answer, at: Date.now() })
    this.volatile = this.#lane.volatile
  }

  async #find(slot: number): Promise<StoredAnswer | undefined> {
    return (await this.#lane.of(this.#user, this.attempt.id)).find((one) => one.slot === slot)
  }

  async #forget(slot: number): Promise<void> {
    const stored = await this.#find(slot)
    if (stored?.refusal !== undefined) await this.#lane.remove(stored)
  }

  #hear({ answer, result }: LaneEvent): void {
    const { slot, seq } = answer
    const known = this.slots[slot]
    if (answer.user !== this.#user || answer.attempt !== this.attempt.id || known === undefined) return
    this.volatile = this.#lane.volatile
    const isCurrent = known.seq === seq && known.state === 'waiting'
    if (result === undefined) {
      // The other tab has seen the answer whose number this one follows.
      const isFollowing = seq > known.seq && known.state !== 'typed'
      const next: Slot = isFollowing ? { answer: answer.answer, seq, state: 'saved' } : reconcile(known, answer)
      this.#set(slot, next === known || next.state !== 'saved' ? next : { ...next, state: 'waiting' })
    } else if (result.kind === 'saved') {
      if (isCurrent) this.#set(slot, { ...known, state: 'saved' })
      this.#setSeconds(result.secondsLeft)
    } else if (result.kind === 'refused') {
      if (isCurrent) this.#set(slot, { ...known, state: 'refused', message: result.message })
    } else void this.#ask()
  }

  /** The login dialog belongs to requests of the page. */
  #meet(obstacle: Obstacle | undefined): void {
    this.obstacle = obstacle
    if (obstacle !== 'login') return
    api.get('/api/auth/me').then(
      () => this.#lane.wake(),
      () => undefined,
    )
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
      for (const question of questions) {
        const known = this.slots[question.slot]
        if (known !== undefined) this.#set(question.slot, reconcile(known, question))
      }
    } catch (error) {
      // Offline: the page goes on, and the next answer or the network asks again.
      if (isRefused(error, 404)) this.#end()
    } finally {
      this.#isAsking = false
    }
  }

  /** Submits until the service has ended the attempt; what reaches it in time counts. */
  async #runOut(): Promise<void> {
    await this.storeNow()
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

async function readAttempt(id: number, user: number): Promise<Attempt> {
  const at = Date.now()
  try {
    const attempt = await attempts.read(id)
    if (attempt.state === 'open') void keep(user, nameOf(id), attempt, at)
    return attempt
  } catch (error) {
    if (!(error instanceof Unreachable || error instanceof ForeignAnswer)) throw error
    const kept = await findKept<Attempt>(user, nameOf(id))
    if (kept === undefined) throw error
    const { seconds_left } = kept.content
    const gone = Math.floor((at - kept.at) / SECOND_MS)
    return { ...kept.content, seconds_left: seconds_left === null ? null : Math.max(0, seconds_left - gone) }
  }
}
