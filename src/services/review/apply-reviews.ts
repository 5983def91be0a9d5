import type { Kysely } from 'kysely'
import type { Database } from '../../../db/types.js'
import { HttpError } from '../../domain/refusals.js'
import type { Clock } from '../../domain/time/calendar.js'
import { applyReview, type Review, type ReviewAnswer } from './apply-review.js'

/** What one review of several is answered. */
export type ReviewResult = { status: 200; review: ReviewAnswer } | { status: number; error: string }

/** What is wrong with one review alone; anything else (nobody is logged in, no database) holds for all of them. */
const OF_ONE_REVIEW = new Set([400, 404, 409])

/**
 * Applies ratings one after the other, each in a transaction of its own: what was answered is stored, whatever becomes of
 * those behind it. Who is told of a fault of the whole sends all of them again, and those with a client id count once.
 * @param readers each returns a review, or throws what is wrong with it
 * @throws NOT_LOGGED_IN when the user has been deleted meanwhile
 */
export async function applyReviews(
  db: Kysely<Database>,
  userId: number,
  clock: Clock,
  readers: (() => Review)[],
): Promise<ReviewResult[]> {
  const results: ReviewResult[] = []
  for (const read of readers) {
    try {
      results.push({ status: 200, review: await applyReview(db, userId, clock, read()) })
    } catch (error) {
      if (!(error instanceof HttpError && OF_ONE_REVIEW.has(error.statusCode))) throw error
      results.push({ status: error.statusCode, error: error.message })
    }
  }
  return results
}
