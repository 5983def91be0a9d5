import type { Kysely, Transaction } from 'kysely'
import {
  type Attempt,
  listAttemptQuestions,
  listOverdueAttempts,
  lockAttempt,
  writeResult,
} from '../../../db/queries/tests/attempts.js'
import type { Database } from '../../../db/types.js'
import { addScores, type Fraction, NONE } from '../../domain/questions/fraction.js'
import { judge } from '../../domain/questions/judge.js'
import { GRACE_MS, isOver } from '../../domain/tests/deadline.js'
import { ATTEMPT_NOT_FOUND } from '../../domain/tests/refusals.js'
import { withoutPlaces, withPlaces } from '../../domain/tests/view.js'
import { addToSums } from './statistics.js'

/**
 * Ends an attempt and judges its stored answers in one transaction. An attempt that has already ended stays unchanged.
 * @returns the ended attempt; `ended_by` is `time` if it ended after its deadline and grace period, otherwise `person`
 * @throws ATTEMPT_NOT_FOUND if the attempt does not exist, for example because the user was deleted
 */
export async function endAttempt(db: Kysely<Database>, id: number, now: Date): Promise<Attempt> {
  return db.transaction().execute(async (transaction) => {
    const attempt = await lockAttempt(transaction, id)
    if (attempt === undefined) throw ATTEMPT_NOT_FOUND
    return attempt.ended_at === null ? end(transaction, attempt, now) : attempt
  })
}

async function end(transaction: Transaction<Database>, attempt: Attempt, now: Date): Promise<Attempt> {
  const { id, definition, deadline_at } = attempt
  const questions = await listAttemptQuestions(transaction, id)
  const judged = questions.map(({ slot, content, places, answer }) => ({
    slot,
    score: judge(withPlaces(content, places), answer, definition.multiple),
  }))
  const { percent, passed } = addScores(
    judged.map(({ score }) => ({ score, points: 1 })),
    definition.pass_percent,
  )
  const isLate = isOver(deadline_at, now)
  const result = {
    // Uses the deadline even if the attempt ends within the grace period, so that no attempt exceeds its time limit.
    ended_at: deadline_at !== null && deadline_at < now ? deadline_at : now,
    ended_by: isLate ? ('time' as const) : ('person' as const),
    passed,
    score_percent: percent,
  }
  await writeResult(
    transaction,
    id,
    result,
    judged.map(({ slot, score }) => ({ slot, points: pointsOf(score) })),
  )
  if (attempt.counted && attempt.number === 1) {
    const total = judged.reduce((sum, { score }) => sum + pointsOf(score), 0)
    await addToSums(
      transaction,
      attempt,
      questions.map(({ question_id, places, answer, spent_ms }, index) => ({
        question_id,
        points: pointsOf(judged[index]?.score ?? NONE),
        total,
        answer: answer === null ? null : withoutPlaces(answer, places),
        spentMs: spent_ms,
      })),
    )
  }
  return { ...attempt, ...result }
}

function pointsOf({ part, of }: Fraction): number {
  return part / of
}

const BATCH_SIZE = 100

/**
 * Ends all attempts whose time is over. Continues with the other attempts if ending one of them fails.
 * @param onError called for each attempt that could not be ended, unless it was deleted in the meantime
 * @returns the number of ended attempts
 * @throws the reason of the signal if it is aborted
 */
export async function endOverdue(
  db: Kysely<Database>,
  now: Date,
  signal: AbortSignal,
  onError: (error: unknown, attemptId: number) => void,
): Promise<number> {
  const before = new Date(now.getTime() - GRACE_MS)
  const except: number[] = []
  let ended = 0
  let ids: number[]
  do {
    ids = await listOverdueAttempts(db, before, { limit: BATCH_SIZE, except })
    for (const id of ids) {
      signal.throwIfAborted()
      try {
        await endAttempt(db, id, now)
        ended++
      } catch (error) {
        signal.throwIfAborted()
        except.push(id)
        // Not an error: the attempt was deleted with its user in the meantime.
        if (error !== ATTEMPT_NOT_FOUND) onError(error, id)
      }
    }
  } while (ids.length === BATCH_SIZE)
  return ended
}
