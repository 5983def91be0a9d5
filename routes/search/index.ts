import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { checkSearchLength } from '../../src/domain/text/parameters.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { learnerOf } from '../../src/http/learner.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { searchFor } from '../../src/services/search/search-for.js'
import { createSearchQueue, pauseAfterWork } from '../../src/services/search/search-queue.js'
import { SearchAllQuery, SearchResponse } from './schemas.js'

const search: FastifyPluginAsyncTypebox = async (app) => {
  const runSearch = createSearchQueue(app.database.embedded)
  /** Pauses a search between two steps if no connection is idle or requests wait for a connection. */
  const pause = async (started: number) => {
    const { idle, waiting } = app.database.poolState()
    if (idle === 0 || waiting > 0) await pauseAfterWork(started)
  }
  app.setFallback(unknownEndpoint('Unbekannter Such-Endpunkt'))

  app.get(
    '/',
    {
      schema: {
        operationId: 'searchAll',
        summary: 'Decks, cheat sheets and cards that contain all words of the query, best match first',
        tags: ['search'],
        querystring: SearchAllQuery,
        response: responses(SearchResponse),
      },
    },
    async (request, reply) => {
      const query = request.query.q ?? ''
      checkSearchLength('q', query)
      const { limit } = request.query
      const search = async () => {
        const isComplete = await app.updateSearchIndex()
        return { isComplete, ...(await searchFor(app.db, learnerOf(request), query, limit, pause)) }
      }
      const { hits, isCorrected, isComplete } = await runSearch(request.user.id, search, abortOnClose(reply))
      const results = hits.map(({ kind, id, slug, lang, category, deck_slug, deck_name, marked }) => ({
        kind,
        slug,
        lang,
        card_id: kind === 'card' ? id : null,
        title: marked.title.text,
        deck: deck_slug === null || deck_name === null ? null : { slug: deck_slug, name: deck_name },
        category,
        excerpt: marked.excerpt.text,
        title_ranges: marked.title.ranges,
        excerpt_ranges: marked.excerpt.ranges,
      }))
      return { query, results, corrected: isCorrected, complete: isComplete }
    },
  )
}

export default search
