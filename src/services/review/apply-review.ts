import type { Kysely } from 'kysely'
import {
  appendEntry,
  findLearnerCard,
  lockLearnerAndCard,
  ProgressAppeared,
} from '../../../db/queries/review/progress.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import type { Learner } from '../../domain/content/learner.js'
import { CARD_NOT_FOUND } from '../../domain/content/refusals.js'
import { OTHER_REVIEW } from '../../domain/review/refusals.js'
import {
  type CardState,
  countsOf,
  isLate,
  type Rating,
  type ReviewCounts,
  type ReviewTimes,
  remainingAfter,
  reviewEntry,
  timesOf,
} from '../../domain/review/review.js'
import { createSchedulers } from '../../domain/review/scheduler.js'
import type { Clock } from '../../domain/time/calendar.js'

export interface Review {
  card_id: number
  rating: Rating
  client_id: string | null
  duration_ms: number | null
  /** Time at which the review was given, according to the client; null means now */
  reviewed_at: Date | null
}

export interface AppliedReview {
  review_id: number
  card_id: number
  /** Null if the card is still new */
  progress: CardState | null
  counts: ReviewCounts
  /** Whether the review took effect; false for a late review (`isLate`), which is only logged */
  applied: boolean
}

/**
 * Applies a rating in one transaction, which makes concurrent reviews of the same user wait. If the client id is known,
 * changes nothing and returns the stored response. The schedule is based on the day on which the rating was given.
 * @throws CARD_NOT_FOUND if the card or its deck is archived, or the card does not exist
 * @throws OTHER_REVIEW if the client id belongs to another review
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function applyReview(
  db: Kysely<Database>,
  learner: Learner,
  clock: Clock,
  review: Review,
): Promise<AppliedReview> {
  try {
    return await applyOnce(db, learner, timesOf(clock, review.reviewed_at), review)
  } catch (error) {
    if (error instanceof ProgressAppeared) return applyReview(db, learner, clock, review)
    throw error
  }
}

async function applyOnce(
  db: Kysely<Database>,
  learner: Learner,
  times: ReviewTimes,
  review: Review,
): Promise<AppliedReview> {
  const { userId } = learner
  return db.transaction().execute(async (transaction) => {
    const { card_id, rating } = review
    if (!(await lockLearnerAndCard(transaction, userId, card_id))) throw NOT_LOGGED_IN
    const { today } = times.now
    const card = await findLearnerCard(transaction, learner, card_id, today, review.client_id)
    const { earlier, state: before } = card
    if (earlier !== null) {
      if (earlier.card_id !== card_id || earlier.rating !== rating) throw OTHER_REVIEW
      return describeReview(
        earlier.id,
        card_id,
        earlier.phase === 'late',
        earlier.after,
        earlier.response as ReviewCounts,
      )
    }
    if (card.deck_id === null) throw CARD_NOT_FOUND.at('card_id')
    const late = isLate(times, card.latest_at)
    const preview = createSchedulers(card.settings)(card.deck_retention)
    const after = late ? before : { ...preview(card_id, before, times.reviewed.today)[rating], last_review_id: null }
    // A new card counts towards the limit of the day on which its review was given, so only a review of today uses up
    // the limit of today.
    const introduced = Number(!late && before === null && times.reviewed.today === today)
    const step = {
      before,
      after,
      isCounted: card.is_active && !card.is_suspended,
      introduced,
      put_off: -Number(card.is_put_off && !late),
    }
    const counts = countsOf(remainingAfter(card.remaining, step, today))
    const entry = reviewEntry({
      userId,
      cardId: card_id,
      deckId: card.deck_id,
      rating,
      moment: times.reviewed,
      isLate: late,
      durationMs: review.duration_ms,
      clientId: review.client_id,
      before,
      after,
      response: counts,
    })
    return describeReview(await appendEntry(transaction, entry), card_id, late, after, counts)
  })
}

function describeReview(
  id: number,
  card_id: number,
  late: boolean,
  after: CardState | null,
  counts: ReviewCounts,
): AppliedReview {
  const progress = late || after === null ? after : { ...after, last_review_id: id }
  return { review_id: id, card_id, progress, counts, applied: !late }
}
