import type { Entry, RatingEntry, UndoEntry } from '../storage/entry.js'
import type { SendLock, Store } from '../storage/store.js'
import type { Outbox } from './outbox.js'
import { type Pause, type Reason, SendLoop, type SendLoopPorts } from './send-loop.js'
import { findReviewId, settleRatings, settleUndo, takeNext } from './settle.js'
import { judgeBatch, judgeRating, judgeUndo, messageOf, type Outcome, responsesOf } from './verdict.js'

/** Maximum number of ratings that the service accepts in one request */
const BATCH = 100

/** Requests of the outbox. They never wait for a login, because the next login may be that of another user. */
export interface Transport {
  rate(entry: RatingEntry): Promise<Outcome>
  rateMany(entries: readonly RatingEntry[]): Promise<Outcome>
  undo(review_id: number): Promise<Outcome>
}

export interface SenderPorts extends Omit<SendLoopPorts, 'sendWaiting'> {
  outbox: Outbox
  transport: Transport
  withSendLock(work: (turn: SendLock) => Promise<void>): Promise<void>
  /** Id of the user whose entries are sent; undefined if no user is known */
  currentUser(): number | undefined
  /** Returns whether the session in the browser belongs to the user, or the obstacle if the service does not tell. */
  verifyUser(user: number): Promise<'verified' | 'other' | Pause>
  onUndoRefused(entry: UndoEntry, message: string): void
}

interface Next {
  store: Store
  entries: Entry[]
}

/**
 * Result of a step. After `one by one`, the ratings are sent in single requests, because the batch was not processed.
 */
type Progress = 'empty' | 'more' | 'one by one' | Pause

/** Sends the waiting entries in order, and retries each until the service has accepted or refused it. */
export class Sender {
  readonly #ports: SenderPorts
  readonly #loop: SendLoop

  constructor(ports: SenderPorts) {
    this.#ports = ports
    this.#loop = new SendLoop({ ...ports, sendWaiting: (onSent) => this.#sendAll(onSent) })
  }

  wake(reason: Reason = 'added'): void {
    void this.#loop.wake(reason)
  }

  async #sendAll(onSent: () => void): Promise<Pause | undefined> {
    let count = BATCH
    for (;;) {
      let result: Progress = 'empty'
      // The lock is released after each request, so that a login waits for one request at most.
      await this.#ports.withSendLock(async (turn) => {
        result = await this.#sendNext(turn, count)
      })
      const now = result as Progress
      if (now === 'empty') return undefined
      if (typeof now === 'object') return now
      if (now === 'one by one') count = 1
      else onSent()
    }
  }

  async #sendNext(turn: SendLock, count: number): Promise<Progress> {
    const user = this.#ports.currentUser()
    if (user === undefined) return 'empty'
    const next = await this.#takeNext(user, count)
    if (next === 'unwritable') return { obstacle: 'storage' }
    if (next === undefined) return 'empty'
    const verdict = await this.#ports.verifyUser(user)
    if (verdict === 'other') return 'empty'
    if (verdict !== 'verified') return verdict
    if (!turn.isHeld()) return { obstacle: 'service' }
    return (await this.#send(next.store, next.entries)) ?? 'more'
  }

  /**
   * Takes the next entries to send. Entries in memory are newer than stored ones, so they are sent last. Memory is
   * checked before the durable store is read. Otherwise, an entry added to memory in between could overtake an entry
   * stored just before.
   */
  async #takeNext(user: number, count: number): Promise<Next | 'unwritable' | undefined> {
    const [durable, memory] = this.#ports.outbox.stores
    const hasMemoryEntries = await hasEntries(memory, user)
    const stored = await takeNext(durable, user, count).catch(() => undefined)
    if (stored !== undefined && stored.length > 0) return { store: durable, entries: stored }
    // If the durable store can be read but not written, for example because it is full, its entries must still be sent
    // before those in memory.
    if (stored === undefined && (await hasEntries(durable, user))) return 'unwritable'
    if (!hasMemoryEntries) return undefined
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
    const verdict = judgeRating(await transport.rate(entry))
    if (verdict.kind === 'wait') return verdict
    await settleRatings(store, [{ entry, response: verdict.response }], now())
    return undefined
  }

  async #sendMany(store: Store, entries: RatingEntry[]): Promise<Pause | 'one by one' | undefined> {
    const { transport, now } = this.#ports
    const verdict = judgeBatch(await transport.rateMany(entries), entries.length)
    if (verdict.kind === 'wait') return verdict
    const { status, body } = verdict.response
    // The response contains no results of single ratings, for example because the service has no route for batches.
    if (status !== 200) return 'one by one'
    const responses = responsesOf(body)
    const settled = entries.flatMap((entry, at) => {
      const response = responses[at]
      return response === undefined ? [] : [{ entry, response }]
    })
    await settleRatings(store, settled, now())
    const waits = responses.map(judgeRating).find(({ kind }) => kind === 'wait')
    return waits?.kind === 'wait' ? waits : undefined
  }

  async #sendUndo(store: Store, entry: UndoEntry): Promise<Pause | undefined> {
    const review_id = await findReviewId(store, entry)
    if (review_id === undefined) {
      await settleUndo(store, entry, true)
      return undefined
    }
    const verdict = judgeUndo(await this.#ports.transport.undo(review_id))
    if (verdict.kind === 'wait') return verdict
    const { status, body } = verdict.response
    await settleUndo(store, entry, status === 200)
    if (status !== 200) this.#ports.onUndoRefused(entry, messageOf(body))
    return undefined
  }
}

async function hasEntries(store: Store, user: number): Promise<boolean> {
  const count = await store.read((tables) => tables.count(user)).catch(() => 0)
  return count > 0
}
