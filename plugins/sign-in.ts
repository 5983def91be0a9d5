import fp from 'fastify-plugin'
import { relyingPartyOf } from '../src/domain/accounts/passkeys.js'
import type { OfferedMethods } from '../src/domain/sign-in/login-methods.js'
import type { OidcSettings } from '../src/domain/sign-in/settings.js'
import type { Provider } from '../src/services/sign-in/provider.js'
import { SignInCookies } from './sign-in-cookies.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Login methods that the service offers */
    offeredMethods: OfferedMethods
    /** The OpenID Connect provider; null if none is configured */
    provider: Provider | null
    /** Cookies of started sign-ins */
    signInCookies: SignInCookies
  }
}

export interface SignInPluginOptions {
  oidc: OidcSettings | undefined
  passwordLogin: boolean
  /** Public address of the service, ending with a slash */
  publicUrl: string | undefined
  /** Whether users reach the service over https */
  isSecure: boolean
  basePath: string
  secrets: string[]
}

/** Decorates the app with the sign-in configuration that the routes need. */
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

/** Creates the provider. The dynamic import loads its client libraries only if a provider is configured. */
async function createProvider(oidc: OidcSettings, redirectUri: string): Promise<Provider> {
  const { Provider } = await import('../src/services/sign-in/provider.js')
  return new Provider(oidc, redirectUri)
}
