import { api } from '../../../api/client.js'
import type { AnswerQueue, AnswerQueueEvent } from '../../../outbox/answers/answer-queue.js'
import { startAnswerQueue } from '../../../outbox/answers/answer-sync.js'
import type { Obstacle } from '../../../outbox/verdict.js'
import type { StoredAnswer } from '../../../storage/answer.js'
import type { Attempt, GivenAnswer, Question } from '../types.js'
import { isComplete, openSlot, reconcile, type Slot } from './slots.js'

/** Delay in milliseconds between the last key press and storing a typed answer */
const REST_MS = 700

const isPending = (slot: Slot | undefined) => slot?.state === 'typed' || slot?.state === 'waiting'

interface Listener {
  onsaved(secondsLeft: number | null): void
  ondisplaced(): void
  onended(): void
}

export class Answers {
  readonly #user: number
  readonly #attempt: number
  readonly #queue: AnswerQueue
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()
  #isLocked = false

  /** State of each answer, by `slot`, the position of the question in the attempt */
  slots = $state.raw<Readonly<Record<number, Slot>>>({})
  obstacle = $state.raw<Obstacle | undefined>()
  /** Number of answers that are lost when the page closes */
  volatile = $state(0)

  private constructor(user: number, attempt: Attempt, queue: AnswerQueue, kept: StoredAnswer[]) {
    this.#user = user
    this.#attempt = attempt.id
    this.#queue = queue
    this.slots = Object.fromEntries(
      attempt.questions.map((question) => [
        question.slot,
        openSlot(
          question,
          kept.find(({ slot }) => slot === question.slot),
        ),
      ]),
    )
    this.obstacle = queue.obstacle
  }

  /** Returns the answers of an attempt, including those that this device has not sent yet. */
  static async open(user: number, attempt: Attempt): Promise<Answers> {
    const queue = startAnswerQueue(user)
    const kept = await queue.of(user, attempt.id)
    const answers = new Answers(user, attempt, queue, kept)
    // Sends answers again that were refused with 404, because another user may have been logged in then.
    for (const { slot, refusal } of kept) if (refusal?.status === 404) void answers.#store(slot)
    return answers
  }

  /** Updates the answers when they are sent or change in other tabs, until the returned function is called. */
  follow(listener: Listener): () => void {
    const stopListening = this.#queue.listen((event) => this.#onEvent(event, listener))
    const stopWatching = this.#queue.watch((obstacle) => this.#onObstacle(obstacle))
    void this.#queue.wake()
    return () => {
      stopListening()
      stopWatching()
    }
  }

  isDone({ slot, gaps = [] }: Question): boolean {
    const state = this.slots[slot]
    return state !== undefined && state.state !== 'refused' && isComplete({ gaps }, state.answer)
  }

  /** Sets an answer. Stores and sends it at once; a typed answer only after `REST_MS` without a key press. */
  give(slot: number, answer: GivenAnswer, { isTyped = false } = {}): void {
    const before = this.slots[slot]
    if (before === undefined || this.#isLocked) return
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

  /** Restores the user's answer that a newer one has displaced, and sends it again. */
  takeMine(slot: number): void {
    const before = this.slots[slot]
    if (before?.mine === undefined) return
    const { mine, ...rest } = before
    this.#set(slot, rest)
    this.give(slot, mine)
  }

  dropMine(slot: number): void {
    const before = this.slots[slot]
    if (before === undefined) return
    const { mine: _, ...rest } = before
    this.#set(slot, { ...rest, state: rest.state === 'newer' ? 'saved' : rest.state })
    void this.#forget(slot)
  }

  /** Ignores further answers, because the time is over. */
  lock(): void {
    this.#isLocked = true
  }

  /** Stores typed answers now, for example when the page is left. */
  async storeNow(): Promise<void> {
    await Promise.all(Object.keys(this.slots).map((slot) => this.#store(Number(slot))))
  }

  /** Stores and sends all answers. Returns those that the service has not confirmed, without earlier refusals. */
  async sendAll(): Promise<StoredAnswer[]> {
    const before = this.slots
    await this.storeNow()
    await this.#queue.wake()
    const left = await this.#queue.of(this.#user, this.#attempt)
    return left.filter(({ slot, refusal }) => refusal === undefined || isPending(before[slot]))
  }

  reconcile(questions: Question[]): void {
    for (const question of questions) {
      const known = this.slots[question.slot]
      if (known !== undefined) this.#set(question.slot, reconcile(known, question))
    }
  }

  #set(slot: number, state: Slot): void {
    this.slots = { ...this.slots, [slot]: state }
  }

  async #store(slot: number): Promise<void> {
    clearTimeout(this.#timers.get(slot))
    const typed = this.slots[slot]
    if (typed?.answer == null || !isPending(typed)) return
    const isNew = typed.state === 'typed'
    const seq = isNew ? typed.seq + 1 : typed.seq
    if (isNew) this.#set(slot, { ...typed, seq, state: 'waiting' })
    else if ((await this.#find(slot))?.refusal === undefined) return
    const { answer } = typed
    await this.#queue.put({ user: this.#user, attempt: this.#attempt, slot, seq, answer, at: Date.now() })
    this.volatile = this.#queue.volatile
  }

  async #find(slot: number): Promise<StoredAnswer | undefined> {
    return (await this.#queue.of(this.#user, this.#attempt)).find((one) => one.slot === slot)
  }

  async #forget(slot: number): Promise<void> {
    const stored = await this.#find(slot)
    if (stored?.refusal !== undefined) await this.#queue.remove(stored)
  }

  #onEvent({ answer, result }: AnswerQueueEvent, { onsaved, ondisplaced, onended }: Listener): void {
    const { slot, seq } = answer
    const known = this.slots[slot]
    if (answer.user !== this.#user || answer.attempt !== this.#attempt || known === undefined) return
    this.volatile = this.#queue.volatile
    const isCurrent = known.seq === seq && known.state === 'waiting'
    if (result === undefined) {
      // An answer of another tab with a higher sequence number is based on the answer shown here, and replaces it.
      const isFollowing = seq > known.seq && known.state !== 'typed'
      const next: Slot = isFollowing ? { answer: answer.answer, seq, state: 'saved' } : reconcile(known, answer)
      this.#set(slot, next === known || next.state !== 'saved' ? next : { ...next, state: 'waiting' })
    } else if (result.kind === 'saved') {
      if (isCurrent) this.#set(slot, { ...known, state: 'saved' })
      onsaved(result.secondsLeft)
    } else if (result.kind === 'refused') {
      if (isCurrent) this.#set(slot, { ...known, state: 'refused', message: result.message })
    } else if (result.kind === 'newer') ondisplaced()
    else onended()
  }

  /** Records what prevents sending. If the session has ended, opens the login dialog and sends after the login. */
  #onObstacle(obstacle: Obstacle | undefined): void {
    this.obstacle = obstacle
    if (obstacle !== 'login') return
    api.get('/api/auth/me').then(
      () => this.#queue.wake(),
      () => undefined,
    )
  }
}
