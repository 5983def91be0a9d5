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
  countsOf,
  intervalOf,
  isDue,
  isLate,
  putOff,
  type ReviewCounts,
  remainingAfter,
  timesOf,
} from '../../domain/review/review.js'
import { addDays, type Clock } from '../../domain/time/calendar.js'
import type { AppliedReview } from './apply-review.js'

export interface Delay {
  card_id: number
  client_id: string | null
  /** Time at which the card was put off, according to the client; null means now */
  put_off_at: Date | null
}

/**
 * Puts a due or new card off until tomorrow, without a rating. The log entry can be undone like a review. The card
 * stays unchanged (`applied` is false) if it is neither due nor new, if it is new and already put off, if it was
 * reviewed or reset after `put_off_at`, or if `put_off_at` is not today. If the client id is known, returns the stored
 * response.
 * @throws CARD_NOT_FOUND if the card or its deck is archived, or the card does not exist
 * @throws OTHER_REVIEW if the client id belongs to a review or another card
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function putOffCard(
  db: Kysely<Database>,
  learner: Learner,
  clock: Clock,
  delay: Delay,
): Promise<AppliedReview> {
  try {
    return await putOffOnce(db, learner, clock, delay)
  } catch (error) {
    if (error instanceof ProgressAppeared) return putOffCard(db, learner, clock, delay)
    throw error
  }
}

async function putOffOnce(db: Kysely<Database>, learner: Learner, clock: Clock, delay: Delay): Promise<AppliedReview> {
  const times = timesOf(clock, delay.put_off_at)
  const { userId } = learner
  const { card_id, client_id } = delay
  const { today } = times.now
  return db.transaction().execute(async (transaction) => {
    if (!(await lockLearnerAndCard(transaction, userId, card_id))) throw NOT_LOGGED_IN
    const card = await findLearnerCard(transaction, learner, card_id, today, client_id)
    const { earlier, state: before } = card
    if (earlier !== null) {
      if (earlier.card_id !== card_id || earlier.rating !== null) throw OTHER_REVIEW
      const { id: review_id, after: progress, phase, response } = earlier
      return { review_id, card_id, progress, counts: response as ReviewCounts, applied: phase !== 'late' }
    }
    if (card.deck_id === null) throw CARD_NOT_FOUND
    const isWaiting = before === null ? !card.is_put_off : isDue(before, today)
    const applied = isWaiting && times.reviewed.today === today && !isLate(times, card.latest_at)
    const after = applied && before !== null ? putOff(before, addDays(today, 1)) : before
    const step = {
      before,
      after,
      isCounted: card.is_active && !card.is_suspended,
      introduced: 0,
      put_off: Number(applied && before === null),
    }
    const counts = countsOf(remainingAfter(card.remaining, step, today))
    const review_id = await appendEntry(transaction, {
      user_id: userId,
      card_id,
      deck_id: card.deck_id,
      kind: 'tomorrow',
      undoes: null,
      rating: null,
      previous_rating: before?.last_rating ?? null,
      phase: applied ? null : 'late',
      interval_days: intervalOf(before),
      duration_ms: null,
      studied_on: times.reviewed.today,
      created_at: times.reviewed.at,
      client_id,
      before,
      after,
      response: counts,
    })
    return { review_id, card_id, progress: after, counts, applied }
  })
}
