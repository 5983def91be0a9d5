import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Actor } from '../db/queries/accounts/audit.js'
import type { Account } from '../db/queries/accounts/users.js'
import { mayUse } from '../src/domain/accounts/scopes.js'
import { ADMINS_ONLY, NOT_LOGGED_IN, SESSIONS_ONLY, TOKEN_NOT_ALLOWED } from '../src/domain/refusals.js'
import { renewInSecondHalf } from './session.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Somebody is logged in, and a token has the scope of the route. */
    requireUser: preHandlerAsyncHookHandler
    requireAdmin: preHandlerAsyncHookHandler
    /** For what a token must not do: it could outlive or replace itself. */
    requireSession: preHandlerAsyncHookHandler
  }
  interface FastifyRequest {
    /** Who is asking; reading it answers 401 when nobody is logged in. */
    readonly user: Account
  }
}

/** Decorators for the scopes: `addHook('preHandler', app.requireUser)` protects every route inside. */
export default fp(
  async (app) => {
    app.decorateRequest('user', {
      getter() {
        const user = this.tokenUser === undefined ? this.session?.stored?.user : this.tokenUser
        if (user === undefined || user === null) throw NOT_LOGGED_IN
        return user
      },
    })
    app.decorate('requireUser', async (request) => {
      request.user satisfies Account
      const { apiToken, method, routeOptions, url } = request
      // What matches no endpoint has no pattern.
      if (apiToken !== undefined && !mayUse(apiToken.scopes, method, routeOptions.url ?? url.split('?', 1)[0] ?? '')) {
        throw TOKEN_NOT_ALLOWED
      }
      await renewInSecondHalf(request.session)
    })
    app.decorate('requireAdmin', async (request) => {
      if (!request.user.is_admin) throw ADMINS_ONLY
    })
    app.decorate('requireSession', async (request) => {
      if (request.tokenUser !== undefined) throw SESSIONS_ONLY
    })
  },
  { name: 'auth', dependencies: ['session', 'tokens'] },
)

/** Who is asking, for the audit trail. */
export function actorOf({ user, tokenUser, ip }: FastifyRequest): Actor {
  return { actor_id: user.id, actor: user.username, via: tokenUser === undefined ? 'session' : 'token', address: ip }
}
