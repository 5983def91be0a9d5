import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findSignIn } from '../../db/queries/accounts/login-methods.js'
import { findRoles } from '../../db/queries/accounts/roles.js'
import { actorOf } from '../../plugins/auth.js'
import { endSession, hashSessionId, replaceSession, startSession } from '../../plugins/session.js'
import { checkPasswordLength } from '../../src/domain/accounts/passwords.js'
import {
  NOT_LOGGED_IN,
  PASSWORD_LOGIN_OFF,
  PROVIDER_LOGIN_NEEDED,
  WRONG_LOGIN,
} from '../../src/domain/accounts/refusals.js'
import { logoUrl, NO_LOGO } from '../../src/domain/company/logo.js'
import { requireFields } from '../../src/domain/text/parameters.js'
import { warnOfCommonPassword } from '../../src/http/password-warning.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { Done, responses, sentAs } from '../../src/http/schemas.js'
import { changeOwnPassword } from '../../src/services/accounts/change-password.js'
import { confirmByPassword } from '../../src/services/accounts/confirm.js'
import { logIn } from '../../src/services/accounts/log-in.js'
import oidcRoutes from './oidc/index.js'
import passkeyLogin from './passkey-login.js'
import passkeyRoutes from './passkeys.js'
import { ConfirmLoginBody, LoggedIn, LoginBody, LogoFile, Me, MethodsResponse, PasswordBody } from './schemas.js'
import tokenRoutes from './tokens.js'

const MISSING_LOGIN = 'Benutzername und Passwort erforderlich'
const MISSING_PASSWORD = 'Passwort erforderlich'
const MISSING_PASSWORDS = 'Aktuelles und neues Passwort erforderlich'

const auth: FastifyPluginAsyncTypebox = async (app) => {
  app.setNotFoundHandler(() => {
    throw unknownEndpoint('Unbekannter Auth-Endpunkt')
  })

  app.get(
    '/methods',
    {
      schema: {
        operationId: 'listLoginMethods',
        summary: 'Available login methods',
        tags: ['auth'],
        security: [],
        response: responses(MethodsResponse),
      },
    },
    async () => ({
      password: app.offeredMethods.password,
      passkeys: app.offeredMethods.passkeys,
      oidc: app.provider && { label: app.provider.settings.label },
      company: { name: app.config.companyName ?? null, logo: logoUrl(app.config.companyLogo) },
    }),
  )

  app.get(
    '/logo',
    {
      schema: {
        operationId: 'getLogo',
        summary: 'The logo of the company',
        tags: ['auth'],
        security: [],
        produces: ['image/png', 'image/jpeg'],
        response: responses(sentAs<Buffer>(LogoFile), [NO_LOGO]),
      },
    },
    async (_request, reply) => {
      const { companyLogo } = app.config
      if (companyLogo === undefined) throw NO_LOGO
      reply.type(companyLogo.mediaType).header('cache-control', 'public, max-age=31536000, immutable')
      return companyLogo.bytes
    },
  )

  app.post(
    '/login',
    {
      schema: {
        operationId: 'login',
        summary: 'Log in and get the session cookie',
        tags: ['auth'],
        security: [],
        body: LoginBody,
        response: responses(LoggedIn, [WRONG_LOGIN, PASSWORD_LOGIN_OFF, PROVIDER_LOGIN_NEEDED]),
      },
      config: { invalidBody: MISSING_LOGIN },
    },
    async (request) => {
      const username = request.body.username.trim()
      const { password } = request.body
      requireFields({ username, password }, MISSING_LOGIN)
      const login = await logIn(
        app.db,
        { username, password, address: request.ip },
        { passwordLogin: app.offeredMethods.password, today: app.clock.today() },
      )
      await startSession(request, login)
      await request.recordActivity(login.user)
      const roles = await findRoles(app.db, login.user, app.clock.today())
      return { user: login.user, roles, must_change_password: login.user.must_change_password }
    },
  )

  app.post(
    '/logout',
    {
      schema: {
        operationId: 'logout',
        summary: 'End the session, if there is one',
        tags: ['auth'],
        security: [],
        response: responses(Done),
      },
    },
    async (request, reply) => {
      await endSession(request, reply)
      return { ok: true as const }
    },
  )

  app.get(
    '/me',
    {
      schema: {
        operationId: 'getMe',
        summary: 'The logged-in user',
        tags: ['auth'],
        response: responses(Me),
      },
      preHandler: app.requireUser,
      config: { isOpenBeforePasswordChange: true },
    },
    async ({ user, session }) => {
      const found = await findSignIn(app.db, user.id, app.offeredMethods.oidc)
      if (found === undefined) throw NOT_LOGGED_IN
      const { is_lead, is_responsible, has_tasks, ...ways } = found
      const { authenticatedAt = null, isFresh = false } = session?.stored ?? {}
      const sign_in = { ...ways, authenticated_at: authenticatedAt, is_fresh: isFresh }
      const oversight = { is_lead, is_responsible, has_tasks }
      const roles = await findRoles(app.db, { ...user, oversight }, app.clock.today())
      return { user, roles, must_change_password: user.must_change_password, sign_in }
    },
  )

  app.post(
    '/password',
    {
      schema: {
        operationId: 'changePassword',
        summary: "Change the caller's password; ends all other sessions and renews the id of this one",
        tags: ['auth'],
        body: PasswordBody,
        response: responses(Done),
      },
      preHandler: app.requireUser,
      config: { invalidBody: MISSING_PASSWORDS, isOpenBeforePasswordChange: true },
    },
    async (request, reply) => {
      const { current_password, new_password } = request.body
      requireFields({ current_password, new_password }, MISSING_PASSWORDS)
      checkPasswordLength(new_password, 'new_password')
      const login = await changeOwnPassword(app.db, actorOf(request), request.user, {
        current: current_password,
        next: new_password,
        address: request.ip,
        sessionIdHash: hashSessionId(request.session.sessionId),
      })
      await startSession(request, login)
      await warnOfCommonPassword(reply, new_password)
      return { ok: true as const }
    },
  )

  app.post(
    '/confirm',
    {
      schema: {
        operationId: 'confirmByPassword',
        summary: 'Confirm the login with the password',
        description: `Required before operations that otherwise get 403 with \`WWW-Authenticate: Session
error="insufficient_user_authentication"\`: creating tokens, registering passkeys, linking, granting administrator
rights. A new session replaces the current one and counts as recent for ten minutes.`,
        tags: ['auth'],
        body: ConfirmLoginBody,
        response: responses(Done, [PASSWORD_LOGIN_OFF]),
      },
      preHandler: app.requireUser,
      config: { invalidBody: MISSING_PASSWORD },
    },
    async (request) => {
      const { password } = request.body
      requireFields({ password }, MISSING_PASSWORD)
      const login = await confirmByPassword(
        app.db,
        request.user,
        { password, address: request.ip },
        { passwordLogin: app.offeredMethods.password },
      )
      await replaceSession(request, login)
      return { ok: true as const }
    },
  )

  await app.register(tokenRoutes, { prefix: '/tokens' })
  await app.register(passkeyRoutes, { prefix: '/passkeys' })
  await app.register(passkeyLogin, { prefix: '/passkeys' })
  await app.register(oidcRoutes, { prefix: '/oidc' })
}

export default auth
