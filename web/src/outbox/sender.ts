import type { Entry, RatingEntry, UndoEntry } from '../storage/entry.js'
import type { SendLock, Store } from '../storage/store.js'
import type { Outbox } from './outbox.js'
import { findReviewId, type Settled, settleRatings, settleUndo, takeNext } from './settle.js'
import {
  type Answered,
  answersOf,
  delayAfter,
  judgeBatch,
  judgeRating,
  judgeUndo,
  messageOf,
  type Obstacle,
  type Outcome,
} from './verdict.js'

/** Maximum batch size of the service */
const BATCH = 100

/** Requests of the outbox. They are not repeated after a login, because another user may be logged in then. */
export interface Transport {
  rate(entry: RatingEntry): Promise<Outcome>
  rateMany(entries: readonly RatingEntry[]): Promise<Outcome>
  undo(review_id: number): Promise<Outcome>
}

export interface SenderPorts {
  outbox: Outbox
  transport: Transport
  /** Runs the work under the lock that senders, logins and logouts share */
  withSendLock(work: (turn: SendLock) => Promise<void>): Promise<void>
  /** Id of the logged-in user, which all pages share; undefined if no user is logged in or known */
  currentUser(): Promise<number | undefined>
  now(): number
  random(): number
  /** Runs the work after `ms` milliseconds; the returned function cancels it */
  later(work: () => void, ms: number): () => void
  /** Called when the contents of the outbox or the obstacle may have changed */
  onChange(obstacle: Obstacle | undefined): void
  onUndoRefused(entry: UndoEntry, message: string): void
}

interface Pause {
  obstacle: Obstacle
  retryAfter?: number
}

interface Next {
  store: Store
  entries: Entry[]
}

/** Result of a step: nothing to send, more to send, more to send in single requests, or the reason for a pause */
type Progress = 'empty' | 'more' | 'one by one' | Pause

/** Sends the waiting entries in order, and retries each until the service has accepted or refused it. */
export class Sender {
  readonly #ports: SenderPorts
  #isRunning = false
  #isRerunRequested = false
  #isStopped = false
  #failures = 0
  #pausedUntil = 0
  #pause: Pause | undefined
  #cancelRetry: () => void = () => undefined

  constructor(ports: SenderPorts) {
    this.#ports = ports
  }

  /**
   * Starts sending. `added`: there is a new entry; `changed`: an obstacle may be gone, for example after a login. The
   * latter ends a pause, unless the service has requested the delay.
   */
  wake(reason: 'added' | 'changed' = 'added'): void {
    if (this.#isStopped) return
    if (reason === 'changed' && this.#pause?.retryAfter === undefined) this.#pausedUntil = 0
    if (this.#isRunning) this.#isRerunRequested = true
    else if (this.#ports.now() >= this.#pausedUntil) void this.#run()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelRetry()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    this.#cancelRetry()
    do {
      this.#isRerunRequested = false
      this.#pause = await this.#sendAll().catch((): Pause => ({ obstacle: 'service' }))
    } while (this.#isRerunRequested && this.#pause === undefined)
    this.#isRunning = false
    this.#rest()
  }

  #rest(): void {
    const { now, random, later, onChange } = this.#ports
    this.#failures = this.#pause === undefined ? 0 : this.#failures + 1
    if (this.#pause !== undefined && !this.#isStopped) {
      const delay = delayAfter(this.#failures, random(), this.#pause.retryAfter)
      this.#pausedUntil = now() + delay
      this.#cancelRetry = later(() => {
        this.#pausedUntil = 0
        this.wake()
      }, delay)
    }
    onChange(this.#pause?.obstacle)
  }

  async #sendAll(): Promise<Pause | undefined> {
    let count = BATCH
    for (;;) {
      let result: Progress = 'empty'
      // The lock is released after each request, so that a login does not wait for all of them.
      await this.#ports.withSendLock(async (turn) => {
        result = await this.#sendNext(turn, count)
      })
      const now = result as Progress
      if (now === 'empty') return undefined
      if (typeof now === 'object') return now
      if (now === 'one by one') count = 1
      else this.#failures = 0
      this.#ports.onChange(undefined)
    }
  }

  async #sendNext(turn: SendLock, count: number): Promise<Progress> {
    const user = await this.#ports.currentUser()
    if (user === undefined) return 'empty'
    const next = await this.#takeNext(user, count)
    if (next === 'unwritable') return { obstacle: 'storage' }
    if (next === undefined) return 'empty'
    if (!turn.isHeld()) return { obstacle: 'service' }
    return (await this.#send(next.store, next.entries)) ?? 'more'
  }

  /**
   * Takes the next entries to send. Entries in memory are newer than stored ones, so they are sent last. Memory is
   * checked first, so that an entry added there during this check does not overtake an entry stored before it.
   */
  async #takeNext(user: number, count: number): Promise<Next | 'unwritable' | undefined> {
    const [durable, memory] = this.#ports.outbox.stores
    const isLaterOnes = await hasEntries(memory, user)
    const stored = await takeNext(durable, user, count).catch(() => undefined)
    if (stored !== undefined && stored.length > 0) return { store: durable, entries: stored }
    // Entries in a store that can be read but not written, such as a full one, must not be overtaken.
    if (stored === undefined && (await hasEntries(durable, user))) return 'unwritable'
    if (!isLaterOnes) return undefined
    const entries = await takeNext(memory, user, count)
    return entries.length === 0 ? undefined : { store: memory, entries }
  }

