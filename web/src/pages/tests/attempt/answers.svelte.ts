import { api } from '../../../api/client.js'
import { startLane } from '../../../outbox/answers/answer-post.js'
import type { AnswerLane, LaneEvent } from '../../../outbox/answers/lane.js'
import type { Obstacle } from '../../../outbox/verdict.js'
import type { StoredAnswer } from '../../../storage/answer.js'
import type { Attempt, GivenAnswer, Question } from '../types.js'
import { isComplete, openSlot, reconcile, type Slot } from './slots.js'

/** Rest after the last key before a typed answer is stored */
const REST_MS = 700

interface Listener {
  /** The service has confirmed an answer. */
  onsaved(secondsLeft: number | null): void
  /** The service has a newer answer. */
  ondisplaced(): void
  onended(): void
}

/** The answers of an open attempt: what the page shows, and what this device and the service have stored. */
export class Answers {
  readonly #user: number
  readonly #attempt: number
  readonly #lane: AnswerLane
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()
  #isLocked = false

  /** By number of the question */
  slots = $state.raw<Readonly<Record<number, Slot>>>({})
  obstacle = $state.raw<Obstacle | undefined>()
  /** Answers that are lost when the page closes */
  volatile = $state(0)

  private constructor(user: number, attempt: Attempt, lane: AnswerLane, kept: StoredAnswer[]) {
    this.#user = user
    this.#attempt = attempt.id
    this.#lane = lane
    this.slots = Object.fromEntries(
      attempt.questions.map((question) => [
        question.slot,
        openSlot(
          question,
          kept.find(({ slot }) => slot === question.slot),
        ),
      ]),
    )
    this.obstacle = lane.obstacle
  }

  /** Opens the answers with those that still wait on this device. */
  static async open(user: number, attempt: Attempt): Promise<Answers> {
    const lane = startLane()
    const kept = await lane.of(user, attempt.id)
    const answers = new Answers(user, attempt, lane, kept)
    // Answers that were refused under another login
    for (const { slot, refusal } of kept) if (refusal?.status === 404) void answers.#store(slot)
    return answers
  }

  /** Follows what becomes of the answers, here and in other tabs, until the returned function is called. */
  follow(listener: Listener): () => void {
    const stopListening = this.#lane.listen((event) => this.#hear(event, listener))
    const stopWatching = this.#lane.watch((obstacle) => this.#meet(obstacle))
    void this.#lane.wake()
    return () => {
      stopListening()
      stopWatching()
    }
  }

  /** Whether the whole question is answered, by an answer that the service can take */
  isDone({ slot, gaps = [] }: Question): boolean {
    const state = this.slots[slot]
    return state !== undefined && state.state !== 'refused' && isComplete({ gaps }, state.answer)
  }

  /** Sets an answer: stores and sends it at once, a typed one after a rest. */
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

  /** Answers again with the own answer that a newer one has displaced. */
  takeMine(slot: number): void {
    const before = this.slots[slot]
    if (before?.mine === undefined) return
    const { mine, ...rest } = before
    this.#set(slot, rest)
    this.give(slot, mine)
  }

  /** Keeps the newer answer. */
  dropMine(slot: number): void {
    const before = this.slots[slot]
    if (before === undefined) return
    const { mine: _, ...rest } = before
    this.#set(slot, { ...rest, state: rest.state === 'newer' ? 'saved' : rest.state })
    void this.#forget(slot)
  }

  /** Takes no more answers: the time is over. */
  lock(): void {
    this.#isLocked = true
  }

  /** Stores what was typed, as when the page is left. */
  async storeNow(): Promise<void> {
    await Promise.all(Object.keys(this.slots).map((slot) => this.#store(Number(slot))))
  }

  /** Stores and sends all answers. Returns whether none still waits. */
  async sendAll(): Promise<boolean> {
    await this.storeNow()
    await this.#lane.wake()
    const waiting = await this.#lane.of(this.#user, this.#attempt)
    return waiting.every(({ refusal }) => refusal !== undefined)
  }

  /** Takes over what the service has. */
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
    if (typed?.answer == null || (typed.state !== 'typed' && typed.state !== 'waiting')) return
    const isNew = typed.state === 'typed'
    const seq = isNew ? typed.seq + 1 : typed.seq
    if (isNew) this.#set(slot, { ...typed, seq, state: 'waiting' })
    else if ((await this.#find(slot))?.refusal === undefined) return
    const { answer } = typed
    await this.#lane.put({ user: this.#user, attempt: this.#attempt, slot, seq, answer, at: Date.now() })
    this.volatile = this.#lane.volatile
  }

  async #find(slot: number): Promise<StoredAnswer | undefined> {
    return (await this.#lane.of(this.#user, this.#attempt)).find((one) => one.slot === slot)
  }

  async #forget(slot: number): Promise<void> {
    const stored = await this.#find(slot)
    if (stored?.refusal !== undefined) await this.#lane.remove(stored)
  }

  #hear({ answer, result }: LaneEvent, { onsaved, ondisplaced, onended }: Listener): void {
    const { slot, seq } = answer
    const known = this.slots[slot]
    if (answer.user !== this.#user || answer.attempt !== this.#attempt || known === undefined) return
    this.volatile = this.#lane.volatile
    const isCurrent = known.seq === seq && known.state === 'waiting'
    if (result === undefined) {
      // The other tab has seen the answer whose number this one follows.
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

  /** The login dialog belongs to requests of the page. */
  #meet(obstacle: Obstacle | undefined): void {
    this.obstacle = obstacle
    if (obstacle !== 'login') return
    api.get('/api/auth/me').then(
      () => this.#lane.wake(),
      () => undefined,
    )
  }
}
