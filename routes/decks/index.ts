import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findDeckBySlug, listDecks } from '../../db/queries/content/decks.js'
import { DECK_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { METHOD_NOT_ALLOWED } from '../../src/http/refusals.js'
import { responses, sentAs } from '../../src/http/schemas.js'
import { DeckList, DeckParams, DeckResponse } from './schemas.js'

const decks: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(METHOD_NOT_ALLOWED, { allow: 'GET' })

  app.get(
    '/',
    {
      schema: {
        operationId: 'listDecks',
        summary: "All decks with the caller's statistics",
        tags: ['decks'],
        response: responses(sentAs<string>(DeckList)),
      },
    },
    async (request, reply) => {
      reply.type('application/json; charset=utf-8')
      return listDecks(app.db, request.user.id, app.clock.today())
    },
  )

  app.get(
    '/:slug',
    {
      schema: {
        operationId: 'getDeck',
        summary: 'One deck with every column',
        tags: ['decks'],
        params: DeckParams,
        response: responses(DeckResponse, [DECK_NOT_FOUND]),
      },
    },
    async (request) => {
      const deck = await findDeckBySlug(app.db, request.params.slug)
      if (deck === undefined) throw DECK_NOT_FOUND
      return { deck }
    },
  )
}

export default decks
