import type { Kysely } from 'kysely'
import { appendEntry, findLearnerCard, lockLearner, ProgressAppeared } from '../../../db/queries/review/progress.js'
import type { Database } from '../../../db/types.js'
import { CARD_NOT_FOUND, NOT_LOGGED_IN, OTHER_REVIEW } from '../../domain/refusals.js'
import {
  type CardState,
  countsOf,
  type Rating,
  type ReviewCounts,
  remainingAfter,
  reviewEntry,
} from '../../domain/review/review.js'
import { createScheduler } from '../../domain/review/scheduler.js'
import type { Moment } from '../../domain/time/calendar.js'

export interface Review {
  card_id: number
  rating: Rating
  client_id: string | null
  duration_ms: number | null
}

export interface ReviewAnswer {
  review_id: number
  card_id: number
  progress: CardState
  counts: ReviewCounts
}

/**
 * Applies a rating: three statements in one transaction, while the user's other reviews wait. A client id that was used
 * before gets its first answer again, and nothing changes.
 * @throws CARD_NOT_FOUND
 * @throws OTHER_REVIEW when the client id belongs to another review
 * @throws NOT_LOGGED_IN when the user has been deleted meanwhile
 */
export async function applyReview(
  db: Kysely<Database>,
  userId: number,
  moment: Moment,
  review: Review,
): Promise<ReviewAnswer> {
  try {
    return await applyOnce(db, userId, moment, review)
  } catch (error) {
    if (error instanceof ProgressAppeared) return applyReview(db, userId, moment, review)
    throw error
  }
}

async function applyOnce(db: Kysely<Database>, userId: number, moment: Moment, review: Review): Promise<ReviewAnswer> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockLearner(transaction, userId))) throw NOT_LOGGED_IN
    const { card_id, rating } = review
    const card = await findLearnerCard(transaction, userId, card_id, moment.today, review.client_id)
    const { earlier, state: before } = card
    if (earlier !== null) {
      if (earlier.card_id !== card_id || earlier.rating !== rating) throw OTHER_REVIEW
      return answerOf(earlier.id, card_id, earlier.after, earlier.answer as ReviewCounts)
    }
    if (card.deck_id === null) throw CARD_NOT_FOUND
    const next = createScheduler(card.settings)(card_id, before, moment.today)[rating]
    const after = { ...next, last_review_id: null }
    const step = { before, after, isSuspended: card.is_suspended, introduced: Number(before === null) }
    const counts = countsOf(remainingAfter(card.remaining, step, moment.today))
    const entry = reviewEntry({
      userId,
      cardId: card_id,
      deckId: card.deck_id,
      rating,
      moment,
      durationMs: review.duration_ms,
      clientId: review.client_id,
      before,
      after,
      answer: counts,
    })
    return answerOf(await appendEntry(transaction, entry), card_id, after, counts)
  })
}

function answerOf(id: number, card_id: number, after: CardState, counts: ReviewCounts): ReviewAnswer {
  return { review_id: id, card_id, progress: { ...after, last_review_id: id }, counts }
}
