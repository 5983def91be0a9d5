import type { Entry, RatingEntry, UndoEntry } from '../storage/entry.js'
import type { Store, Tables } from '../storage/store.js'
import { type Answered, judgeRating } from './verdict.js'

/** Milliseconds for which a receipt is kept; an undo and a cached queue of the same day need it */
const RECEIPT_MS = 2 * 24 * 60 * 60 * 1000

/**
 * Returns the next entries to send: one undo, one postponement of a card, or some ratings. Marks ratings as tried in
 * the same transaction.
 */
export function takeNext(store: Store, user: number, count: number): Promise<Entry[]> {
  return store.change(async (tables) => {
    const entries = await tables.oldest(user, count)
    // The batch route accepts ratings only.
    const aloneAt = entries.findIndex((entry) => entry.kind === 'undo' || entry.rating === 'tomorrow')
    const taken = aloneAt === -1 ? entries : entries.slice(0, Math.max(aloneAt, 1))
    for (const entry of taken) {
      if (entry.kind === 'rating' && !entry.isTried) await tables.put({ ...entry, isTried: true })
    }
    return taken
  })
}

/** A rating with the service's response to it */
export interface Settled {
  entry: RatingEntry
  answer: Answered
}

export function settleRatings(store: Store, settled: readonly Settled[], now: number): Promise<void> {
  return store.change(async (tables) => {
    for (const one of settled) await settleRating(tables, one, now)
    await tables.removeReceiptsBefore(now - RECEIPT_MS)
  })
}

async function settleRating(tables: Tables, { entry, answer }: Settled, now: number): Promise<void> {
  const { user, id, card_id, rating } = entry
  // A page that was suspended while another one sent the same entry may settle it later.
  const present = await tables.find(user, id)
  if (present?.kind !== 'rating') return
  const verdict = judgeRating(answer)
  if (verdict.kind === 'wait') return
  if (verdict.kind === 'refused') {
    const { status, message } = verdict
    return tables.put({ ...present, refusal: { status, message } })
  }
  const { review_id } = answer.body as { review_id?: unknown }
  await tables.remove(user, id)
  await tables.addReceipt({
    user,
    id,
    card_id,
    rating,
    review_id: typeof review_id === 'number' ? review_id : null,
    at: now,
  })
}

/** Returns the id of the rating at the service; undefined if there is nothing to undo. */
export function findReviewId(store: Store, { user, of, review_id }: UndoEntry): Promise<number | undefined> {
  return store.read(async (tables) => review_id ?? (await tables.findReceipt(user, of))?.review_id ?? undefined)
}

/** Settles an undo; if it failed, the rating stands and its receipt stays. */
export function settleUndo(store: Store, entry: UndoEntry, isUndone: boolean): Promise<void> {
  const { user, id, of } = entry
  return store.change(async (tables) => {
    await tables.remove(user, id)
    if (!isUndone) return
    await tables.removeReceipt(user, of)
    // A refused rating that was undone needs no message.
    await tables.remove(user, of)
  })
}