  async #send(store: Store, entries: Entry[]): Promise<Pause | 'one by one' | undefined> {
    const [first] = entries
    if (first?.kind === 'undo') return this.#sendUndo(store, first)
    const ratings = entries.filter((entry) => entry.kind === 'rating')
    const [rating] = ratings
    return ratings.length === 1 && rating !== undefined ? this.#sendOne(store, rating) : this.#sendMany(store, ratings)
  }

  async #sendOne(store: Store, entry: RatingEntry): Promise<Pause | undefined> {
    const { transport, now } = this.#ports
    const outcome = await transport.rate(entry)
    const verdict = judgeRating(outcome)
    if (verdict.kind === 'wait') return verdict
    await settleRatings(store, [{ entry, answer: outcome as Answered }], now())
    return undefined
  }

  async #sendMany(store: Store, entries: RatingEntry[]): Promise<Pause | 'one by one' | undefined> {
    const { transport, now } = this.#ports
    const outcome = await transport.rateMany(entries)
    const verdict = judgeBatch(outcome, entries.length)
    if (verdict.kind === 'wait') return verdict
    const { status, body } = outcome as Answered
    // The response contains no results of single ratings, for example because the service has no route for batches.
    if (status !== 200) return 'one by one'
    const answers = answersOf(body)
    const settled: Settled[] = entries.map((entry, at) => ({ entry, answer: answers[at] as Answered }))
    await settleRatings(store, settled, now())
    const waits = answers.map(judgeRating).find(({ kind }) => kind === 'wait')
    return waits?.kind === 'wait' ? waits : undefined
  }

  async #sendUndo(store: Store, entry: UndoEntry): Promise<Pause | undefined> {
    const review_id = await findReviewId(store, entry)
    if (review_id === undefined) {
      await settleUndo(store, entry, true)
      return undefined
    }
    const outcome = await this.#ports.transport.undo(review_id)
    const verdict = judgeUndo(outcome)
    if (verdict.kind === 'wait') return verdict
    const { status, body } = outcome as Answered
    await settleUndo(store, entry, status === 200)
    if (status !== 200) this.#ports.onUndoRefused(entry, messageOf(body))
    return undefined
  }
}

async function hasEntries(store: Store, user: number): Promise<boolean> {
  const count = await store.read((tables) => tables.count(user)).catch(() => 0)
  return count > 0
}
