import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findQueue } from '../../db/queries/review/queue.js'
import {
  BadRequest,
  CARD_NOT_FOUND,
  DECK_NOT_FOUND,
  HttpError,
  NOT_THE_LAST,
  OTHER_REVIEW,
  REVIEW_NOT_FOUND,
} from '../../src/domain/refusals.js'
import { countsOf } from '../../src/domain/review/review.js'
import { createScheduler } from '../../src/domain/review/scheduler.js'
import { checkStorable, isInteger, parseId, parseNumber } from '../../src/domain/text/parameters.js'
import type { Clock } from '../../src/domain/time/calendar.js'
import { answers } from '../../src/http/schemas.js'
import { applyReview } from '../../src/services/review/apply-review.js'
import { undoReview } from '../../src/services/review/take-back.js'
import cardRoutes from './cards.js'
import reportRoutes from './reports.js'
import { Queue, QueueQuery, ReviewAnswer, ReviewBody, ReviewParams, UndoAnswer } from './schemas.js'
import settingsRoutes from './settings.js'

const review: FastifyPluginAsyncTypebox<Clock> = async (app, { moment }) => {
  app.setNotFoundHandler(() => {
    throw new HttpError(404, 'Unbekannter Review-Endpunkt')
  })

  app.get(
    '/queue',
    {
      schema: {
        operationId: 'getReviewQueue',
        summary: 'What to study now, in order: overdue, due today, new, not known today',
        tags: ['review'],
        querystring: QueueQuery,
        response: answers(Queue, [DECK_NOT_FOUND]),
      },
    },
    async (request) => {
      const { today } = moment()
      const scope = { userId: request.user.id, today, deckSlug: request.query.deck || undefined }
      const limit = parseNumber(request.query.limit, 'limit', { minimum: 1, maximum: 100, fallback: 20 })
      const newLimit = parseNumber(request.query.new, 'new', { minimum: 0, maximum: 100, fallback: 100 })
      const queue = await findQueue(app.db, scope, limit, newLimit)
      if (queue === undefined) throw DECK_NOT_FOUND
      const preview = createScheduler(queue.settings)
      const cards = queue.cards.map(({ state, deck_slug, deck_name, ...card }) => {
        const { again, hard, medium, easy } = preview(card.card_id, state, today)
        const next_review = {
          again: again.next_review,
          hard: hard.next_review,
          medium: medium.next_review,
          easy: easy.next_review,
        }
        return { ...card, deck: { slug: deck_slug, name: deck_name }, progress: state, next_review }
      })
      return { cards, counts: countsOf(queue.remaining) }
    },
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'reviewCard',
        summary: 'Rate a card',
        tags: ['review'],
        body: ReviewBody,
        response: answers(ReviewAnswer, [CARD_NOT_FOUND, OTHER_REVIEW]),
      },
    },
    async (request) => {
      const { card_id, rating, client_id = null, duration_ms = null } = request.body
      if (client_id !== null) checkStorable('client_id', client_id)
      if (!isInteger(card_id)) throw CARD_NOT_FOUND
      return applyReview(app.db, request.user.id, moment(), { card_id, rating, client_id, duration_ms })
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'undoReview',
        summary: 'Take back the latest review, if it is of today',
        tags: ['review'],
        params: ReviewParams,
        response: answers(UndoAnswer, [REVIEW_NOT_FOUND, NOT_THE_LAST]),
      },
    },
    async (request) => {
      const id = parseId(request.params.id)
      if (id === undefined) throw new BadRequest('Ungültige Bewertungs-ID')
      return undoReview(app.db, request.user.id, moment(), id)
    },
  )

  await app.register(cardRoutes, { moment })
  await app.register(reportRoutes, { moment })
  await app.register(settingsRoutes)
}

export default review
