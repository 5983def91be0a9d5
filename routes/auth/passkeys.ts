import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listPasskeys } from '../../db/queries/accounts/passkeys.js'
import { actorOf } from '../../plugins/auth.js'
import { checkText } from '../../src/domain/accounts/accounts.js'
import { networkOf } from '../../src/domain/accounts/login-limits.js'
import {
  LAST_PASSKEY,
  LOGIN_TOO_OLD,
  NO_PASSKEYS,
  NOT_LOGGED_IN,
  PASSKEY_INVALID,
  PASSKEY_KNOWN,
  TOO_MANY_PASSKEYS,
} from '../../src/domain/accounts/refusals.js'
import { LAST_LOGIN_METHOD } from '../../src/domain/sign-in/refusals.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { Done, responses } from '../../src/http/schemas.js'
import { beginRegistration, finishRegistration, removePasskey } from '../../src/services/accounts/passkeys.js'
import { CreationOptions, PasskeyList, PasskeyParams, PasskeyResponse, RegisterBody } from './passkey-schemas.js'

const passkeys: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('preHandler', app.requireUser)
  const registering = [app.requireFreshLogin, requireParty]

  app.get(
    '/',
    {
      schema: {
        operationId: 'listPasskeys',
        summary: "The caller's passkeys",
        tags: ['auth'],
        response: responses(PasskeyList),
      },
    },
    async (request) => ({ passkeys: await listPasskeys(app.db, request.user.id) }),
  )

  app.post(
    '/options',
    {
      schema: {
        operationId: 'beginPasskey',
        summary: 'Options for creating a passkey in a browser',
        description: 'Valid once, for five minutes.',
        tags: ['auth'],
        response: responses(CreationOptions, [LOGIN_TOO_OLD, NO_PASSKEYS]),
      },
      preHandler: registering,
    },
    async (request) => beginRegistration(app.db, app.requireRelyingParty(), request.user, networkOf(request.ip)),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createPasskey',
        summary: 'Register a passkey that a browser has created',
        tags: ['auth'],
        body: RegisterBody,
        response: responses(PasskeyResponse, [
          PASSKEY_INVALID,
          LOGIN_TOO_OLD,
          NO_PASSKEYS,
          PASSKEY_KNOWN,
          TOO_MANY_PASSKEYS,
        ]),
      },
      preHandler: registering,
    },
    async (request) => {
      const name = request.body.name.trim()
      checkText('name', name)
      const sessionId = request.session.stored?.rowId
      if (sessionId === undefined) throw NOT_LOGGED_IN
      const onRefused = (reason: string) => request.log.warn({ reason }, 'a passkey was refused at its registration')
      const owner = { party: app.requireRelyingParty(), user: request.user, onRefused }
      const { credential } = request.body
      return finishRegistration(app.db, actorOf(request), owner, { name, credential, sessionId })
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deletePasskey',
        summary: 'Delete a passkey of the caller',
        tags: ['auth'],
        params: PasskeyParams,
        response: responses(Done, [LAST_PASSKEY, LAST_LOGIN_METHOD]),
      },
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige Passkey-ID')
      if (id !== undefined) await removePasskey(app.db, actorOf(request), request.user, id, app.offeredMethods)
      return { ok: true as const }
    },
  )

  async function requireParty(): Promise<void> {
    app.requireRelyingParty()
  }
}

export default passkeys
