import fp from 'fastify-plugin'
import { findSentToken, type SentToken } from '../db/queries/accounts/tokens.js'
import type { AccountWithState } from '../db/queries/accounts/users.js'
import { bearerOf, hashToken } from '../src/domain/accounts/tokens.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request with a Bearer header: the owner of the token, or null when the token is none. */
    tokenUser: AccountWithState | null | undefined
    /** The token itself, when it is one. */
    apiToken: SentToken | undefined
  }
}

/** API tokens: a Bearer header alone decides who is asking, also beside a cookie (see plugins/session.ts). */
export default fp(
  async (app) => {
    app.decorateRequest('tokenUser', undefined)
    app.decorateRequest('apiToken', undefined)
    app.addHook('onRequest', async (request) => {
      const token = bearerOf(request.headers.authorization)
      if (token === undefined) return
      const hash = hashToken(token)
      request.apiToken = hash && (await findSentToken(app.db, hash))
      request.tokenUser = request.apiToken?.user ?? null
    })
  },
  { name: 'tokens', dependencies: ['database'] },
)
