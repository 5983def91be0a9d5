import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listAuditEntries } from '../../db/queries/accounts/audit.js'
import { findListedAccount } from '../../db/queries/accounts/list.js'
import { actorOf } from '../../plugins/auth.js'
import { parseAccountChange, parseUserId } from '../../src/domain/accounts/accounts.js'
import { ADMINS_ONLY, BadRequest, HttpError, PROOF_TOO_OLD, USER_NOT_FOUND } from '../../src/domain/refusals.js'
import { parseCursor } from '../../src/domain/text/parameters.js'
import { warnOfCommonPassword } from '../../src/http/password-warning.js'
import { answers } from '../../src/http/schemas.js'
import { changeAccount } from '../../src/services/accounts/change-account.js'
import type { PasskeyOptions } from '../auth/passkeys.js'
import access from './access.js'
import bulk from './bulk.js'
import list from './list.js'
import ownAccount from './me.js'
import {
  AccountAnswer,
  AccountParams,
  AccountWithStateAnswer,
  AuditList,
  AuditQuery,
  ChangeAccountBody,
} from './schemas.js'
import service, { type About } from './service.js'

const DEFAULT_AUDIT_ENTRIES = 100

export interface AccountOptions extends PasskeyOptions {
  about: About
}

/** Accounts beyond what the admin group offers: administrators change those of others, everyone the own one. */
const accounts: FastifyPluginAsyncTypebox<AccountOptions> = async (app, { about, relyingParty }) => {
  app.setFallback(new HttpError(404, 'Unbekannter Konto-Endpunkt'))

  await app.register(ownAccount, { prefix: '/me', relyingParty })
  await app.register(access, { prefix: '/:id' })
  await app.register(list)
  await app.register(bulk)
  await app.register(service, { about })

  app.get(
    '/audit',
    {
      schema: {
        operationId: 'listAuditEntries',
        summary: 'What administrators did, newest first',
        tags: ['accounts'],
        querystring: AuditQuery,
        response: answers(AuditList, [ADMINS_ONLY]),
      },
      preHandler: app.requireAdmin,
    },
    async ({ query }) => ({
      entries: await listAuditEntries(app.db, {
        limit: Number(query.limit ?? DEFAULT_AUDIT_ENTRIES),
        action: query.action || undefined,
        actor: query.actor?.trim() || undefined,
        before: parseCursor(query.before, 'before'),
      }),
    }),
  )

  app.get(
    '/:id',
    {
      schema: {
        operationId: 'getAccount',
        summary: 'One user',
        tags: ['accounts'],
        params: AccountParams,
        response: answers(AccountWithStateAnswer, [ADMINS_ONLY, USER_NOT_FOUND]),
      },
      preHandler: app.requireAdmin,
    },
    async (request) => {
      const id = parseUserId(request.params.id)
      const user = id === undefined ? undefined : await findListedAccount(app.db, id)
      if (user === undefined) throw USER_NOT_FOUND
      return { user }
    },
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'changeAccount',
        summary: 'Change the name, the right or the password of a user, or demand that the user changes it',
        description: `With \`is_admin: true\` or \`link_next_login: true\` the login of a session must be younger than ten
minutes. A token of the scope \`admin\` may do it at any time.`,
        tags: ['accounts'],
        params: AccountParams,
        body: ChangeAccountBody,
        response: answers(AccountAnswer, [ADMINS_ONLY, PROOF_TOO_OLD, USER_NOT_FOUND]),
      },
      preHandler: [app.requireAdmin, requireFreshLoginToHandOut],
    },
    async (request, reply) => {
      const id = parseUserId(request.params.id)
      const change = parseAccountChange(request.body)
      // Whoever finds an unlocked screen must not be able to take the account over.
      if (id === request.user.id && change.password !== undefined) {
        throw new BadRequest('Das eigene Passwort ändert man mit dem aktuellen: POST /api/auth/password')
      }
      const user =
        id === undefined ? undefined : await changeAccount(app.db, actorOf(request), id, change, app.offeredWays)
      if (user === undefined) throw USER_NOT_FOUND
      if (change.password !== undefined) await warnOfCommonPassword(reply, change.password)
      return { user }
    },
  )

  async function requireFreshLoginToHandOut(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
    const { is_admin, link_next_login } = (request.body ?? {}) as Record<string, unknown>
    if (is_admin === true || link_next_login === true) await app.requireFreshLogin.call(this, request, reply)
  }
}

export default accounts
