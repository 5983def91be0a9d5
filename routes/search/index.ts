import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { BadRequest, HttpError } from '../../src/domain/refusals.js'
import { parseNumber } from '../../src/domain/text/parameters.js'
import { countCharacters } from '../../src/domain/text/text.js'
import { answers } from '../../src/http/schemas.js'
import { searchAll } from '../../src/services/search/search.js'
import { SearchAllAnswer, SearchAllQuery } from './schemas.js'

const MAX_QUERY_LENGTH = 200

const search: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(new HttpError(404, 'Unbekannter Such-Endpunkt'))

  app.get(
    '/',
    {
      schema: {
        operationId: 'searchAll',
        summary: 'Decks, cheat sheets and cards that hold all words of the query, best first',
        tags: ['search'],
        querystring: SearchAllQuery,
        response: answers(SearchAllAnswer),
      },
    },
    async (request) => {
      const query = request.query.q ?? ''
      if (countCharacters(query) > MAX_QUERY_LENGTH) throw new BadRequest(`Höchstens ${MAX_QUERY_LENGTH} Zeichen`)
      const limit = parseNumber(request.query.limit, 'limit', { minimum: 1, maximum: 50, fallback: 20 })
      const isComplete = await app.catchUpSearchIndex()
      const { hits, isCorrected } = await searchAll(app.db, query, limit)
      const results = hits.map(({ kind, id, slug, category, deck_slug, deck_name, marked }) => ({
        kind,
        slug,
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
