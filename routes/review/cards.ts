import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findCard, listCards, suspendCard, unsuspendCard, writeNote } from '../../db/queries/review/cards.js'
import { CARD_NOT_FOUND, DECK_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { cutPage } from '../../src/domain/page.js'
import { parseNote } from '../../src/domain/review/note.js'
import { OTHER_REVIEW } from '../../src/domain/review/refusals.js'
import { createSchedulers, nextReviewsOf } from '../../src/domain/review/scheduler.js'
import {
  checkSearchLength,
  checkStorable,
  invalidCursor,
  parseInstantField,
  parseRowId,
} from '../../src/domain/text/parameters.js'
import { learnerOf } from '../../src/http/learner.js'
import { Done, responses } from '../../src/http/schemas.js'
import { putOffCard } from '../../src/services/review/put-off.js'
import { resetCard } from '../../src/services/review/undo.js'
import {
  CardPage,
  CardParams,
  CardResponse,
  CardsQuery,
  NoteBody,
  NoteResponse,
  ReviewResponse,
  TomorrowBody,
} from './schemas.js'

const cards: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/cards',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listReviewCards',
        summary: "The cards in deck order, with the caller's state of each",
        tags: ['review'],
        querystring: CardsQuery,
        response: responses(CardPage, [DECK_NOT_FOUND]),
      },
    },
    async (request) => {
      const { query } = request
      const { limit, after } = query
      const filter = { state: query.state, text: parseText(query.q) }
      const scope = { ...learnerOf(request), today: app.clock.today(), deckSlug: query.deck || undefined }
      const { cards: found, is_cursor_known } = await listCards(app.db, scope, filter, after, limit + 1)
      if (found === undefined) throw DECK_NOT_FOUND.at('deck')
      // Refuses an unknown cursor, because clients would take an empty page for the end of the list.
      if (!is_cursor_known) throw invalidCursor('after')
      const { page, next } = cutPage(found, limit, ({ card_id }) => card_id)
      const cards = page.map(({ state, state_name, deck_slug, deck_name, deck_lang, ...card }) => ({
        ...card,
        deck: { slug: deck_slug, name: deck_name, lang: deck_lang },
        progress: state,
        state: state_name,
      }))
      return { cards, next_after: next }
    },
  )

  app.get(
    '/cards/:id',
    {
      schema: {
        operationId: 'getReviewCard',
        summary: "One card with the caller's state, even if it is archived",
        tags: ['review'],
        params: CardParams,
        response: responses(CardResponse, [CARD_NOT_FOUND]),
      },
    },
    async (request) => {
      const id = parseCardId(request.params.id)
      const { today } = app.clock.moment()
      const found = id === undefined ? undefined : await findCard(app.db, request.user.id, today, id)
      if (found === undefined) throw CARD_NOT_FOUND
      const { state, state_name, deck_slug, deck_name, deck_lang, settings, deck_retention, ...card } = found
      return {
        card: {
          ...card,
          deck: { slug: deck_slug, name: deck_name, lang: deck_lang },
          progress: state,
          state: state_name,
        },
        next_review: nextReviewsOf(createSchedulers(settings)(deck_retention)(card.card_id, state, today)),
        today,
      }
    },
  )

  app.post(
    '/cards/:id/suspend',
    {
      schema: {
        operationId: 'suspendCard',
        summary: 'Suspend a card for the caller',
        tags: ['review'],
        params: CardParams,
        response: responses(Done, [CARD_NOT_FOUND]),
      },
    },
    async (request) => {
      const id = parseCardId(request.params.id)
      if (id === undefined || !(await suspendCard(app.db, request.user.id, id))) throw CARD_NOT_FOUND
      return { ok: true as const }
    },
  )

  app.delete(
    '/cards/:id/suspend',
    {
      schema: {
        operationId: 'unsuspendCard',
        summary: 'End the suspension of a card for the caller',
        tags: ['review'],
        params: CardParams,
        response: responses(Done),
      },
    },
    async (request) => {
      const id = parseCardId(request.params.id)
      if (id !== undefined) await unsuspendCard(app.db, request.user.id, id)
      return { ok: true as const }
    },
  )

  app.post(
    '/cards/:id/reset',
    {
      schema: {
        operationId: 'resetCard',
        summary: "Reset the caller's progress of a card",
        tags: ['review'],
        params: CardParams,
        response: responses(Done, [CARD_NOT_FOUND]),
      },
    },
    async (request) => {
      const id = parseCardId(request.params.id)
      if (id === undefined) throw CARD_NOT_FOUND
      await resetCard(app.db, learnerOf(request), app.clock.moment(), id)
      return { ok: true as const }
    },
  )

  app.post(
    '/cards/:id/tomorrow',
    {
      schema: {
        operationId: 'putOffCard',
        summary: 'Postpone a due or new card until tomorrow, without a rating; can be undone like a review',
        tags: ['review'],
        params: CardParams,
        body: TomorrowBody,
        response: responses(ReviewResponse, [CARD_NOT_FOUND, OTHER_REVIEW]),
      },
    },
    async (request) => {
      const card_id = parseCardId(request.params.id)
      const { client_id = null, put_off_at = null } = request.body
      if (client_id !== null) checkStorable('client_id', client_id)
      const instant = put_off_at === null ? null : parseInstantField(put_off_at, 'put_off_at')
      if (card_id === undefined) throw CARD_NOT_FOUND
      return putOffCard(app.db, learnerOf(request), app.clock, { card_id, client_id, put_off_at: instant })
    },
  )

  app.put(
    '/cards/:id/note',
    {
      schema: {
        operationId: 'writeCardNote',
        summary: "Replace the caller's private note on a card; an empty text deletes it",
        tags: ['review'],
        params: CardParams,
        body: NoteBody,
        response: responses(NoteResponse, [CARD_NOT_FOUND]),
      },
    },
    async (request) => {
      const id = parseCardId(request.params.id)
      const text = parseNote(request.body.text)
      if (id === undefined || !(await writeNote(app.db, request.user.id, id, text))) throw CARD_NOT_FOUND
      return { note: text === '' ? null : text }
    },
  )
}

function parseCardId(text: string): number | undefined {
  return parseRowId(text, 'Ungültige Karten-ID')
}

function parseText(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  checkSearchLength('q', text)
  return text
}

export default cards
