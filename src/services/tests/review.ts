import type { Kysely } from 'kysely'
import { type Attempt, listAttemptQuestions } from '../../../db/queries/tests/attempts.js'
import { findPublishedRules } from '../../../db/queries/tests/live-tests.js'
import type { Database } from '../../../db/types.js'
import { REVIEW_CLOSED } from '../../domain/tests/refusals.js'
import { type ReviewState, reviewQuestion } from '../../domain/tests/review.js'
import type { Moment } from '../../domain/time/calendar.js'
import { mapInTurns } from '../content/turns.js'
import { findCurrentAttempt } from './current-attempt.js'
import { endAttempt } from './end-attempt.js'
import { mayReview, resultOf, reviewStateOf, standingOf } from './results.js'
import { findStanding } from './standing.js'

/**
 * Ends an attempt of the user if it is open. Returns the result; its fields are null if the review settings hide them.
 * @throws ATTEMPT_NOT_FOUND if the user has no such attempt
 */
export async function submitAttempt(db: Kysely<Database>, userId: number, id: number, moment: Moment) {
  const attempt = await findCurrentAttempt(db, userId, id, moment.at)
  const ended = attempt.ended_at === null ? await endAttempt(db, id, moment.at) : attempt
  const state = await findReviewState(db, ended, moment)
  return { id, state: 'submitted' as const, ...resultOf(ended, state) }
}

/**
 * Returns the result of an ended attempt; with the review setting `explanations` also the questions with their
 * solutions.
 * @throws ATTEMPT_NOT_FOUND if the user has no such attempt
 * @throws REVIEW_CLOSED if the attempt is open or its review is not open yet
 */
export async function reviewAttempt(db: Kysely<Database>, userId: number, id: number, moment: Moment) {
  const attempt = await findCurrentAttempt(db, userId, id, moment.at)
  const state = await findReviewState(db, attempt, moment)
  if (!mayReview(attempt, state)) throw REVIEW_CLOSED
  const { slug, lang, version, number, started_at, ended_at, ended_by, definition } = attempt
  const isExplained = definition.review === 'explanations'
  return {
    id,
    slug,
    lang,
    version,
    number,
    name: definition.name,
    started_at,
    ended_at,
    ended_by,
    ...resultOf(attempt, state),
    pass_percent: definition.pass_percent,
    answers_deleted: attempt.answers_deleted_at !== null,
    questions: isExplained ? await listReviewed(db, id) : null,
  }
}

async function listReviewed(db: Kysely<Database>, id: number) {
  const questions = await listAttemptQuestions(db, id)
  return mapInTurns(questions, ({ slot, content, places, answer, points }) => ({
    slot,
    ...reviewQuestion(content, places, answer),
    answer,
    points,
  }))
}

async function findReviewState(db: Kysely<Database>, attempt: Attempt, { at, today }: Moment): Promise<ReviewState> {
  const { test_id, group_id, user_id, definition } = attempt
  const mine = await findStanding(db, user_id, group_id, at)
  const published = await findPublishedRules(db, test_id)
  return reviewStateOf(definition, standingOf(attempt, mine), published ?? definition, today)
}
