import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findRoles } from '../../db/queries/accounts/roles.js'
import { replaceSession } from '../../plugins/session.js'
import { networkOf } from '../../src/domain/accounts/login-limits.js'
import { NO_PASSKEYS, PASSKEY_REFUSED, PROVIDER_LOGIN_NEEDED } from '../../src/domain/accounts/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { beginPasskeyLogin, logInByPasskey } from '../../src/services/accounts/passkey-login.js'
import { PasskeyLoginBody, RequestOptions } from './passkey-schemas.js'
import { LoggedIn } from './schemas.js'

/** Login with a passkey. In a session of the same user, it confirms the login. */
const passkeyLogin: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/login-options',
    {
      schema: {
        operationId: 'beginPasskeyLogin',
        summary: 'Options for logging in with a passkey in a browser',
        description: 'Valid once, for five minutes; names no user.',
        tags: ['auth'],
        security: [],
        response: responses(RequestOptions, [NO_PASSKEYS]),
      },
    },
    async (request) => beginPasskeyLogin(app.db, app.requireRelyingParty(), networkOf(request.ip)),
  )

  app.post(
    '/login',
    {
      schema: {
        operationId: 'logInByPasskey',
        summary: 'Log in with a passkey and get the session cookie',
        tags: ['auth'],
        security: [],
        body: PasskeyLoginBody,
        response: responses(LoggedIn, [PASSKEY_REFUSED, PROVIDER_LOGIN_NEEDED, NO_PASSKEYS]),
      },
    },
    async (request) => {
      const onRefused = (reason: string, details?: object) =>
        request.log.warn({ reason, ...details }, 'a login by passkey was refused')
      const { credential } = request.body
      const attempt = { credential, address: request.ip, today: app.clock.today(), onRefused }
      const login = await logInByPasskey(app.db, app.requireRelyingParty(), attempt)
      await replaceSession(request, login)
      await request.recordActivity(login.user)
      const roles = await findRoles(app.db, login.user, app.clock.today())
      return { user: login.user, roles, must_change_password: login.user.must_change_password }
    },
  )
}

export default passkeyLogin
