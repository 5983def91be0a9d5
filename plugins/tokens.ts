import fp from 'fastify-plugin'
import { findUserByToken } from '../db/queries/accounts/tokens.js'
import type { Account } from '../db/queries/accounts/users.js'
import { bearerOf, hashToken } from '../src/domain/accounts/tokens.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request with a Bearer header: the owner of the token, or null when the token is none. */
    tokenUser: Account | null | undefined
  }
}

/** API tokens: a Bearer header alone decides who is asking, also beside a cookie (see plugins/session.ts). */
export default fp(
  async (app) => {
    app.decorateRequest('tokenUser', undefined)
    app.addHook('onRequest', async (request) => {
      const token = bearerOf(request.headers.authorization)
      if (token === undefined) return
      const hash = hashToken(token)
      request.tokenUser = (hash && (await findUserByToken(app.db, hash))) ?? null
    })
  },
  { name: 'tokens', dependencies: ['database'] },
)
