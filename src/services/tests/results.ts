import type { Attempt } from '../../../db/queries/tests/attempts.js'
import type { TestDefinition } from '../../domain/tests/definition.js'
import { isClosed, isResultShown, isReviewOpen, type ReviewState } from '../../domain/tests/review.js'

/** Result of an attempt; both null while it is open, or where the review preset hides them. */
export interface ShownResult {
  passed: boolean | null
  score_percent: number | null
}

/**
 * Returns what the review of an attempt depends on.
 * @param all attempts of the person at the test
 * @param rules of the published version; `attempts` null: unlimited
 */
export function reviewStateOf(
  { definition }: Pick<Attempt, 'definition'>,
  all: readonly Attempt[],
  { attempts, closes }: Pick<TestDefinition, 'attempts' | 'closes'>,
  today: string,
): ReviewState {
  // A test that was extended is still running, so its answers must not be told.
  const extended = definition.closes !== null && closes !== null && closes > definition.closes
  const ended = all.filter(({ ended_at }) => ended_at !== null)
  return {
    definition: extended ? { ...definition, closes } : definition,
    today,
    hasPassed: ended.some(({ passed }) => passed === true),
    isLast: ended.length === all.length && (isUsedUp(attempts, ended.length) || isClosed(closes, today)),
  }
}

function isUsedUp(attempts: number | null, ended: number): boolean {
  return attempts !== null && ended >= attempts
}

export function resultOf({ passed, score_percent }: Attempt, state: ReviewState): ShownResult {
  return isResultShown(state) ? { passed, score_percent } : { passed: null, score_percent: null }
}

/** Returns whether the person may read the review of an attempt now. */
export function mayReview({ ended_at }: Attempt, state: ReviewState): boolean {
  return ended_at !== null && isReviewOpen(state)
}
