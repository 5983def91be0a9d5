import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findQueue, type Queue as QueueOfCards } from '../../db/queries/review/queue.js'
import { DECK_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { countsOf } from '../../src/domain/review/review.js'
import { createSchedulers, nextReviewsOf } from '../../src/domain/review/scheduler.js'
import { learnerOf } from '../../src/http/learner.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { mapInTurns } from '../../src/services/content/turns.js'
import cardReportRoutes from './card-reports.js'
import cardRoutes from './cards.js'
import deckRoutes from './decks.js'
import fitRoutes from './fit.js'
import ratingRoutes from './ratings.js'
import reportRoutes from './reports.js'
import { Queue, QueueQuery } from './schemas.js'
import settingsRoutes from './settings.js'

const review: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Review-Endpunkt'))

  app.get(
    '/queue',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'getReviewQueue',
        summary: 'The cards to study now, in order: overdue, due today, new, rated `again` today',
        tags: ['review'],
        querystring: QueueQuery,
        response: responses(Queue, [DECK_NOT_FOUND.at('deck')]),
      },
    },
    async (request) => {
      const { today } = app.clock.moment()
      const scope = { ...learnerOf(request), today, deckSlug: request.query.deck || undefined }
      const queue = await findQueue(app.db, scope, request.query.limit, request.query.new)
      if (queue === undefined) throw DECK_NOT_FOUND.at('deck')
      const cards = await viewCards(queue, today)
      return { cards, counts: countsOf(queue.remaining), today, type_answers: queue.settings.type_answers }
    },
  )

  await app.register(ratingRoutes)
  await app.register(cardRoutes)
  await app.register(cardReportRoutes)
  await app.register(deckRoutes)
  await app.register(reportRoutes)
  await app.register(settingsRoutes)
  await app.register(fitRoutes)
}

/** Returns the cards with the days after each rating. */
async function viewCards({ cards, settings }: QueueOfCards, today: string) {
  const schedulerOf = createSchedulers(settings)
  return mapInTurns(cards, ({ state, deck_slug, deck_name, deck_lang, deck_retention, ...card }) => {
    const next_review = nextReviewsOf(schedulerOf(deck_retention)(card.card_id, state, today))
    return { ...card, deck: { slug: deck_slug, name: deck_name, lang: deck_lang }, progress: state, next_review }
  })
}

export default review
