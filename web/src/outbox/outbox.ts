import type { Entry, Rated, RatingEntry, UndoEntry } from '../storage/entry.js'
import type { Store, Tables } from '../storage/store.js'

/**
 * `removed`: the rating was removed on this device, because the service does not have it; `undoing`: an undo will be
 * sent to the service; `unknown`: the stores hold no such rating, or cannot be written
 */
export type UndoResult = 'removed' | 'undoing' | 'unknown'

export interface Load {
  waiting: number
  volatile: number
  refused: Entry[]
}

const ALL = Number.MAX_SAFE_INTEGER

/**
 * Ratings, postponements and undos that the service has not confirmed. They are in a durable store; ratings that cannot
 * be stored there are held in memory and sent last.
 */
export class Outbox {
  /** The stores in the order of sending */
  readonly stores: readonly [durable: Store, memory: Store]

  constructor(durable: Store, memory: Store) {
    this.stores = [durable, memory]
  }

  /**
   * Stores a rating or postponement. Resolves to `durable` if the entry is on disk, and to `memory` if it is lost when
   * the page closes.
   */
  async add(user: number, rated: Rated): Promise<'durable' | 'memory'> {
    const entry: RatingEntry = { ...rated, user, kind: 'rating', isTried: false }
    const [durable, memory] = this.stores
    // While entries are in memory, newer entries are added there as well to keep the order.
    if ((await memory.read((tables) => tables.count(user))) === 0) {
      try {
        await durable.change((tables) => tables.add(entry))
        return 'durable'
      } catch {
        // Storage is full, forbidden or unavailable, so the entry is added to memory.
      }
    }
    await memory.change((tables) => tables.add(entry))
    return 'memory'
  }

  async undo(user: number, id: string): Promise<UndoResult> {
    for (const store of this.stores) {
      const result = await attempt(() => store.change((tables) => undoIn(tables, user, id)))
      if (result === 'removed' || result === 'undoing') return result
    }
    return 'unknown'
  }

  async discard(user: number, id: string): Promise<void> {
    for (const store of this.stores) await attempt(() => store.change((tables) => tables.remove(user, id)))
  }

  async load(user: number): Promise<Load> {
    const load: Load = { waiting: 0, volatile: 0, refused: [] }
    for (const store of this.stores) {
      const part = await attempt(() =>
        store.read(async (tables) => {
          // An undo and the unconfirmed rating that it cancels do not count as waiting.
          const undone = await Promise.all((await tables.undos(user)).map(({ of }) => tables.find(user, of)))
          const pairs = undone.filter((entry) => entry?.kind === 'rating' && entry.refusal === undefined).length
          return { count: (await tables.count(user)) - 2 * pairs, refused: await tables.refused(user) }
        }),
      )
      load.waiting += part?.count ?? 0
      load.refused.push(...(part?.refused ?? []))
      if (store === this.stores[1]) load.volatile = part?.count ?? 0
    }
    return load
  }

  /** Returns the ids of cards with unconfirmed ratings, postponements or undos. */
  async unconfirmed(user: number): Promise<Set<number>> {
    return new Set((await this.#waiting(user)).map(({ card_id }) => card_id))
  }

  /**
   * Returns the ratings and postponements that may be missing from a review queue requested at `at` (ms since the
   * epoch), oldest first and without undone entries.
   */
  async ratedSince(user: number, at: number): Promise<Pick<RatingEntry, 'card_id' | 'rating' | 'from'>[]> {
    const waiting = await this.#waiting(user)
    const receipts = await Promise.all(
      this.stores.map((store) => attempt(() => store.read((tables) => tables.receipts(user)))),
    )
    const undone = new Set(waiting.flatMap((entry) => (entry.kind === 'undo' ? [entry.of] : [])))
    const sent = receipts.flatMap((some) => some ?? []).filter((receipt) => receipt.at >= at)
    const rated = waiting.filter((entry) => entry.kind === 'rating')
    return [...sent.sort((a, b) => a.at - b.at), ...rated].filter(({ id }) => !undone.has(id))
  }

  async #waiting(user: number): Promise<Entry[]> {
    const parts = await Promise.all(
      this.stores.map((store) => attempt(() => store.read((tables) => tables.oldest(user, ALL)))),
    )
    return parts.flatMap((part) => part ?? [])
  }
}

async function undoIn(tables: Tables, user: number, id: string): Promise<UndoResult> {
  const entry = await tables.find(user, id)
  if (entry?.kind === 'rating' && (!entry.isTried || entry.refusal !== undefined)) {
    await tables.remove(user, id)
    return 'removed'
  }
  const receipt = await tables.findReceipt(user, id)
  const known = entry ?? receipt
  if (known === undefined) return 'unknown'
  const undo: UndoEntry = { kind: 'undo', user, id: `${id} undo`, of: id, card_id: known.card_id }
  if ((await tables.find(user, undo.id)) !== undefined) return 'undoing'
  if (receipt?.review_id === null) {
    await tables.removeReceipt(user, id)
    return 'removed'
  }
  await tables.add(receipt === undefined ? undo : { ...undo, review_id: receipt.review_id })
  return 'undoing'
}

async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}
