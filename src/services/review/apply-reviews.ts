import type { Kysely } from 'kysely'
import type { Database } from '../../../db/types.js'
import type { Learner } from '../../domain/content/learner.js'
import { Refusal, type RefusalKind } from '../../domain/refusal.js'
import type { Clock } from '../../domain/time/calendar.js'
import { type AppliedReview, applyReview, type Review } from './apply-review.js'

export type ReviewResult = { review: AppliedReview } | { refusal: Refusal }

/** Kinds of refusals that concern a single review; other errors, such as a lost session or database, end the batch. */
const OF_ONE_REVIEW: ReadonlySet<RefusalKind> = new Set(['invalid', 'not_found', 'conflict'])

/**
 * Applies ratings in order, each in a separate transaction. After an error that ends the batch, the client can send all
 * ratings again; those with a client id are applied only once.
 * @param readers functions that return a review or throw a `Refusal` if the input is invalid
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function applyReviews(
  db: Kysely<Database>,
  learner: Learner,
  clock: Clock,
  readers: (() => Review)[],
): Promise<ReviewResult[]> {
  const results: ReviewResult[] = []
  for (const read of readers) {
    try {
      results.push({ review: await applyReview(db, learner, clock, read()) })
    } catch (error) {
      if (!(error instanceof Refusal && OF_ONE_REVIEW.has(error.kind))) throw error
      results.push({ refusal: error })
    }
  }
  return results
}
