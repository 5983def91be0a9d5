import fp from 'fastify-plugin'
import type { OidcSettings, Recheck } from '../src/domain/sign-in/settings.js'
import type { Provider } from '../src/services/sign-in/provider.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Null if no OpenID Connect provider is configured */
    provider: Provider | null
    /** Undefined if `OIDC_RECHECK_DAYS` is off */
    recheck: Recheck | undefined
    /** Returns whether an account must log in through the provider first. Nothing is required while it does not respond. */
    mustReturnToProvider(isUnconfirmed: boolean): Promise<boolean>
  }
  interface FastifyRequest {
    /** Whether the user of the session or of the API token has no access before a login through the provider */
    needsProviderLogin: boolean
  }
}

export default fp(
  async (app) => {
    const { oidc, publicUrl } = app.config
    const redirectUri = publicUrl && new URL('api/auth/oidc/callback', publicUrl).href
    app.decorate('provider', oidc && redirectUri ? await createProvider(oidc, redirectUri) : null)
    app.decorate('recheck', oidc?.recheck)
    app.decorate(
      'mustReturnToProvider',
      async (isUnconfirmed) => isUnconfirmed && (await app.provider?.isReachable()) === true,
    )
    app.decorateRequest('needsProviderLogin', false)
  },
  { name: 'provider', dependencies: ['service'] },
)

/** Creates the provider. Imports its client libraries dynamically, because they are needed only with a provider. */
async function createProvider(oidc: OidcSettings, redirectUri: string): Promise<Provider> {
  const { Provider } = await import('../src/services/sign-in/provider.js')
  return new Provider(oidc, redirectUri)
}
