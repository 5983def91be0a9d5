import type { Kysely } from 'kysely'
import { type Attempt, findAttemptQuestion, writeAnswer } from '../../../db/queries/tests/attempts.js'
import type { Database } from '../../../db/types.js'
import { type Answer, checkAnswer } from '../../domain/questions/judge.js'
import { isSameAnswer } from '../../domain/tests/answer.js'
import { secondsLeft } from '../../domain/tests/deadline.js'
import { ATTEMPT_ENDED, NEWER_ANSWER, SLOT_NOT_FOUND } from '../../domain/tests/refusals.js'
import { withPlaces } from '../../domain/tests/view.js'
import { findCurrentAttempt } from './current-attempt.js'

export interface SavedAnswer {
  slot: number
  seq: number
  saved_at: Date
  seconds_left: number | null
}

/**
 * Stores an answer of an open attempt. Idempotent for the same `seq` and answer.
 * @param seq sequence number, 1 to 2^53 - 1, which the client increments with each answer to the same question
 * @throws ATTEMPT_NOT_FOUND, SLOT_NOT_FOUND if the user has no such attempt or the attempt has no such question
 * @throws ATTEMPT_ENDED if the attempt has ended
 * @throws NEWER_ANSWER if an answer with a higher `seq`, or another answer with the same `seq`, is stored
 * @throws InvalidInput if the answer does not fit the question
 */
export async function saveAnswer(
  db: Kysely<Database>,
  userId: number,
  { attemptId, slot, seq, answer }: { attemptId: number; slot: number; seq: number; answer: Answer },
  now: Date,
): Promise<SavedAnswer> {
  const attempt = await findCurrentAttempt(db, userId, attemptId, now)
  const question = await findAttemptQuestion(db, attemptId, slot)
  if (question === undefined) throw SLOT_NOT_FOUND
  if (attempt.ended_at !== null) throw ATTEMPT_ENDED
  checkAnswer(withPlaces(question.content, question.places), answer)
  const isStored = seq > question.seq && (await writeAnswer(db, { id: attemptId, slot, seq, answer, at: now }))
  if (isStored) return { slot, seq, saved_at: now, seconds_left: secondsLeft(attempt.deadline_at, now) }
  return findStored(db, userId, attempt, { slot, seq, answer }, now)
}

async function findStored(
  db: Kysely<Database>,
  userId: number,
  { id }: Attempt,
  { slot, seq, answer }: { slot: number; seq: number; answer: Answer },
  now: Date,
): Promise<SavedAnswer> {
  const { ended_at, deadline_at } = await findCurrentAttempt(db, userId, id, now)
  if (ended_at !== null) throw ATTEMPT_ENDED
  const stored = await findAttemptQuestion(db, id, slot)
  const isSame = stored?.seq === seq && stored.answer !== null && isSameAnswer(stored.answer, answer)
  if (!isSame || stored.saved_at === null) throw NEWER_ANSWER
  return { slot, seq, saved_at: stored.saved_at, seconds_left: secondsLeft(deadline_at, now) }
}
