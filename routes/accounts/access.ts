import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { listSessions } from '../../db/queries/accounts/sessions.js'
import { listTokens } from '../../db/queries/accounts/tokens.js'
import { findAccount } from '../../db/queries/accounts/users.js'
import { actorOf } from '../../plugins/auth.js'
import { parseUserId } from '../../src/domain/accounts/accounts.js'
import {
  ADMINS_ONLY,
  LOGIN_TOO_OLD,
  TOKEN_NOT_ALLOWED,
  TOKEN_NOT_FOUND,
  USER_NOT_FOUND,
} from '../../src/domain/accounts/refusals.js'
import { InvalidInput } from '../../src/domain/refusal.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { Done, responses } from '../../src/http/schemas.js'
import { endIdentities, endPasskeys, endSessions, endTokens } from '../../src/services/accounts/revoke.js'
import { markToken } from '../../src/services/accounts/tokens.js'
import { ListedToken, TokenList } from '../auth/schemas.js'
import { AccessParams, AccountParams, MarkTokenBody, SessionList } from './schemas.js'

const MAX_SESSION_ID = Number.MAX_SAFE_INTEGER
const REFUSALS = [ADMINS_ONLY, USER_NOT_FOUND]
const ENDING_REFUSALS = [ADMINS_ONLY, TOKEN_NOT_ALLOWED, USER_NOT_FOUND]

