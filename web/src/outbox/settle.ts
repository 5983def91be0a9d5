import { fieldsOf } from '../platform/fields.js'
import type { Entry, RatingEntry, UndoEntry } from '../storage/entry.js'
import type { Store, Tables } from '../storage/store.js'
import { type HttpResponse, judgeRating, messageOf } from './verdict.js'

/**
 * Age in milliseconds above which receipts are deleted. Undos and cached queues need only the receipts of the current
 * day, so two days suffice.
 */
const RECEIPT_MS = 2 * 24 * 60 * 60 * 1000

/**
 * Returns the next entries to send: one undo, one postponement of a card, or up to `count` ratings. Marks ratings and
 * postponements as tried in the same transaction.
 */
export function takeNext(store: Store, user: number, count: number): Promise<Entry[]> {
  return store.change(async (tables) => {
    const entries = await tables.oldest(user, count)
    // Undos and postponements are sent alone, because the batch route accepts only ratings.
    const aloneAt = entries.findIndex((entry) => entry.kind === 'undo' || entry.rating === 'tomorrow')
    const taken = aloneAt === -1 ? entries : entries.slice(0, Math.max(aloneAt, 1))
    for (const entry of taken) {
      if (entry.kind === 'rating' && !entry.isTried) await tables.put({ ...entry, isTried: true })
    }
    return taken
  })
}

export interface Settled {
  entry: RatingEntry
  response: HttpResponse
}

export function settleRatings(store: Store, settled: readonly Settled[], now: number): Promise<void> {
  return store.change(async (tables) => {
    for (const one of settled) await settleRating(tables, one, now)
    await tables.removeReceiptsBefore(now - RECEIPT_MS)
  })
}

async function settleRating(tables: Tables, { entry, response }: Settled, now: number): Promise<void> {
  const { user, id, card_id, rating, from } = entry
  // The entry may be gone: a page that was suspended may process its response after another page has sent the same
  // entry.
  const present = await tables.find(user, id)
  if (present?.kind !== 'rating') return
  const verdict = judgeRating(response)
  if (verdict.kind === 'wait') return
  if (verdict.kind === 'refused') {
    return tables.put({ ...present, refusal: { status: response.status, message: messageOf(response.body) } })
  }
  const { review_id } = fieldsOf(response.body)
  await tables.remove(user, id)
  await tables.addReceipt({
    user,
    id,
    card_id,
    rating,
    from,
    review_id: typeof review_id === 'number' ? review_id : null,
    at: now,
  })
}

/** Returns the service's id of the rating; undefined if it is not known, for example after a refusal of the rating. */
export function findReviewId(store: Store, { user, of, review_id }: UndoEntry): Promise<number | undefined> {
  return store.read(async (tables) => review_id ?? (await tables.findReceipt(user, of))?.review_id ?? undefined)
}

/**
 * Removes an undo from the store. If the rating is undone, also removes the receipt of the rating; otherwise, the
 * rating remains valid.
 */
export function settleUndo(store: Store, entry: UndoEntry, isUndone: boolean): Promise<void> {
  const { user, id, of } = entry
  return store.change(async (tables) => {
    await tables.remove(user, id)
    if (!isUndone) return
    await tables.removeReceipt(user, of)
    // If the rating was refused, its entry is removed too, because an undone rating needs no message.
    await tables.remove(user, of)
  })
}
