import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import type { Actor } from '../../db/queries/accounts/audit.js'
import { type CardReport, listReports } from '../../db/queries/content/reports.js'
import { actorOf } from '../../plugins/auth.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { suggestionOf } from '../../src/domain/content/editing/suggestion.js'
import {
  NO_SUGGESTION,
  REPORT_NOT_FOUND,
  REPORT_SETTLED,
  REPORTED_AGAIN,
  VersionOutdated,
} from '../../src/domain/content/refusals.js'
import { parseReportText } from '../../src/domain/content/reports.js'
import { cutPage } from '../../src/domain/page.js'
import { InvalidField, InvalidInput } from '../../src/domain/refusal.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { responses } from '../../src/http/schemas.js'
import { type Accepted, acceptSuggestion, declineReport } from '../../src/services/content/editing/suggestions.js'
import { findCardLines } from '../../src/services/content/folder/card-lines.js'
import { settleReport } from '../../src/services/content/reports.js'
import { DecidedReport, type Report, ReportDecision, ReportList, ReportParams, ReportsQuery } from './schemas.js'

/** Maximum size of a body in bytes: about two texts of maximum length, with two bytes per character */
const CARD_BYTES = 256 * 1_024

const reports: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listReports',
        summary: "Learners' reports of the cards that the caller may edit, newest first",
        tags: ['content'],
        querystring: ReportsQuery,
        response: responses(ReportList, [AUTHORS_ONLY]),
      },
      onRequest: app.requireAuthor,
    },
    async ({ query, editable }) => {
      const { limit, state, after: before = query.before } = query
      const { reports: found, open } = await listReports(app.db, editable, { state, before, limit: limit + 1 })
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { reports: await describe(page), open, next_after: next, next_before: next }
    },
  )

  app.patch(
    '/:id',
    {
      onRequest: app.requireEditor('report'),
      bodyLimit: CARD_BYTES,
      schema: {
        operationId: 'settleReport',
        summary: 'Settle or reopen a report, accept its suggestion, or decline it',
        description: `An accepted suggestion is a new version of the card with the learner as its author. The text of a card
of the content folder is returned as \`paste\`; the report stays open until it is settled.`,
        tags: ['content'],
        params: ReportParams,
        body: ReportDecision,
        response: responses(DecidedReport, [
          ...[AUTHORS_ONLY, NOT_AN_EDITOR, REPORT_NOT_FOUND, REPORTED_AGAIN, REPORT_SETTLED, NO_SUGGESTION],
          new VersionOutdated(2),
        ]),
      },
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige Meldungs-ID', Number.MAX_SAFE_INTEGER)
      if (id === undefined) throw REPORT_NOT_FOUND
      const { report, paste } = await decide(actorOf(request), id, request.body)
      const [described] = await describe([report])
      return { ...(described as Static<typeof Report>), ...(paste !== null && { paste }) }
    },
  )

  async function decide(actor: Actor, id: number, body: Static<typeof ReportDecision>): Promise<Accepted> {
    const { settled, accept, decline, ...acceptance } = body
    const given = [settled, accept, decline].filter((one) => one !== undefined)
    if (given.length > 1) {
      throw new InvalidInput('Nur eines der Felder „settled“, „accept“ und „decline“ ist möglich')
    }
    if (accept !== undefined) return acceptSuggestion(app.db, actor, id, acceptance)
    if (decline !== undefined) {
      return { report: await declineReport(app.db, actor, id, parseReportText(decline, 'decline')), paste: null }
    }
    if (settled === undefined) throw new InvalidField('settled', 'fehlt')
    return { report: await settleReport(app.db, actor, id, settled), paste: null }
  }

  async function describe(found: CardReport[]): Promise<Static<typeof Report>[]> {
    const places = await findCardLines(app.config.contentDir, found)
    return found.map((report, index) => ({
      ...describeReport(report),
      ...(places[index] ?? { file: null, line: null }),
    }))
  }
}

function describeReport(report: CardReport) {
  const { card_id, question, answer, version, deck_slug, deck_name, is_archived, file: _, key: __, ...rest } = report
  const { source_id, source_kind, source_name, suggested_question, suggested_answer, outcome_message, ...facts } = rest
  const source = source_id === null ? null : { id: source_id, kind: source_kind ?? '', name: source_name ?? '' }
  const deck = { slug: deck_slug, name: deck_name }
  return {
    ...facts,
    card: { id: card_id, question, answer, version, deck, archived: is_archived, source },
    suggestion: suggestionOf({ suggested_question, suggested_answer }),
    message: outcome_message,
  }
}

export default reports
