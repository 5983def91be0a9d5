import fp from 'fastify-plugin'
import { type RelyingParty, relyingPartyOf } from '../src/domain/accounts/passkeys.js'
import { NO_PASSKEYS } from '../src/domain/accounts/refusals.js'
import type { OfferedMethods } from '../src/domain/sign-in/login-methods.js'
import type { OidcSettings } from '../src/domain/sign-in/settings.js'
import type { Provider } from '../src/services/sign-in/provider.js'
import { cookieOptionsOf } from './session-cookie.js'
import { SignInCookies } from './sign-in-cookies.js'

declare module 'fastify' {
  interface FastifyInstance {
    offeredMethods: OfferedMethods
    /** Null if no OpenID Connect provider is configured */
    provider: Provider | null
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
    const redirectUri = publicUrl && new URL('api/auth/oidc/callback', publicUrl).href
    app.decorate('provider', oidc && redirectUri ? await createProvider(oidc, redirectUri) : null)
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
  { name: 'sign-in', dependencies: ['session'] },
)

/** Creates the provider. Imports its client libraries dynamically, because they are needed only with a provider. */
async function createProvider(oidc: OidcSettings, redirectUri: string): Promise<Provider> {
  const { Provider } = await import('../src/services/sign-in/provider.js')
  return new Provider(oidc, redirectUri)
}
