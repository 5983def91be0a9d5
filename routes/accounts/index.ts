import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listAuditEntries } from '../../db/queries/accounts/audit.js'
import { findListedAccount } from '../../db/queries/accounts/list.js'
import { listServiceTokens } from '../../db/queries/accounts/tokens.js'
import { findByExternalId } from '../../db/queries/accounts/users.js'
import { listTeamsOf } from '../../db/queries/teams/members.js'
import { actorOf } from '../../plugins/auth.js'
import { parseAccountChange, parseGivenAccount, parseUserId } from '../../src/domain/accounts/accounts.js'
import {
  ADMINS_ONLY,
  AUDITORS_ONLY,
  LOGIN_TOO_OLD,
  OWN_PASSWORD,
  USER_NOT_FOUND,
  USERNAME_TAKEN,
} from '../../src/domain/accounts/refusals.js'
import { EXTERNAL_ID_TAKEN, parseExternalId, parseWantedExternalId } from '../../src/domain/external-id.js'
import { cutPage } from '../../src/domain/page.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { warnOfCommonPassword } from '../../src/http/password-warning.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { changeAccount } from '../../src/services/accounts/change-account.js'
import { putAccount } from '../../src/services/accounts/put-account.js'
import access from './access.js'
import bulk from './bulk.js'
import list from './list.js'
import ownAccount from './me.js'
import {
  AccountParams,
  AccountWithStateResponse,
  AuditList,
  AuditQuery,
  ChangeAccountBody,
  ChangedAccountResponse,
  ExternalIdParams,
  PutAccountBody,
  PutAccountResponse,
} from './schemas.js'
import service from './service.js'

