import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { insertAuditEntry } from '../../db/queries/accounts/audit.js'
import { deleteToken, insertToken, listTokens } from '../../db/queries/accounts/tokens.js'
import { actorOf } from '../../plugins/auth.js'
import { checkText } from '../../src/domain/accounts/accounts.js'
import { createToken, hashToken } from '../../src/domain/accounts/tokens.js'
import { NotLoggedIn } from '../../src/domain/refusals.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { answers, Done } from '../../src/http/schemas.js'
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
      const { user } = request
      const created = await app.db.transaction().execute(async (transaction) => {
        const token_hash = hashToken(token) as Buffer
        const lifetimeDays = request.body.expires_in_days ?? null
        const row = await insertToken(transaction, { user_id: user.id, name, token_hash, lifetimeDays })
        if (row === undefined) throw new NotLoggedIn()
        if (user.is_admin) {
          const deed = { action: 'token.create', target_id: row.id, target: name } as const
          await insertAuditEntry(transaction, actorOf(request), deed)
        }
        return row
      })
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
      const id = parseRowId(request.params.id, 'Ungültige Token-ID')
      if (id === undefined) return { ok: true as const }
      await app.db.transaction().execute(async (transaction) => {
        const deleted = await deleteToken(transaction, request.user.id, id)
        if (!deleted || !request.user.is_admin) return
        await insertAuditEntry(transaction, actorOf(request), { action: 'token.delete', target_id: id })
      })
      return { ok: true as const }
    },
  )
}

export default tokens
