import fp from 'fastify-plugin'
import { type RelyingParty, relyingPartyOf } from '../src/domain/accounts/passkeys.js'
import { NO_PASSKEYS } from '../src/domain/accounts/refusals.js'
import type { OfferedMethods } from '../src/domain/sign-in/login-methods.js'
import { cookieOptionsOf } from './session-cookie.js'
import { SignInCookies } from './sign-in-cookies.js'

declare module 'fastify' {
  interface FastifyInstance {
    offeredMethods: OfferedMethods
    /** Returns the relying party for passkeys. @throws NO_PASSKEYS if the public address does not allow passkeys */
    requireRelyingParty(): RelyingParty
    signInCookies: SignInCookies
  }
}

export interface SignInPluginOptions {
  /** The first secret signs cookies; all secrets verify them. */
  secrets: string[]
}

export default fp<SignInPluginOptions>(
  async (app, { secrets }) => {
    const { oidc, passwordLogin, publicUrl } = app.config
    const relyingParty = relyingPartyOf(publicUrl)
    app.decorate('offeredMethods', {
      password: passwordLogin,
      passkeys: relyingParty !== undefined,
      oidc: oidc?.issuer,
    })
    app.decorate('requireRelyingParty', () => {
      if (relyingParty === undefined) throw NO_PASSKEYS
      return relyingParty
    })
    app.decorate('signInCookies', new SignInCookies(secrets, cookieOptionsOf(app.config)))
  },
  { name: 'sign-in', dependencies: ['provider', 'session'] },
)
