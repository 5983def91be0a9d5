import type { Kysely } from 'kysely'
import { type Attempt, type AttemptedVersion, listAttemptedVersions } from '../../../db/queries/tests/attempts.js'
import type { Database } from '../../../db/types.js'
import type { TestDefinition } from '../../domain/tests/definition.js'
import {
  currentRules,
  isClosed,
  isResultShown,
  isReviewOpen,
  type ReviewRules,
  type ReviewState,
} from '../../domain/tests/review.js'
import type { Standing } from './standing.js'

/** Result of an attempt; both fields are null while the attempt is open or the review settings hide the result. */
export interface ShownResult {
  passed: boolean | null
  score_percent: number | null
}

/**
 * Returns the `Standing` that applies to an attempt. If the attempt started in the current period, `hasPassed` refers
 * to that period only.
 */
export function standingOf({ started_at }: Pick<Attempt, 'started_at'>, mine: Standing): Standing {
  const { period } = mine
  return period !== null && started_at >= period.since ? { ...mine, hasPassed: period.hasPassed } : mine
}

/**
 * Returns the state that decides whether the result and the review of an attempt are shown.
 * @param rules review rules of the attempt's version
 * @param published rules of the published version; `attempts` is null if the number of attempts is not limited
 */
export function reviewStateOf(
  rules: ReviewRules,
  { attempts, hasPassed, openId }: Pick<Standing, 'attempts' | 'hasPassed' | 'openId'>,
  published: Pick<TestDefinition, 'attempts' | 'closes'>,
  today: string,
): ReviewState {
  return {
    rules: currentRules(rules, published),
    today,
    hasPassed,
    hasOpen: openId !== null,
    isLast: openId === null && (isUsedUp(published.attempts, attempts) || isClosed(published.closes, today)),
    isUnlimited: published.closes === null,
  }
}

function isUsedUp(allowed: number | null, made: number): boolean {
  return allowed !== null && made >= allowed
}

export function resultOf(
  { passed, score_percent }: Pick<Attempt, 'passed' | 'score_percent'>,
  state: ReviewState,
): ShownResult {
  return isResultShown(state) ? { passed, score_percent } : { passed: null, score_percent: null }
}

export function mayReview({ ended_at }: Attempt, state: ReviewState): boolean {
  return ended_at !== null && isReviewOpen(state)
}

/** Returns the versions of tests that the user has attempted and whose results the user may see. */
export async function listShownVersions(
  db: Kysely<Database>,
  userId: number,
  today: string,
): Promise<Pick<AttemptedVersion, 'test_id' | 'version'>[]> {
  const versions = await listAttemptedVersions(db, userId)
  return versions
    .filter(({ rules, published_closes }) => {
      return isResultShown({ rules: currentRules(rules, { closes: published_closes }), today })
    })
    .map(({ test_id, version }) => ({ test_id, version }))
}
