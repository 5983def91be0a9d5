import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Actor } from '../db/queries/accounts/audit.js'
import type { Account } from '../db/queries/accounts/users.js'
import { ADMINS_ONLY, NOT_LOGGED_IN, SESSIONS_ONLY } from '../src/domain/refusals.js'
import { renewInSecondHalf } from './session.js'

declare module 'fastify' {
  interface FastifyInstance {
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
