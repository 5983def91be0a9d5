import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listAccesses } from '../../db/queries/accounts/audit.js'
import { findSignIn } from '../../db/queries/accounts/login-methods.js'
import { findOwnData } from '../../db/queries/accounts/own-data.js'
import { deleteSessions, listSessions } from '../../db/queries/accounts/sessions.js'
import { updateUser } from '../../db/queries/accounts/users.js'
import { actorOf } from '../../plugins/auth.js'
import { endSession } from '../../plugins/session.js'
import { parseAccountChange } from '../../src/domain/accounts/accounts.js'
import {
  EMERGENCY_BY_PASSWORD,
  NOT_LOGGED_IN,
  PASSKEY_NEEDED,
  SESSIONS_ONLY,
} from '../../src/domain/accounts/refusals.js'
import { cutPage } from '../../src/domain/page.js'
import { NAME_OF_PROVIDER } from '../../src/domain/sign-in/refusals.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { limitToOnePerUser } from '../../src/http/limit-to-one-per-user.js'
import { Done, responses, sentAs } from '../../src/http/schemas.js'
import { choosePasskeyOnly } from '../../src/services/accounts/passkeys.js'
import { listShownVersions } from '../../src/services/tests/results.js'
import { OwnDataResponse } from './own-data-schemas.js'
import {
  AccessesQuery,
  AccessList,
  ChangeOwnAccountBody,
  OwnAccountResponse,
  SessionList,
  SessionParams,
} from './schemas.js'

const MAX_SESSION_ID = Number.MAX_SAFE_INTEGER

const ownAccount: FastifyPluginAsyncTypebox = async (app) => {
  const serveAlone = limitToOnePerUser()

  app.get(
    '/',
    {
      schema: {
        operationId: 'getOwnAccount',
        summary: "The caller's account with its settings",
        tags: ['accounts'],
        response: responses(OwnAccountResponse),
      },
    },
    async ({ user }) => ({ user, language: user.language }),
  )

  app.patch(
    '/',
    {
      schema: {
        operationId: 'changeOwnAccount',
        summary: "Change the caller's display name or language, or disable the caller's password",
        tags: ['accounts'],
        body: ChangeOwnAccountBody,
        description: 'The provider sets the name of an account with single sign-on.',
        response: responses(OwnAccountResponse, [
          SESSIONS_ONLY,
          NAME_OF_PROVIDER,
          PASSKEY_NEEDED,
          EMERGENCY_BY_PASSWORD,
        ]),
      },
    },
    async (request) => {
      const { passkey_only, language } = request.body
      const { display_name } = parseAccountChange({ display_name: request.body.display_name })
      const { oidc } = app.offeredMethods
      if (display_name !== undefined && oidc !== undefined) {
        const ways = await findSignIn(app.db, request.user.id, oidc)
        if (ways !== undefined && ways.identities > 0) throw NAME_OF_PROVIDER
      }
      if (passkey_only !== undefined) {
        if (request.tokenUser !== undefined) throw SESSIONS_ONLY
        if (passkey_only && !app.offeredMethods.passkeys) throw PASSKEY_NEEDED
        await choosePasskeyOnly(app.db, actorOf(request), request.user, passkey_only, app.offeredMethods)
      }
      const user = await updateUser(app.db, request.user.id, { display_name, language })
      if (user === undefined) throw NOT_LOGGED_IN
      return { user, language: language === undefined ? request.user.language : language }
    },
  )

  app.get(
    '/sessions',
    {
      schema: {
        operationId: 'listOwnSessions',
        summary: "The caller's sessions, newest first",
        tags: ['accounts'],
        response: responses(SessionList),
      },
    },
    async (request) => {
      const sessions = await listSessions(app.db, request.user.id)
      return {
        sessions: sessions.map((session) => ({ ...session, current: session.id === request.session.stored?.rowId })),
      }
    },
  )

  app.delete(
    '/sessions',
    {
      schema: {
        operationId: 'deleteOwnSessions',
        summary: 'End all sessions of the caller, including this one',
        tags: ['accounts'],
        response: responses(Done),
      },
    },
    async (request, reply) => {
      await deleteSessions(app.db, request.user.id)
      await endSession(request, reply)
      return { ok: true as const }
    },
  )

  app.delete(
    '/sessions/:id',
    {
      schema: {
        operationId: 'deleteOwnSession',
        summary: 'End a session of the caller',
        tags: ['accounts'],
        params: SessionParams,
        response: responses(Done),
      },
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige Sitzungs-ID', MAX_SESSION_ID)
      if (id !== undefined) await deleteSessions(app.db, request.user.id, id)
      return { ok: true as const }
    },
  )

  app.get(
    '/accesses',
    {
      schema: {
        operationId: 'listOwnAccesses',
        summary: "Views of the caller's state in assignments and exports of the caller's proofs, newest first",
        description: `From the audit trail. A view of the state is recorded once a day for each assignment and viewer,
and again if the viewer may see other teams than before. The caller's own views are not listed.`,
        tags: ['accounts'],
        querystring: AccessesQuery,
        response: responses(AccessList),
      },
    },
    async ({ user, query }) => {
      const { limit, after: before = query.before } = query
      const found = await listAccesses(app.db, user.id, { before, limit: limit + 1 })
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { accesses: page, next_after: next, next_before: next }
    },
  )

  app.get(
    '/data',
    {
      schema: {
        operationId: 'getOwnData',
        summary: 'The data that is stored about the caller, without audit entries',
        description: `Right of access (GDPR, article 15). Secrets (password, tokens) are stored as hashes only. The
response is streamed: changes during the transfer may be included or not. A user may have one such response at a time;
a second request gets 429. An error after the first byte closes the connection.`,
        tags: ['accounts'],
        response: responses(sentAs<Readable>(OwnDataResponse)),
      },
    },
    async (request, reply) => {
      const { id } = request.user
      const text = await serveAlone(id, reply, async () => {
        const pieces = await findOwnData(app.db, id, await listShownVersions(app.db, id, app.clock.today()))
        if (pieces === undefined) throw NOT_LOGGED_IN
        return Readable.from(reply.takeTurns(pieces), { objectMode: false })
      })
      // Stops nginx from buffering the whole response for a slow client.
      reply.type('application/json; charset=utf-8').header('x-accel-buffering', 'no')
      return reply.send(text)
    },
  )
}

export default ownAccount
