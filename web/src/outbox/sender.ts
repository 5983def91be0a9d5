import type { Entry, RatingEntry, UndoEntry } from '../storage/entry.js'
import type { Store, Turn } from '../storage/store.js'
import type { Outbox } from './outbox.js'
import { findReviewId, type Settled, settleRatings, settleUndo, takeNext } from './settle.js'
import { type Answered, delayAfter, judge, messageOf, type Obstacle, type Outcome } from './verdict.js'

/** What the service takes at once. */
const BATCH = 100

/** The requests. None is sent again by whoever makes them: after a login somebody else may be here. */
export interface Transport {
  rate(entry: RatingEntry): Promise<Outcome>
  rateMany(entries: readonly RatingEntry[]): Promise<Outcome>
  undo(review_id: number): Promise<Outcome>
}

export interface SenderPorts {
  outbox: Outbox
  transport: Transport
  /** Works when no other page sends and nobody logs in or out. */
  takeTurn(work: (turn: Turn) => Promise<void>): Promise<void>
  /** Who is logged in, for all pages; undefined: nobody, or it cannot be found out now. */
  whoIsHere(): Promise<number | undefined>
  now(): number
  random(): number
  /** Calls later; the result calls it off. */
  later(work: () => void, ms: number): () => void
  /** The contents have changed, or what stands in the way has. */
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

/** How it went, and whether there may be more. */
type Progress = 'empty' | 'more' | 'one by one' | Pause

/** Sends what waits, in order, and tries again for as long as it takes. */
export class Sender {
  readonly #ports: SenderPorts
  #isRunning = false
  #isAskedAgain = false
  #isStopped = false
  #failures = 0
  #pausedUntil = 0
  #pause: Pause | undefined
  #callOff: () => void = () => undefined

  constructor(ports: SenderPorts) {
    this.#ports = ports
  }

  /** Something is to be sent; `changed`: what stood in the way may be gone, such as after a login. */
  wake(reason: 'added' | 'changed' = 'added'): void {
    if (this.#isStopped) return
    // Whoever has asked us to wait meant it.
    if (reason === 'changed' && this.#pause?.retryAfter === undefined) this.#pausedUntil = 0
    if (this.#isRunning) this.#isAskedAgain = true
    else if (this.#ports.now() >= this.#pausedUntil) void this.#run()
  }

  stop(): void {
    this.#isStopped = true
    this.#callOff()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    this.#callOff()
    do {
      this.#isAskedAgain = false
      this.#pause = await this.#sendAll().catch((): Pause => ({ obstacle: 'service' }))
    } while (this.#isAskedAgain && this.#pause === undefined)
    this.#isRunning = false
    this.#rest()
  }

  #rest(): void {
    const { now, random, later, onChange } = this.#ports
    this.#failures = this.#pause === undefined ? 0 : this.#failures + 1
    if (this.#pause !== undefined && !this.#isStopped) {
      const delay = delayAfter(this.#failures, random(), this.#pause.retryAfter)
      this.#pausedUntil = now() + delay
      this.#callOff = later(() => {
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
      // A turn for each request, so that whoever logs in need not wait for all of them.
      await this.#ports.takeTurn(async (turn) => {
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

  async #sendNext(turn: Turn, count: number): Promise<Progress> {
    const user = await this.#ports.whoIsHere()
    if (user === undefined) return 'empty'
    const next = await this.#takeNext(user, count)
    if (next === 'unwritable') return { obstacle: 'storage' }
    if (next === undefined) return 'empty'
    if (!turn.isHeld()) return { obstacle: 'service' }
    return (await this.#send(next.store, next.entries)) ?? 'more'
  }

  /** What lies in memory is younger than what is stored: it is looked at first and sent last. */
  async #takeNext(user: number, count: number): Promise<Next | 'unwritable' | undefined> {
    const [durable, memory] = this.#ports.outbox.stores
    const isLaterOnes = await hasEntries(memory, user)
    const stored = await takeNext(durable, user, count).catch(() => undefined)
    if (stored !== undefined && stored.length > 0) return { store: durable, entries: stored }
    // Storage that can be read but not written, such as a full one, must not be overtaken.
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
    const verdict = judge(outcome)
    if (verdict.kind === 'wait') return verdict
    await settleRatings(store, [{ entry, answer: outcome as Answered }], now())
    return undefined
  }

  async #sendMany(store: Store, entries: RatingEntry[]): Promise<Pause | 'one by one' | undefined> {
    const { transport, now } = this.#ports
    const outcome = await transport.rateMany(entries)
    const verdict = judge(outcome)
    if (verdict.kind === 'wait') return verdict
    const answers = answersOf(outcome as Answered, entries.length)
    // Nothing was said of the single ratings, as by a service that takes no batches.
    if (answers === undefined) return 'one by one'
    const settled: Settled[] = entries.map((entry, at) => ({ entry, answer: answers[at] as Answered }))
    await settleRatings(store, settled, now())
    const waits = answers.map(judge).find(({ kind }) => kind === 'wait')
    return waits?.kind === 'wait' ? waits : undefined
  }

  async #sendUndo(store: Store, entry: UndoEntry): Promise<Pause | undefined> {
    const review_id = await findReviewId(store, entry)
    if (review_id === undefined) {
      await settleUndo(store, entry, true)
      return undefined
    }
    const outcome = await this.#ports.transport.undo(review_id)
    const verdict = judge(outcome)
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

/** The answer to each rating of a batch; undefined when the answer is not of that form. */
function answersOf({ status, body }: Answered, count: number): Answered[] | undefined {
  const { results } = body as { results?: unknown }
  if (status !== 200 || !Array.isArray(results) || results.length !== count) return undefined
  return results.map((result: { status?: unknown; review?: unknown; error?: unknown } | null) => ({
    kind: 'answered',
    status: Number(result?.status),
    body: result?.review ?? { message: result?.error },
  }))
}
