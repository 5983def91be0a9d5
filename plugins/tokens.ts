import fp from 'fastify-plugin'
import { findSentToken, type SentToken } from '../db/queries/accounts/tokens.js'
import type { AccountWithState } from '../db/queries/accounts/users.js'
import { isDisabled } from '../src/domain/accounts/deactivation.js'
import { bearerOf, hashToken } from '../src/domain/accounts/tokens.js'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Owner of the Bearer token; null if the token is invalid or its owner is disabled; undefined without a Bearer
     * header
     */
    tokenUser: AccountWithState | null | undefined
    /** The valid API token of the request; undefined if there is none */
    apiToken: SentToken | undefined
  }
}

/** Authenticates API tokens. With a Bearer header, the session cookie is ignored (plugins/session.ts). */
export default fp(
  async (app) => {
    app.decorateRequest('tokenUser', undefined)
    app.decorateRequest('apiToken', undefined)
    app.addHook('onRequest', async (request) => {
      const token = bearerOf(request.headers.authorization)
      if (token === undefined) return
      const hash = hashToken(token)
      const sent = hash && (await findSentToken(app.db, hash, app.recheck))
      request.apiToken = sent && !isDisabled(sent.user, app.clock.today()) ? sent : undefined
      request.tokenUser = request.apiToken?.user ?? null
      request.needsProviderLogin = await app.mustReturnToProvider(request.apiToken?.is_unconfirmed === true)
    })
  },
  { name: 'tokens', dependencies: ['database', 'provider', 'service'] },
)
