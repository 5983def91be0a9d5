import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { type CardReport, listReports, REPORT_STATES } from '../../db/queries/content/reports.js'
import { actorOf } from '../../plugins/auth.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { REPORT_NOT_FOUND, REPORTED_AGAIN } from '../../src/domain/content/refusals.js'
import { parseChoice, parseCursor, parseNumber, parseRowId } from '../../src/domain/text/parameters.js'
import { answers } from '../../src/http/schemas.js'
import { findCardLines } from '../../src/services/content/folder/card-lines.js'
import { settleReport } from '../../src/services/content/reports.js'
import { Report, ReportList, ReportParams, ReportsQuery, SettleBody } from './schemas.js'

interface ReportOptions {
  /** Folder in which reported cards are located */
  contentDir: string
}

/** Reports of faulty cards by learners. */
const reports: FastifyPluginAsyncTypebox<ReportOptions> = async (app, { contentDir }) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'listReports',
        summary: "Learners' reports of the cards that the caller may edit, newest first",
        tags: ['content'],
        querystring: ReportsQuery,
        response: answers(ReportList, [AUTHORS_ONLY]),
      },
      onRequest: app.requireAuthor,
    },
    async ({ query, editable }) => {
      const limit = parseNumber(query.limit, 'limit', { minimum: 1, maximum: 200, fallback: 50 })
      const before = parseCursor(query.before, 'before')
      const state = parseChoice(query.state, 'state', REPORT_STATES)
      const { reports: found, open } = await listReports(app.db, editable, { state, before, limit: limit + 1 })
      const page = await describe(found.slice(0, limit))
      return { reports: page, open, next_before: found.length > limit ? (page.at(-1)?.id ?? null) : null }
    },
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'settleReport',
        summary: 'Settle or reopen a report',
        tags: ['content'],
        params: ReportParams,
        body: SettleBody,
        response: answers(Report, [AUTHORS_ONLY, NOT_AN_EDITOR, REPORT_NOT_FOUND, REPORTED_AGAIN]),
      },
      onRequest: app.requireEditor('report'),
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige Meldungs-ID', Number.MAX_SAFE_INTEGER)
      if (id === undefined) throw REPORT_NOT_FOUND
      const [report] = await describe([await settleReport(app.db, actorOf(request), id, request.body.settled)])
      return report as Static<typeof Report>
    },
  )

  /** Adds the file and line of each reported card in the current content folder. */
  async function describe(found: CardReport[]): Promise<Static<typeof Report>[]> {
    const places = await findCardLines(contentDir, found)
    return found.map(({ card_id, question, deck_slug, deck_name, is_archived, key: _, ...report }, index) => ({
      ...report,
      card: { id: card_id, question, deck: { slug: deck_slug, name: deck_name }, archived: is_archived },
      ...(places[index] ?? { file: null, line: null }),
    }))
  }
}

export default reports
