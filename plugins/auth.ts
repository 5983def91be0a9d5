import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Actor } from '../db/queries/accounts/audit.js'
import { type AccountWithState, recordActivity } from '../db/queries/accounts/users.js'
import {
  ADMINS_ONLY,
  LOGIN_TOO_OLD,
  NOT_LOGGED_IN,
  PASSWORD_CHANGE_FIRST,
  PROVIDER_LOGIN_NEEDED,
  SESSIONS_ONLY,
  TOKEN_NOT_ALLOWED,
} from '../src/domain/accounts/refusals.js'
import { meetsNeed, needOf } from '../src/domain/accounts/scopes.js'
import type { Refusal } from '../src/domain/refusal.js'
import { findAppLanguage } from '../src/domain/text/language.js'
import { readerOf } from './languages.js'
import { extendSession } from './session.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Requires a logged-in user; an API token must also have the scope of the route. Extends the session and records
     * the activity of the user.
     */
    requireUser: preHandlerAsyncHookHandler
    requireAdmin: preHandlerAsyncHookHandler
    /**
     * Requires a login or confirmation from the last ten minutes and no pending password change. A request with an API
     * token needs none, because the scopes of the token limit what the request may do.
     */
    requireFreshLogin: preHandlerAsyncHookHandler
    /** Sets the error response for requests that match no endpoint of the scope. */
    setFallback(refusal: Refusal, headers?: Record<string, string>): void
  }
  interface FastifyRequest {
    /**
     * The authenticated user. Reading it throws NOT_LOGGED_IN if there is none, PROVIDER_LOGIN_NEEDED if the provider
     * must confirm the user first.
     */
    readonly user: AccountWithState
    /** Records the day and the language of the app, if one of them has changed. A failure is logged and not thrown. */
    recordActivity(user: AccountWithState): Promise<void>
  }
  interface FastifyContextConfig {
    /** Whether a user with a pending password change may use the route */
    isOpenBeforePasswordChange?: boolean
  }
}

/** Adds hooks for route scopes: `addHook('preHandler', app.requireUser)` protects every route of a scope. */
export default fp(
  async (app) => {
    app.decorateRequest('user', {
      getter() {
        const user = this.tokenUser === undefined ? this.session?.stored?.user : this.tokenUser
        if (user === undefined || user === null) throw NOT_LOGGED_IN
        if (this.needsProviderLogin) throw PROVIDER_LOGIN_NEEDED
        return user
      },
    })
    app.decorate('requireUser', async (request) => {
      requireScope(request)
      await extendSession(request.session)
      await request.recordActivity(request.user)
    })
    app.decorate('requireAdmin', async (request) => {
      if (!request.user.is_admin) throw ADMINS_ONLY
    })
    app.decorateRequest('recordActivity', async function (user) {
      const day = app.clock.today()
      const { last_seen_on, language: setting, language_used } = user
      // Scripts send no language, or that of their author.
      const found = this.tokenUser === undefined ? findAppLanguage(readerOf(this, setting)) : undefined
      const language = found ?? language_used
      if (last_seen_on !== null && last_seen_on >= day && language === language_used) return
      try {
        await recordActivity(app.db, user.id, { day, language })
      } catch (err) {
        this.log.warn({ err }, 'could not note that the user was here')
      }
    })

    app.decorate('requireFreshLogin', async (request) => {
      // Runs first, so that a user with a pending password change is not asked to confirm the login in vain.
      await requireOwnPassword(request)
      if (request.tokenUser === undefined && request.session.stored?.isFresh !== true) throw LOGIN_TOO_OLD
    })
    app.decorate('setFallback', function (this: FastifyInstance, refusal, headers = {}) {
      this.setNotFoundHandler({ preHandler: requireOwnPassword }, (_request: FastifyRequest, reply: FastifyReply) => {
        reply.headers(headers)
        throw refusal
      })
    })
  },
  { name: 'auth', dependencies: ['service', 'session', 'tokens'] },
)

/**
 * Requires a logged-in user. An API token must also have the scope of the route.
 * @throws NOT_LOGGED_IN if there is no user (thrown by the getter `request.user`)
 * @throws SESSIONS_ONLY if no token may use the route
 * @throws TOKEN_NOT_ALLOWED if the token lacks the scope of the route
 */
export function requireScope(request: FastifyRequest): void {
  const { apiToken, method, routeOptions, url, user } = request
  if (user === undefined || apiToken === undefined) return
  // A request that matches no endpoint has no route pattern, so its path is checked instead.
  const need = needOf(method, routeOptions.url ?? url.split('?', 1)[0] ?? '')
  if (need === 'none') throw SESSIONS_ONLY
  if (!meetsNeed(apiToken.scopes, need)) throw TOKEN_NOT_ALLOWED
}

/**
 * Checks that the user has no pending password change. Does nothing outside `/api`, where `user` is undefined.
 * @throws PASSWORD_CHANGE_FIRST if the user must change the password and the route is not open before the change
 * @throws NOT_LOGGED_IN if the request is below `/api` and has no user
 */
export async function requireOwnPassword({ user, routeOptions }: FastifyRequest): Promise<void> {
  if (user?.must_change_password && routeOptions.config.isOpenBeforePasswordChange !== true) throw PASSWORD_CHANGE_FIRST
}

export function actorOf({ user, tokenUser, ip }: FastifyRequest): Actor {
  return { actor_id: user.id, actor: user.username, via: tokenUser === undefined ? 'session' : 'token', address: ip }
}
