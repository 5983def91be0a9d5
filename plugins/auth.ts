import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Actor } from '../db/queries/accounts/audit.js'
import { type AccountWithState, noteSeen } from '../db/queries/accounts/users.js'
import { mayUse } from '../src/domain/accounts/scopes.js'
import {
  ADMINS_ONLY,
  type HttpError,
  NOT_LOGGED_IN,
  PASSWORD_CHANGE_FIRST,
  PROOF_TOO_OLD,
  SESSIONS_ONLY,
  TOKEN_NOT_ALLOWED,
} from '../src/domain/refusals.js'
import { renewInSecondHalf } from './session.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Somebody is logged in, and a token has the scope of the route. */
    requireUser: preHandlerAsyncHookHandler
    requireAdmin: preHandlerAsyncHookHandler
    /** For what a token must not do: it could outlive or replace itself. */
    requireSession: preHandlerAsyncHookHandler
    /**
     * For what hands out access: the person has proven who it is in the last ten minutes. A token is judged by its
     * scopes alone; behind `requireSession` it does not come here.
     */
    requireFreshLogin: preHandlerAsyncHookHandler
    /** What the group answers when none of its endpoints matches. */
    setFallback(refusal: HttpError, headers?: Record<string, string>): void
  }
  interface FastifyRequest {
    /** Who is asking; reading it answers 401 when nobody is logged in. */
    readonly user: AccountWithState
    /** Notes that the user was here today, if that is not known; never throws. */
    noteSeen(user: AccountWithState): Promise<void>
  }
  interface FastifyContextConfig {
    /** Whether it is open to a user who must choose another password first. */
    isOpenBeforePasswordChange?: boolean
  }
}

export interface AuthPluginOptions {
  /** The calendar day that counts as today, as `YYYY-MM-DD`. */
  today: () => string
}

/** Decorators for the scopes: `addHook('preHandler', app.requireUser)` protects every route inside. */
export default fp<AuthPluginOptions>(
  async (app, { today }) => {
    app.decorateRequest('user', {
      getter() {
        const user = this.tokenUser === undefined ? this.session?.stored?.user : this.tokenUser
        if (user === undefined || user === null) throw NOT_LOGGED_IN
        return user
      },
    })
    app.decorate('requireUser', async (request) => {
      const { apiToken, method, routeOptions, url, user } = request
      // What matches no endpoint has no pattern.
      if (apiToken !== undefined && !mayUse(apiToken.scopes, method, routeOptions.url ?? url.split('?', 1)[0] ?? '')) {
        throw TOKEN_NOT_ALLOWED
      }
      await renewInSecondHalf(request.session)
      await request.noteSeen(user)
    })
    app.decorate('requireAdmin', async (request) => {
      if (!request.user.is_admin) throw ADMINS_ONLY
    })
    app.decorate('requireSession', async (request) => {
      if (request.tokenUser !== undefined) throw SESSIONS_ONLY
    })
    app.decorateRequest('noteSeen', async function (user) {
      const day = today()
      if (user.last_seen_on !== null && user.last_seen_on >= day) return
      try {
        await noteSeen(app.db, user.id, day)
      } catch (err) {
        this.log.warn({ err }, 'could not note that the user was here')
      }
    })

    const requireOwnPassword = async ({ user, routeOptions }: FastifyRequest) => {
      if (user.must_change_password && routeOptions.config.isOpenBeforePasswordChange !== true) {
        throw PASSWORD_CHANGE_FIRST
      }
    }
    app.decorate('requireFreshLogin', async (request) => {
      // Otherwise whoever must change the password first would be asked for it twice.
      await requireOwnPassword(request)
      if (request.tokenUser === undefined && request.session.stored?.isFresh !== true) throw PROOF_TOO_OLD
    })
    app.addHook('onRoute', (route) => {
      if (route.schema?.security?.length === 0) return
      // Behind all that says who may ask, before the last one, which judges the input (plugins/validation.ts).
      route.preHandler = [route.preHandler ?? []].flat().toSpliced(-1, 0, requireOwnPassword)
    })
    app.decorate('setFallback', function (this: FastifyInstance, refusal, headers = {}) {
      this.setNotFoundHandler({ preHandler: requireOwnPassword }, (_request: FastifyRequest, reply: FastifyReply) => {
        reply.headers(headers)
        throw refusal
      })
    })
  },
  { name: 'auth', dependencies: ['session', 'tokens'] },
)

/** Who is asking, for the audit trail. */
export function actorOf({ user, tokenUser, ip }: FastifyRequest): Actor {
  return { actor_id: user.id, actor: user.username, via: tokenUser === undefined ? 'session' : 'token', address: ip }
}
