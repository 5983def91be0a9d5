import fp from 'fastify-plugin'
import { relyingPartyOf } from '../src/domain/accounts/passkeys.js'
import type { OfferedMethods } from '../src/domain/sign-in/login-methods.js'
import type { OidcSettings } from '../src/domain/sign-in/settings.js'
import type { Provider } from '../src/services/sign-in/provider.js'
import { SignInCookies } from './sign-in-cookies.js'

declare module 'fastify' {
  interface FastifyInstance {
    offeredMethods: OfferedMethods
    /** Null if no OpenID Connect provider is configured */
    provider: Provider | null
    signInCookies: SignInCookies
  }
}

export interface SignInPluginOptions {
  oidc: OidcSettings | undefined
  passwordLogin: boolean
  /** Public address of the service, ending with a slash */
  publicUrl: string | undefined
  isSecure: boolean
  basePath: string
  secrets: string[]
}

export default fp<SignInPluginOptions>(
  async (app, { oidc, passwordLogin, publicUrl, isSecure, basePath, secrets }) => {
    const redirectUri = publicUrl && new URL('api/auth/oidc/callback', publicUrl).href
    app.decorate('provider', oidc && redirectUri ? await createProvider(oidc, redirectUri) : null)
    app.decorate('offeredMethods', {
      password: passwordLogin,
      passkeys: relyingPartyOf(publicUrl) !== undefined,
      oidc: oidc?.issuer,
    })
    app.decorate('signInCookies', new SignInCookies(secrets, { isSecure, basePath }))
  },
  { name: 'sign-in', dependencies: ['session'] },
)

/** Creates the provider. Imports its client libraries dynamically, because they are needed only with a provider. */
async function createProvider(oidc: OidcSettings, redirectUri: string): Promise<Provider> {
  const { Provider } = await import('../src/services/sign-in/provider.js')
  return new Provider(oidc, redirectUri)
}
