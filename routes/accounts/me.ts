import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findOwnData } from '../../db/queries/accounts/own-data.js'
import { deleteOwnSession, listSessions } from '../../db/queries/accounts/sessions.js'
import { updateUser } from '../../db/queries/accounts/users.js'
import { parseAccountChange } from '../../src/domain/accounts/accounts.js'
import { NotLoggedIn } from '../../src/domain/refusals.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { answers, Done } from '../../src/http/schemas.js'
import { AccountAnswer, ChangeOwnAccountBody, OwnDataAnswer, SessionList, SessionParams } from './schemas.js'

const MAX_SESSION_ID = Number.MAX_SAFE_INTEGER

/** What everyone may do with the own account. */
const ownAccount: FastifyPluginAsyncTypebox = async (app) => {
  app.patch(
    '/',
    {
      schema: {
        operationId: 'changeOwnAccount',
        summary: 'Change the own display name',
        tags: ['accounts'],
        body: ChangeOwnAccountBody,
        response: answers(AccountAnswer),
      },
    },
    async (request) => {
      const { display_name } = parseAccountChange({ display_name: request.body.display_name })
      const user = await updateUser(app.db, request.user.id, { display_name })
      if (user === undefined) throw new NotLoggedIn()
      return { user }
    },
  )

  app.get(
    '/sessions',
    {
      schema: {
        operationId: 'listOwnSessions',
        summary: 'The own sessions, newest first',
        tags: ['accounts'],
        response: answers(SessionList),
      },
    },
    async (request) => {
      const sessions = await listSessions(app.db, request.user.id)
      return { sessions: sessions.map((session) => ({ ...session, current: session.id === request.session.rowId })) }
    },
  )

  app.delete(
    '/sessions/:id',
    {
      schema: {
        operationId: 'deleteOwnSession',
        summary: 'End an own session',
        tags: ['accounts'],
        params: SessionParams,
        response: answers(Done),
      },
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige Sitzungs-ID', MAX_SESSION_ID)
      if (id !== undefined) await deleteOwnSession(app.db, request.user.id, id)
      return { ok: true as const }
    },
  )

  app.get(
    '/data',
    {
      schema: {
        operationId: 'getOwnData',
        summary: 'Everything that is kept about the caller',
        description: 'The right of access of the GDPR, article 15. Secrets (password, tokens) are kept as hashes only.',
        tags: ['accounts'],
        response: answers(OwnDataAnswer),
      },
    },
    async (request) => {
      const data = await findOwnData(app.db, request.user.id)
      if (data === undefined) throw new NotLoggedIn()
      return data
    },
  )
}

export default ownAccount
