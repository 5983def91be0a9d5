import fp from 'fastify-plugin'
import { relyingPartyOf } from '../src/domain/accounts/passkeys.js'
import type { OidcSettings } from '../src/domain/sign-in/settings.js'
import type { OfferedWays } from '../src/domain/sign-in/ways-in.js'
import type { Provider } from '../src/services/sign-in/provider.js'
import { SignInCookies } from './sign-in-cookies.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The ways in that the service offers. */
    offeredWays: OfferedWays
    /** The provider of OpenID Connect; null when there is none. */
    provider: Provider | null
    /** What begun sign-ins by the provider remember. */
    signInCookies: SignInCookies
  }
}

export interface SignInPluginOptions {
  oidc: OidcSettings | undefined
  passwordLogin: boolean
  /** Where people open the service, with a slash at the end. */
  publicUrl: string | undefined
  /** People come by https. */
  isSecure: boolean
  basePath: string
  secrets: string[]
}

/** What the routes of the sign-in need of the configuration. */
export default fp<SignInPluginOptions>(
  async (app, { oidc, passwordLogin, publicUrl, isSecure, basePath, secrets }) => {
    const redirectUri = publicUrl && new URL('api/auth/oidc/callback', publicUrl).href
    app.decorate('provider', oidc && redirectUri ? await createProvider(oidc, redirectUri) : null)
    app.decorate('offeredWays', {
      password: passwordLogin,
      passkeys: relyingPartyOf(publicUrl) !== undefined,
      oidc: oidc?.issuer,
    })
    app.decorate('signInCookies', new SignInCookies(secrets, { isSecure, basePath }))
  },
  { name: 'sign-in', dependencies: ['session'] },
)

/** Only with a provider are the libraries loaded that talk to it. */
async function createProvider(oidc: OidcSettings, redirectUri: string): Promise<Provider> {
  const { Provider } = await import('../src/services/sign-in/provider.js')
  return new Provider(oidc, redirectUri)
}
