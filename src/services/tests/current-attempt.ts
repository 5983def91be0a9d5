import type { Kysely } from 'kysely'
import { type Attempt, findAttempt } from '../../../db/queries/tests/attempts.js'
import type { Database } from '../../../db/types.js'
import { isOver } from '../../domain/tests/deadline.js'
import { ATTEMPT_NOT_FOUND } from '../../domain/tests/refusals.js'
import { endAttempt } from './end-attempt.js'

/**
 * Returns an attempt of the user, after ending it if its time is over.
 * @throws ATTEMPT_NOT_FOUND if the user has no such attempt
 */
export async function findCurrentAttempt(
  db: Kysely<Database>,
  userId: number,
  id: number,
  now: Date,
): Promise<Attempt> {
  const attempt = await findAttempt(db, userId, id)
  if (attempt === undefined) throw ATTEMPT_NOT_FOUND
  return endIfOver(db, attempt, now)
}

export async function endIfOver(db: Kysely<Database>, attempt: Attempt, now: Date): Promise<Attempt> {
  const isOpen = attempt.ended_at === null && !isOver(attempt.deadline_at, now)
  return isOpen || attempt.ended_at !== null ? attempt : endAttempt(db, attempt.id, now)
}
