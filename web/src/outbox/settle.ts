import type { Entry, RatingEntry, UndoEntry } from '../storage/entry.js'
import type { Store, Tables } from '../storage/store.js'
import { type Answered, judge } from './verdict.js'

/** Receipts serve an undo, and a kept queue of the same day. */
const RECEIPT_MS = 2 * 24 * 60 * 60 * 1000

/** What is to be sent next: one undo, or some ratings, marked as tried before anybody can see them. */
export function takeNext(store: Store, user: number, count: number): Promise<Entry[]> {
  return store.change(async (tables) => {
    const entries = await tables.oldest(user, count)
    const undoAt = entries.findIndex(({ kind }) => kind === 'undo')
    const taken = undoAt === -1 ? entries : entries.slice(0, Math.max(undoAt, 1))
    for (const entry of taken) {
      if (entry.kind === 'rating' && !entry.isTried) await tables.put({ ...entry, isTried: true })
    }
    return taken
  })
}

/** What the service has said of one rating: confirmed, nothing to rate any more, or refused and set aside. */
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
  // Somebody else may have settled it: a page that was asleep while another one sent the same.
  const present = await tables.find(user, id)
  if (present?.kind !== 'rating') return
  const verdict = judge(answer)
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

/** The number under which the service knows the rating; undefined when there is nothing to take back. */
export function findReviewId(store: Store, { user, of, review_id }: UndoEntry): Promise<number | undefined> {
  return store.read(async (tables) => review_id ?? (await tables.findReceipt(user, of))?.review_id ?? undefined)
}

/** The undo is done or nothing came of it; the rating then stands and its receipt stays. */
export function settleUndo(store: Store, entry: UndoEntry, isUndone: boolean): Promise<void> {
  const { user, id, of } = entry
  return store.change(async (tables) => {
    await tables.remove(user, id)
    if (!isUndone) return
    await tables.removeReceipt(user, of)
    // A rating that was set aside after it was taken back is of no interest any more.
    await tables.remove(user, of)
  })
}
