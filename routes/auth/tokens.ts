import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listTokens } from '../../db/queries/accounts/tokens.js'
import { actorOf } from '../../plugins/auth.js'
import { checkText } from '../../src/domain/accounts/accounts.js'
import { ADMINS_ONLY, LOGIN_TOO_OLD, NOT_LOGGED_IN, TOKEN_NOT_ALLOWED } from '../../src/domain/accounts/refusals.js'
import { parseScopes, SCIM_SCOPE } from '../../src/domain/accounts/scopes.js'
import { ClientIdUsed } from '../../src/domain/form-requests.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { Done, responses } from '../../src/http/schemas.js'
import { createOwnToken, removeOwnToken } from '../../src/services/accounts/tokens.js'
import { formRequestOf } from '../../src/services/create-once.js'
import { CreateTokenBody, TokenCreated, TokenList, TokenParams } from './schemas.js'

const tokens: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('preHandler', app.requireUser)

  app.get(
    '/',
    {
      schema: {
        operationId: 'listTokens',
        summary: "The caller's API tokens",
        tags: ['auth'],
        response: responses(TokenList),
      },
    },
    async (request) => ({ tokens: await listTokens(app.db, request.user.id) }),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createToken',
        summary: 'Create an API token; the response is the only one that contains it',
        description: 'A repeated request gets the same object with a new `token`; the former one ends.',
        tags: ['auth'],
        body: CreateTokenBody,
        response: responses(TokenCreated, [ADMINS_ONLY, LOGIN_TOO_OLD, new ClientIdUsed({ id: 3 })]),
      },
      preHandler: app.requireFreshLogin,
    },
    async (request) => {
      const { body, user } = request
      const name = body.name.trim()
      checkText('name', name)
      const scopes = parseScopes(body.scopes)
      if (scopes.includes(SCIM_SCOPE) && !user.is_admin) throw ADMINS_ONLY
      const newToken = { name, lifetimeDays: body.expires_in_days ?? null, scopes }
      const sessionId = request.session.stored?.rowId
      if (sessionId === undefined) throw NOT_LOGGED_IN
      return createOwnToken(app.db, actorOf(request), user, sessionId, newToken, formRequestOf(user, body))
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteToken',
        summary: 'Delete an API token of the caller',
        tags: ['auth'],
        params: TokenParams,
        response: responses(Done, [TOKEN_NOT_ALLOWED]),
      },
      // A token may delete itself, but no other token of its owner.
      preHandler: async ({ apiToken, params }) => {
        if (apiToken !== undefined && Number(params.id) !== apiToken.id) throw TOKEN_NOT_ALLOWED
      },
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige Token-ID')
      if (id !== undefined) await removeOwnToken(app.db, actorOf(request), request.user, id)
      return { ok: true as const }
    },
  )
}

export default tokens
