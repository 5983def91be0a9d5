import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../../db/queries/accounts/audit.js'
import { type EditableCard, findStoredCards, lockCards } from '../../../../db/queries/content/editing/cards.js'
import {
  type CardReport,
  decideReport,
  findReport,
  lockReport,
  type ReportOutcome,
  type UndecidedReport,
} from '../../../../db/queries/content/reports.js'
import type { Database } from '../../../../db/types.js'
import { changeTexts } from '../../../domain/content/editing/card.js'
import { writeCard } from '../../../domain/content/format/write-deck.js'
import {
  CARD_NOT_FOUND,
  NO_SUGGESTION,
  REPORT_NOT_FOUND,
  REPORT_SETTLED,
  requireVersion,
} from '../../../domain/content/refusals.js'
import { writeChanges } from './change-cards.js'

/** Changes with which an editor accepts a suggestion; an absent text is taken from the suggestion. */
export interface Acceptance {
  question?: string | undefined
  answer?: string | undefined
  /** Version of the card that the editor has seen; default: the version at the time of the report */
  version?: number | undefined
}

export interface Accepted {
  report: CardReport
  /** New text in the format of content files if the card belongs to no source; null if the card itself was changed */
  paste: string | null
}

/**
 * Makes a suggestion a new version of the card, with the reporter as its author. A card that belongs to no source is
 * not changed; its text is returned as `paste`, and the report stays open until it is settled by hand.
 * @throws REPORT_NOT_FOUND, CARD_NOT_FOUND if the report or its card does not exist
 * @throws REPORT_SETTLED if the report is already settled
 * @throws NO_SUGGESTION if the report contains no suggestion
 * @throws VersionOutdated if the text has changed since `version`, or since the report if `version` is absent
 * @throws InvalidInput if the text is invalid
 */
export function acceptSuggestion(
  db: Kysely<Database>,
  actor: Actor,
  reportId: number,
  { version, question, answer }: Acceptance,
): Promise<Accepted> {
  return db.transaction().execute(async (transaction) => {
    // Locks the card before the report, in the same order as `reportCard`.
    const card = await lockReportedCard(transaction, reportId)
    const report = await takeReport(transaction, reportId)
    if (report.suggestion === null) throw NO_SUGGESTION
    requireVersion(version ?? report.version, card.version)
    const { suggestion } = report
    const texts = { question: question ?? suggestion.question, answer: answer ?? suggestion.answer }
    const after = { ...card, ...changeTexts(texts, card) }
    if (card.source_id === null) {
      await decideReport(transaction, reportId, 'accepted', null, null)
      return { report: await readReport(transaction, reportId), paste: toDeckText(after) }
    }
    const origin = { userId: report.user_id, editorId: actor.actor_id, sourceId: card.source_id }
    await writeChanges(transaction, { ...origin, how: 'suggestion' }, [{ before: card, after }])
    return { report: await settle(transaction, actor, reportId, 'accepted', null), paste: null }
  })
}

/**
 * Declines a suggestion or report with a message for the learner.
 * @throws REPORT_NOT_FOUND if the report does not exist
 * @throws REPORT_SETTLED if the report is already settled
 */
export function declineReport(
  db: Kysely<Database>,
  actor: Actor,
  reportId: number,
  message: string,
): Promise<CardReport> {
  return db.transaction().execute(async (transaction) => {
    await takeReport(transaction, reportId)
    return settle(transaction, actor, reportId, 'declined', message)
  })
}

async function lockReportedCard(transaction: Transaction<Database>, reportId: number): Promise<EditableCard> {
  const { card_id } = await readReport(transaction, reportId)
  await lockCards(transaction, [card_id])
  const [card] = await findStoredCards(transaction, [card_id])
  if (card === undefined) throw CARD_NOT_FOUND
  return card
}

async function takeReport(transaction: Transaction<Database>, id: number): Promise<UndecidedReport> {
  const report = await lockReport(transaction, id)
  if (report === undefined) throw REPORT_NOT_FOUND
  if (report.isSettled) throw REPORT_SETTLED
  return report
}

async function settle(
  transaction: Transaction<Database>,
  actor: Actor,
  id: number,
  outcome: ReportOutcome,
  message: string | null,
): Promise<CardReport> {
  await decideReport(transaction, id, outcome, message, actor.actor)
  const report = await readReport(transaction, id)
  const details = { card_id: report.card_id, outcome }
  await insertAuditEntry(transaction, actor, {
    action: 'report.settle',
    target_id: id,
    target: report.deck_slug,
    details,
  })
  return report
}

async function readReport(db: Kysely<Database>, id: number): Promise<CardReport> {
  const report = await findReport(db, id)
  if (report === undefined) throw REPORT_NOT_FOUND
  return report
}

function toDeckText({ id, key, ...card }: EditableCard): string {
  return writeCard({ ...card, key: key ?? `karte-${id}` })
}
