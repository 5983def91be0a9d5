import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { findDeckBySlug, listDecks } from '../../db/queries/content/decks.js'
import { exportCards } from '../../db/queries/content/export.js'
import { ankiFileName, formatAnkiLine } from '../../src/domain/anki/text-export.js'
import { DECK_NOT_FOUND, METHOD_NOT_ALLOWED } from '../../src/domain/refusals.js'
import { answers } from '../../src/http/schemas.js'
import { DeckAnswer, DeckList, DeckParams, ExportText } from './schemas.js'

/** About half a millisecond of work. */
const LINES_AT_ONCE = 125

interface DeckOptions {
  /** The calendar day that counts as today, as `YYYY-MM-DD`. */
  today: () => string
}

const decks: FastifyPluginAsyncTypebox<DeckOptions> = async (app, { today }) => {
  app.setFallback(METHOD_NOT_ALLOWED, { allow: 'GET' })

  app.get(
    '/',
    {
      schema: {
        operationId: 'listDecks',
        summary: 'All decks with the statistics of the caller',
        tags: ['decks'],
        response: answers(DeckList),
      },
    },
    async (request, reply) => {
      reply.type('application/json; charset=utf-8')
      return (await listDecks(app.db, request.user.id, today())) as unknown as Static<typeof DeckList>
    },
  )

  app.get(
    '/export-anki',
    {
      schema: {
        operationId: 'exportAnki',
        summary: 'All cards as tab-separated text for Anki',
        tags: ['decks'],
        produces: ['text/tab-separated-values'],
        response: answers(ExportText),
      },
    },
    async (_request, reply) => {
      reply
        .type('text/tab-separated-values; charset=utf-8')
        .header('content-disposition', `attachment; filename="${ankiFileName(today())}"`)
        .header('cache-control', 'no-cache')
        // nginx would otherwise take in all of it for a slow reader.
        .header('x-accel-buffering', 'no')
      return reply.send(Readable.from(ankiChunks(exportCards(app.db)), { objectMode: false }))
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
        response: answers(DeckAnswer, [DECK_NOT_FOUND]),
      },
    },
    async (request) => {
      const deck = await findDeckBySlug(app.db, request.params.slug)
      if (deck === undefined) throw DECK_NOT_FOUND
      return { deck }
    },
  )
}

/** Pieces of text; between two of them the requests of others are served. */
async function* ankiChunks(batches: ReturnType<typeof exportCards>): AsyncGenerator<string> {
  for await (const { deck_name, cards } of batches) {
    for (let first = 0; first < cards.length; first += LINES_AT_ONCE) {
      const lines = cards.slice(first, first + LINES_AT_ONCE).map((card) => formatAnkiLine(card, deck_name))
      yield lines.join('')
      await setImmediate()
    }
  }
}

export default decks
