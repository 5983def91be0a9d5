import type { Kysely } from 'kysely'
import { isDuplicateReport } from '../../../db/errors.js'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  type CardReport,
  countOtherOpenReports,
  findLiveTexts,
  findReport,
  updateReport,
  upsertReport,
} from '../../../db/queries/content/reports.js'
import { lockLearner } from '../../../db/queries/review/progress.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import type { Suggestion } from '../../domain/content/editing/suggestion.js'
import { CARD_NOT_FOUND, REPORT_NOT_FOUND, REPORTED_AGAIN, TOO_MANY_REPORTS } from '../../domain/content/refusals.js'
import { MAX_OPEN_REPORTS } from '../../domain/content/reports.js'
import { InvalidInput } from '../../domain/refusal.js'

/**
 * Reports a card, optionally with a suggested text. Replaces the user's open report of the card, if there is one. A
 * suggestion that equals the text of the card is ignored.
 * @returns the id of the report
 * @throws CARD_NOT_FOUND if the card is archived or does not exist
 * @throws TOO_MANY_REPORTS if the user already has `MAX_OPEN_REPORTS` open reports of other cards
 * @throws InvalidInput if the text is empty and no suggestion differs from the text of the card
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function reportCard(
  db: Kysely<Database>,
  userId: number,
  cardId: number,
  { text, suggestion }: { text: string; suggestion: Suggestion | null },
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockLearner(transaction, userId))) throw NOT_LOGGED_IN
    const current = await findLiveTexts(transaction, cardId)
    if (current === undefined) throw CARD_NOT_FOUND
    const differs =
      suggestion !== null && (suggestion.question !== current.question || suggestion.answer !== current.answer)
    if (text === '' && !differs) throw new InvalidInput('Der Vorschlag ändert den Text nicht', 'suggestion_unchanged')
    const based = differs ? { suggestion, card_version: current.version } : { suggestion: null, card_version: null }
    const id = await upsertReport(transaction, { user_id: userId, card_id: cardId, text, ...based })
    if (id === undefined) throw CARD_NOT_FOUND
    if ((await countOtherOpenReports(transaction, userId, cardId)) >= MAX_OPEN_REPORTS) throw TOO_MANY_REPORTS
    return id
  })
}

/**
 * Settles or reopens a report, with an audit entry if its state changes.
 * @throws REPORT_NOT_FOUND if the report does not exist
 * @throws REPORTED_AGAIN if a report is reopened although the reporter has another open report of the card
 */
export async function settleReport(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  settled: boolean,
): Promise<CardReport> {
  try {
    return await db.transaction().execute(async (transaction) => {
      const isChanged = await updateReport(transaction, id, settled ? actor.actor : null)
      const report = await findReport(transaction, id)
      if (report === undefined) throw REPORT_NOT_FOUND
      if (isChanged) {
        const action = settled ? 'report.settle' : 'report.reopen'
        const details = { card_id: report.card_id }
        await insertAuditEntry(transaction, actor, { action, target_id: id, target: report.deck_slug, details })
      }
      return report
    })
  } catch (error) {
    throw isDuplicateReport(error) ? REPORTED_AGAIN : error
  }
}