const access: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('preHandler', app.requireAdmin)

  app.get(
    '/sessions',
    {
      schema: {
        operationId: 'listSessions',
        summary: 'The sessions of a user, newest first',
        tags: ['accounts'],
        params: AccountParams,
        response: responses(SessionList, REFUSALS),
      },
    },
    async (request) => {
      const sessions = await listSessions(app.db, await findUserId(request))
      return {
        sessions: sessions.map((session) => ({ ...session, current: session.id === request.session.stored?.rowId })),
      }
    },
  )

  app.delete(
    '/sessions',
    {
      schema: {
        operationId: 'deleteSessions',
        summary: 'End all sessions of a user',
        tags: ['accounts'],
        params: AccountParams,
        response: responses(Done, ENDING_REFUSALS),
      },
      preHandler: refuseTokenOfOwner,
    },
    async (request) => {
      await endSessions(app.db, actorOf(request), knownId(request))
      return { ok: true as const }
    },
  )

  app.delete(
    '/sessions/:rowId',
    {
      schema: {
        operationId: 'deleteSession',
        summary: 'End a session of a user',
        tags: ['accounts'],
        params: AccessParams,
        response: responses(Done, ENDING_REFUSALS),
      },
      preHandler: refuseTokenOfOwner,
    },
    async (request) => {
      const userId = await findUserId(request)
      const id = parseRowId(request.params.rowId, 'Ungültige Sitzungs-ID', MAX_SESSION_ID)
      if (id !== undefined) await endSessions(app.db, actorOf(request), userId, id)
      return { ok: true as const }
    },
  )

  app.get(
    '/tokens',
    {
      schema: {
        operationId: 'listTokensOfUser',
        summary: 'The API tokens of a user, without their secrets',
        tags: ['accounts'],
        params: AccountParams,
        response: responses(TokenList, REFUSALS),
      },
    },
    async (request) => ({ tokens: await listTokens(app.db, await findUserId(request)) }),
  )

  app.delete(
    '/tokens',
    {
      schema: {
        operationId: 'deleteTokensOfUser',
        summary: 'Delete all API tokens of a user',
        tags: ['accounts'],
        params: AccountParams,
        response: responses(Done, ENDING_REFUSALS),
      },
      preHandler: refuseTokenOfOwner,
    },
    async (request) => {
      await endTokens(app.db, actorOf(request), knownId(request))
      return { ok: true as const }
    },
  )

  app.patch(
    '/tokens/:rowId',
    {
      schema: {
        operationId: 'markTokenOfUser',
        summary: 'Mark or unmark an API token of a user as a service token',
        description: `A service token keeps working while the provider must confirm its owner again. It ends like any
other when the account is disabled.`,
        tags: ['accounts'],
        params: AccessParams,
        body: MarkTokenBody,
        response: responses(ListedToken, [ADMINS_ONLY, LOGIN_TOO_OLD, TOKEN_NOT_ALLOWED, TOKEN_NOT_FOUND]),
      },
      preHandler: [app.requireFreshLogin, refuseTokenOfOwner],
    },
    async (request) => {
      const id = parseRowId(request.params.rowId, 'Ungültige Token-ID')
      if (id === undefined) throw TOKEN_NOT_FOUND
      const isService = request.body.is_service
      return markToken(app.db, actorOf(request), { userId: knownId(request), id, isService })
    },
  )

  app.delete(
    '/tokens/:rowId',
    {
      schema: {
        operationId: 'deleteTokenOfUser',
        summary: 'Delete an API token of a user',
        tags: ['accounts'],
        params: AccessParams,
        response: responses(Done, ENDING_REFUSALS),
      },
      preHandler: refuseTokenOfOwner,
    },
    async (request) => {
      const userId = await findUserId(request)
      const id = parseRowId(request.params.rowId, 'Ungültige Token-ID')
      if (id !== undefined) await endTokens(app.db, actorOf(request), userId, id)
      return { ok: true as const }
    },
  )

  app.delete(
    '/passkeys',
    {
      schema: {
        operationId: 'deletePasskeysOfUser',
        summary: 'Remove all passkeys of another user',
        description: `Allowed even if no other login method remains. Enables password logins again if the user had
disabled them.`,
        tags: ['accounts'],
        params: AccountParams,
        response: responses(Done, ENDING_REFUSALS),
      },
      preHandler: refuseTokenOfOwner,
    },
    async (request) => {
      const userId = knownId(request)
      // Administrators must delete their own passkeys one by one, because only the route for a single passkey refuses
      // to delete the last login method.
      if (userId === request.user.id) {
        throw new InvalidInput('Die eigenen Passkeys entfernt man einzeln: DELETE /api/auth/passkeys/{id}')
      }
      await endPasskeys(app.db, actorOf(request), userId)
      return { ok: true as const }
    },
  )

  app.delete(
    '/identities',
    {
      schema: {
        operationId: 'deleteIdentitiesOfUser',
        summary: 'Unlink all identities at providers from the account of a user',
        description: `Allowed even if no other login method remains. With \`OIDC_RECHECK_DAYS\` users cannot unlink the
identity of the provider themselves.`,
        tags: ['accounts'],
        params: AccountParams,
        response: responses(Done, [...ENDING_REFUSALS, LOGIN_TOO_OLD]),
      },
      preHandler: [app.requireFreshLogin, refuseTokenOfOwner],
    },
    async (request) => {
      await endIdentities(app.db, actorOf(request), knownId(request))
      return { ok: true as const }
    },
  )

  async function findUserId(request: FastifyRequest): Promise<number> {
    const id = knownId(request)
    if ((await findAccount(app.db, id)) === undefined) throw USER_NOT_FOUND
    return id
  }
}

/**
 * Parses the user id in the path. Does not check that the user exists.
 * @throws InvalidInput if the id is not a number
 * @throws USER_NOT_FOUND if the number is outside the range of ids
 */
function knownId(request: FastifyRequest): number {
  const id = parseUserId((request.params as { id: string }).id)
  if (id === undefined) throw USER_NOT_FOUND
  return id
}

/**
 * Refuses API tokens if the path names the account of their owner. Owners manage their account through `/api/auth` and
 * `/api/accounts/me`.
 */
async function refuseTokenOfOwner(request: FastifyRequest): Promise<void> {
  const { id } = request.params as { id: string }
  if (request.apiToken !== undefined && Number(id) === request.user.id) throw TOKEN_NOT_ALLOWED
}

export default access
