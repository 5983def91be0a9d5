import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { exportCards } from '../../db/queries/content/export.js'
import { ankiFileName, formatAnkiLine } from '../../src/domain/anki/index.js'
import { responses } from '../../src/http/schemas.js'
import { ExportText } from './schemas.js'

/** Number of lines that are formatted without a pause; formatting them takes about 0.5 ms. */
const LINES_AT_ONCE = 125

const deckExport: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/export-anki',
    {
      schema: {
        operationId: 'exportAnki',
        summary: 'All cards as tab-separated text for Anki',
        tags: ['decks'],
        produces: ['text/tab-separated-values'],
        response: responses(ExportText),
      },
    },
    async (_request, reply) => {
      reply
        .type('text/tab-separated-values; charset=utf-8')
        .header('content-disposition', `attachment; filename="${ankiFileName(app.clock.today())}"`)
        .header('cache-control', 'no-cache')
        // Stops nginx from buffering the whole response for a slow client.
        .header('x-accel-buffering', 'no')
      const chunks = reply.takeTurns(ankiChunks(exportCards(app.db)))
      return reply.send(Readable.from(chunks, { objectMode: false }))
    },
  )
}

/** Yields the export in chunks. The event loop handles other requests between two chunks. */
async function* ankiChunks(batches: ReturnType<typeof exportCards>): AsyncGenerator<string> {
  for await (const { deck_name, cards } of batches) {
    for (let first = 0; first < cards.length; first += LINES_AT_ONCE) {
      const lines = cards.slice(first, first + LINES_AT_ONCE).map((card) => formatAnkiLine(card, deck_name))
      yield lines.join('')
      await setImmediate()
    }
  }
}

export default deckExport
