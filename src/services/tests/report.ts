import type { Kysely } from 'kysely'
import { countOtherOpenReports, upsertQuestionReport } from '../../../db/queries/content/reports.js'
import { lockLearner } from '../../../db/queries/review/progress.js'
import { findAttemptQuestion } from '../../../db/queries/tests/attempts.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import { TOO_MANY_REPORTS } from '../../domain/content/refusals.js'
import { MAX_OPEN_REPORTS } from '../../domain/content/reports.js'
import { CARD_GONE, REVIEW_CLOSED, SLOT_NOT_FOUND } from '../../domain/tests/refusals.js'
import type { Moment } from '../../domain/time/calendar.js'
import { findCurrentAttempt } from './current-attempt.js'

/**
 * Reports a question of an ended attempt to the editors of its card, which may be in a pool.
 * @returns the id of the report
 * @throws ATTEMPT_NOT_FOUND, SLOT_NOT_FOUND if the user has no such attempt or the attempt has no such question
 * @throws REVIEW_CLOSED if the attempt is open
 * @throws CARD_GONE if the card was deleted
 * @throws TOO_MANY_REPORTS if the user already has `MAX_OPEN_REPORTS` open reports of other cards
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function reportQuestion(
  db: Kysely<Database>,
  userId: number,
  { attemptId, slot, text }: { attemptId: number; slot: number; text: string },
  { at }: Moment,
): Promise<number> {
  const attempt = await findCurrentAttempt(db, userId, attemptId, at)
  if (attempt.ended_at === null) throw REVIEW_CLOSED
  const question = await findAttemptQuestion(db, attemptId, slot)
  if (question === undefined) throw SLOT_NOT_FOUND.at('slot')
  const { card_id } = question
  if (card_id === null) throw CARD_GONE.at('slot')
  return db.transaction().execute(async (transaction) => {
    if (!(await lockLearner(transaction, userId))) throw NOT_LOGGED_IN
    const id = await upsertQuestionReport(transaction, { user_id: userId, card_id, text })
    if (id === undefined) throw CARD_GONE.at('slot')
    if ((await countOtherOpenReports(transaction, userId, card_id)) >= MAX_OPEN_REPORTS) throw TOO_MANY_REPORTS
    return id
  })
}
