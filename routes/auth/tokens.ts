import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteToken, insertToken, listTokens } from '../../db/queries/tokens.js'
import { checkText, parseId } from '../../src/accounts.js'
import { HttpError } from '../../src/errors.js'
import { answers, Done } from '../../src/schemas.js'
import { createToken, hashToken } from '../../src/tokens.js'
import { CreateTokenBody, TokenCreated, TokenList, TokenParams } from './schemas.js'

/** One's own API tokens. */
const tokens: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('preHandler', app.requireUser)

  app.get(
    '/',
    {
      schema: {
        operationId: 'listTokens',
        summary: 'The own API tokens',
        tags: ['auth'],
        response: answers(TokenList),
      },
    },
    async (request) => ({ tokens: await listTokens(app.db, request.user.id) }),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createToken',
        summary: 'Create an API token, which is shown only now',
        tags: ['auth'],
        body: CreateTokenBody,
        response: answers(TokenCreated),
      },
      preHandler: app.requireSession,
    },
    async (request) => {
      const name = request.body.name.trim()
      checkText('name', name)
      const token = createToken()
      const created = await insertToken(app.db, {
        user_id: request.user.id,
        name,
        token_hash: hashToken(token) as Buffer,
        lifetimeDays: request.body.expires_in_days ?? null,
      })
      if (created === undefined) throw new HttpError(401, 'Nicht angemeldet')
      return { ...created, token }
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteToken',
        summary: 'Delete an own API token',
        tags: ['auth'],
        params: TokenParams,
        response: answers(Done),
      },
    },
    async (request) => {
      const id = parseId(request.params.id, 'Ungültige Token-ID')
      if (id !== undefined) await deleteToken(app.db, request.user.id, id)
      return { ok: true as const }
    },
  )
}

export default tokens
