import type { Kysely } from 'kysely'
import {
  type Attempt,
  type AttemptQuestion,
  findAttemptQuestion,
  writeAnswer,
} from '../../../db/queries/tests/attempts.js'
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

interface NewAnswer {
  slot: number
  seq: number
  answer: Answer
}

/**
 * Stores an answer of an open attempt. Idempotent for the same `seq` and answer, also after the end of the attempt,
 * because the first response may have been lost.
 * @param seq sequence number, 1 to 2^53 - 1, which the client increments with each answer to the same question
 * @throws ATTEMPT_NOT_FOUND, SLOT_NOT_FOUND if the user has no such attempt or the attempt has no such question
 * @throws ATTEMPT_ENDED if the attempt has ended and this answer with this `seq` is not stored
 * @throws NEWER_ANSWER if an answer with a higher `seq`, or another answer with the same `seq`, is stored
 * @throws InvalidInput if the answer does not fit the question
 */
export async function saveAnswer(
  db: Kysely<Database>,
  userId: number,
  { attemptId, ...given }: { attemptId: number } & NewAnswer,
  now: Date,
): Promise<SavedAnswer> {
  const { slot, seq, answer } = given
  const attempt = await findCurrentAttempt(db, userId, attemptId, now)
  const question = await findAttemptQuestion(db, attemptId, slot)
  if (question === undefined) throw SLOT_NOT_FOUND
  if (attempt.ended_at !== null) return confirmStored(attempt, question, given, now)
  checkAnswer(withPlaces(question.content, question.places), answer)
  const isStored = seq > question.seq && (await writeAnswer(db, { id: attemptId, slot, seq, answer, at: now }))
  if (isStored) return { slot, seq, saved_at: now, seconds_left: secondsLeft(attempt.deadline_at, now) }
  // Since the reads above, the attempt may have ended, or another request may have stored an answer.
  const current = await findCurrentAttempt(db, userId, attemptId, now)
  return confirmStored(current, await findAttemptQuestion(db, attemptId, slot), given, now)
}

/** Returns the result of an answer that is stored already. */
function confirmStored(
  { ended_at, deadline_at }: Attempt,
  stored: AttemptQuestion | undefined,
  { slot, seq, answer }: NewAnswer,
  now: Date,
): SavedAnswer {
  const isSame = stored?.seq === seq && stored.answer !== null && isSameAnswer(stored.answer, answer)
  if (!isSame || stored.saved_at === null) throw ended_at === null ? NEWER_ANSWER : ATTEMPT_ENDED
  return {
    slot,
    seq,
    saved_at: stored.saved_at,
    seconds_left: ended_at === null ? secondsLeft(deadline_at, now) : 0,
  }
}
