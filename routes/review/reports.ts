import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findDeckBySlug } from '../../db/queries/content/decks.js'
import { listLog } from '../../db/queries/review/log.js'
import { findStatistics } from '../../db/queries/review/statistics.js'
import { DECK_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { cutPage } from '../../src/domain/page.js'
import { findStreaks, lastDays, nextDays, summarizeRetention } from '../../src/domain/review/statistics.js'
import { addDays } from '../../src/domain/time/calendar.js'
import { learnerOf } from '../../src/http/learner.js'
import { responses } from '../../src/http/schemas.js'
import { HistoryPage, HistoryQuery, Stats, StatsQuery } from './schemas.js'

const reports: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/history',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'getReviewHistory',
        summary: "The caller's reviews, undos and resets, newest first",
        tags: ['review'],
        querystring: HistoryQuery,
        response: responses(HistoryPage, [DECK_NOT_FOUND]),
      },
    },
    async (request) => {
      const { query } = request
      const { limit, card: cardId, after: before = query.before } = query
      const deck = query.deck ? await findDeckBySlug(app.db, query.deck) : undefined
      if (query.deck && deck === undefined) throw DECK_NOT_FOUND.at('deck')
      const found = await listLog(app.db, request.user.id, { deckId: deck?.id, cardId }, before, limit + 1)
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { entries: page, next_after: next, next_before: next }
    },
  )

  app.get(
    '/stats',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'getReviewStats',
        summary: 'Reviews per day, streaks, retention, forecast and the state of each deck',
        tags: ['review'],
        querystring: StatsQuery,
        response: responses(Stats),
      },
    },
    async (request) => {
      const { today } = app.clock.moment()
      const { days: count } = request.query
      const found = await findStatistics(app.db, learnerOf(request), today, addDays(today, 1 - count))
      const studied = found.days.map(({ day }) => day)
      return {
        days: lastDays(found.days, today, count),
        streak: findStreaks(studied, today),
        retention: summarizeRetention(found.recalls),
        forecast: nextDays(found.forecast, today),
        decks: found.decks,
        today,
      }
    },
  )
}

export default reports
