import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findCheatsheetBySlug, listCheatsheets, searchCheatsheets } from '../../db/queries/content/cheatsheets.js'
import { CHEATSHEET_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { InvalidInput } from '../../src/domain/refusal.js'
import { countCharacters } from '../../src/domain/text/text.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { responses, sentAs } from '../../src/http/schemas.js'
import { CheatsheetList, CheatsheetParams, CheatsheetResponse, SearchQuery, SheetSearchResponse } from './schemas.js'

const MIN_QUERY_LENGTH = 2

const cheatsheets: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Cheatsheet-Endpunkt'))

  app.get(
    '/',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listCheatsheets',
        summary: 'All cheat sheets without their text',
        tags: ['cheatsheets'],
        response: responses(sentAs<string>(CheatsheetList)),
      },
    },
    async (_request, reply) => {
      reply.type('application/json; charset=utf-8')
      return `{"cheatsheets":${await listCheatsheets(app.db)}}`
    },
  )

  app.get(
    '/search',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'searchCheatsheets',
        summary: 'Cheat sheets whose title or text contains the query',
        tags: ['cheatsheets'],
        querystring: SearchQuery,
        response: responses(sentAs<string>(SheetSearchResponse)),
      },
    },
    async (request, reply) => {
      const query = request.query.q ?? ''
      if (countCharacters(query) < MIN_QUERY_LENGTH) throw new InvalidInput(`Mindestens ${MIN_QUERY_LENGTH} Zeichen`)
      const found = await searchCheatsheets(app.db, query)
      reply.type('application/json; charset=utf-8')
      return `{"cheatsheets":${found},"query":${JSON.stringify(query)}}`
    },
  )

  app.get(
    '/:slug',
    {
      schema: {
        operationId: 'getCheatsheet',
        summary: 'One cheat sheet with every column',
        description: 'The header `X-Sheet-Version` has the number of the text, for its confirmation.',
        tags: ['cheatsheets'],
        params: CheatsheetParams,
        response: responses(CheatsheetResponse, [CHEATSHEET_NOT_FOUND]),
      },
    },
    async (request, reply) => {
      const found = await findCheatsheetBySlug(app.db, request.params.slug)
      if (found === undefined) throw CHEATSHEET_NOT_FOUND
      const { version, ...cheatsheet } = found
      reply.header('x-sheet-version', version)
      return { cheatsheet }
    },
  )
}

export default cheatsheets