/** Routes for accounts in addition to those of `/api/admin`: administrators change all accounts, users their own. */
const accounts: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Konto-Endpunkt'))

  await app.register(ownAccount, { prefix: '/me' })
  await app.register(access, { prefix: '/:id' })
  await app.register(list)
  await app.register(bulk)
  await app.register(service)

  app.get(
    '/audit',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listAuditEntries',
        summary: 'Actions of administrators, newest first',
        description: 'Auditors get the entries on assignments and proofs, without addresses.',
        tags: ['accounts'],
        querystring: AuditQuery,
        response: responses(AuditList, [AUDITORS_ONLY]),
      },
      preHandler: app.requireAuditReader,
    },
    async ({ query, user }) => {
      const found = await listAuditEntries(app.db, {
        limit: query.limit + 1,
        action: query.action || undefined,
        actor: query.actor?.trim() || undefined,
        before: query.after ?? query.before,
        onlyAudited: !user.is_admin,
      })
      const { page, next } = cutPage(found, query.limit, ({ id }) => id)
      return { entries: page, next_after: next }
    },
  )

  app.get(
    '/:id',
    {
      schema: {
        operationId: 'getAccount',
        summary: 'One user with the current teams',
        tags: ['accounts'],
        params: AccountParams,
        response: responses(AccountWithStateResponse, [ADMINS_ONLY, USER_NOT_FOUND]),
      },
      preHandler: app.requireAdmin,
    },
    async (request) => {
      const id = parseUserId(request.params.id)
      const user = id === undefined ? undefined : await findListedAccount(app.db, id)
      if (user === undefined) throw USER_NOT_FOUND
      return { user, teams: await listTeamsOf(app.db, user.id) }
    },
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'changeAccount',
        summary:
          'Change the name, address, rights or password of a user, require a new password, or disable the account',
        description: `\`password\`, \`is_admin: true\`, \`is_author: true\`, \`is_auditor: true\`, an \`auditor_until\` of null, today or
a later day, \`link_next_login: true\` and a \`disabled_on\` of null or a later day require a login within the last ten minutes. A token of the scope \`admin\` needs none.`,
        tags: ['accounts'],
        params: AccountParams,
        body: ChangeAccountBody,
        response: responses(ChangedAccountResponse, [ADMINS_ONLY, LOGIN_TOO_OLD, USER_NOT_FOUND, EXTERNAL_ID_TAKEN]),
      },
      preHandler: [app.requireAdmin, requireFreshLoginToGrant],
    },
    async (request, reply) => {
      const id = parseUserId(request.params.id)
      const change = parseAccountChange(request.body)
      // Only the route that requires the current password may change the caller's password: a person at an unlocked
      // screen must not take over the account.
      if (id === request.user.id && change.password !== undefined) throw OWN_PASSWORD
      const rules = { offered: app.offeredMethods, today: app.clock.today() }
      if (id === undefined) throw USER_NOT_FOUND
      // Read before the change, which may delete the tokens.
      const ending = typeof change.disabled_on === 'string' ? await listServiceTokens(app.db, id) : undefined
      const user = await changeAccount(app.db, actorOf(request), id, change, rules)
      if (user === undefined) throw USER_NOT_FOUND
      if (change.password !== undefined) await warnOfCommonPassword(reply, change.password)
      return { user, ...(ending && { service_tokens: ending }) }
    },
  )

  app.get(
    '/by-external-id/:external_id',
    {
      schema: {
        operationId: 'getAccountByExternalId',
        summary: 'The user with an external id, with the current teams',
        tags: ['accounts'],
        params: ExternalIdParams,
        response: responses(AccountWithStateResponse, [ADMINS_ONLY, USER_NOT_FOUND]),
      },
      preHandler: app.requireAdmin,
    },
    async (request) => {
      const externalId = parseWantedExternalId(request.params.external_id)
      const id = externalId === undefined ? undefined : await findByExternalId(app.db, externalId)
      const user = id === undefined ? undefined : await findListedAccount(app.db, id)
      if (user === undefined) throw USER_NOT_FOUND
      return { user, teams: await listTeamsOf(app.db, user.id) }
    },
  )

  app.put(
    '/by-external-id/:external_id',
    {
      schema: {
        operationId: 'putAccount',
        summary: 'Create the user with an external id, or change it',
        description: `Status 201 for a new account, otherwise 200. Absent fields stay unchanged, and values that the
account has already are not written, so a repeated request changes nothing. A new account gets the \`password\`, or a
generated one that only this response contains; an existing account keeps its own. \`username\` and the fields for which
PATCH requires a login within the last ten minutes require it here too. A token of the scope \`admin\` needs none.`,
        tags: ['accounts'],
        params: ExternalIdParams,
        body: PutAccountBody,
        response: responses(PutAccountResponse, [ADMINS_ONLY, LOGIN_TOO_OLD, USER_NOT_FOUND, USERNAME_TAKEN], {
          201: PutAccountResponse,
        }),
      },
      preHandler: [app.requireAdmin, requireFreshLoginToGrant],
    },
    async (request, reply) => {
      const externalId = parseExternalId(request.params.external_id)
      const given = parseGivenAccount(request.body)
      const rules = { offered: app.offeredMethods, today: app.clock.today(), signal: abortOnClose(reply) }
      // Read before the change, which may delete the tokens.
      const known = typeof given.disabled_on === 'string' ? await findByExternalId(app.db, externalId) : undefined
      const ending = known === undefined ? undefined : await listServiceTokens(app.db, known)
      const { user, isNew, password } = await putAccount(app.db, actorOf(request), { externalId, given }, rules)
      if (isNew && given.password !== undefined) await warnOfCommonPassword(reply, given.password)
      return reply.status(isNew ? 201 : 200).send({ user, password, ...(ending && { service_tokens: ending }) })
    },
  )

  async function requireFreshLoginToGrant(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
    const body = (request.body ?? {}) as Record<string, unknown>
    const { is_admin, is_author, is_auditor, auditor_until, link_next_login, password, disabled_on, username } = body
    const today = app.clock.today()
    const endsAudit = is_auditor === false || (typeof auditor_until === 'string' && auditor_until < today)
    const extendsAudit = auditor_until !== undefined && !endsAudit
    const grants = [is_admin, is_author, is_auditor, extendsAudit, link_next_login].includes(true)
    const isGiven = (value: unknown) => value !== undefined && value !== null
    // A login through the provider may be linked to an account by its user name.
    const isGrant = grants || isGiven(password) || isGiven(username)
    // Disabling an account from today or an earlier day needs no fresh login. A change to null or to a later day may
    // grant access and needs a fresh login.
    const endsAccess = typeof disabled_on === 'string' && disabled_on <= today
    if (isGrant || (disabled_on !== undefined && !endsAccess)) await app.requireFreshLogin.call(this, request, reply)
  }
}

export default accounts
