import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listOwnReports, type OwnReport } from '../../db/queries/content/reports.js'
import { parseSuggestion, suggestionOf } from '../../src/domain/content/editing/suggestion.js'
import { CARD_NOT_FOUND, TOO_MANY_REPORTS } from '../../src/domain/content/refusals.js'
import { parseReportText } from '../../src/domain/content/reports.js'
import { cutPage } from '../../src/domain/page.js'
import { InvalidField } from '../../src/domain/refusal.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { responses } from '../../src/http/schemas.js'
import { reportCard } from '../../src/services/content/reports.js'
import { CardParams, CardReported, OwnReports, OwnReportsQuery, ReportBody } from './schemas.js'

/** Maximum size of a body in bytes: about two texts of maximum length, with two bytes per character */
const CARD_BYTES = 256 * 1_024

const cardReports: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/cards/:id/reports',
    {
      bodyLimit: CARD_BYTES,
      schema: {
        operationId: 'reportCard',
        summary: "Report a fault of a card or suggest a text; replaces the caller's open report of the same card",
        description: 'A suggestion that equals the text of the card is ignored.',
        tags: ['review'],
        params: CardParams,
        body: ReportBody,
        response: responses(CardReported, [CARD_NOT_FOUND, TOO_MANY_REPORTS]),
      },
    },
    async ({ body, params, user }) => {
      const id = parseRowId(params.id, 'Ungültige Karten-ID')
      const suggestion = body.suggestion == null ? null : parseSuggestion(body.suggestion)
      const text = parseText(body.text, suggestion !== null)
      if (id === undefined) throw CARD_NOT_FOUND
      return { id: await reportCard(app.db, user.id, id, { text, suggestion }) }
    },
  )

  app.get(
    '/reports',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listOwnReports',
        summary: "The caller's reports and suggestions with their outcome, newest first",
        tags: ['review'],
        querystring: OwnReportsQuery,
        response: responses(OwnReports),
      },
    },
    async ({ query, user }) => {
      const { limit, after: before = query.before } = query
      const found = await listOwnReports(app.db, user.id, before, limit + 1)
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { reports: page.map(describeReport), next_after: next, next_before: next }
    },
  )
}

function parseText(text: string | undefined, hasSuggestion: boolean): string {
  if (hasSuggestion && (text ?? '').trim() === '') return ''
  if (text === undefined) throw new InvalidField('text', 'fehlt')
  return parseReportText(text)
}

function describeReport(report: OwnReport) {
  const { question, deck_slug, deck_name, suggested_question, suggested_answer, outcome_message, ...rest } = report
  const isVisible = question !== null && deck_slug !== null && deck_name !== null
  return {
    ...rest,
    card: isVisible ? { question, deck: { slug: deck_slug, name: deck_name } } : null,
    suggestion: suggestionOf({ suggested_question, suggested_answer }),
    message: outcome_message,
  }
}

export default cardReports
