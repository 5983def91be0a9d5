import type { FastifyPluginAsync } from 'fastify'
import identities from './identities.js'
import logout from './logout.js'
import signIn from './sign-in.js'

/** Signing in by a provider of OpenID Connect. */
const oidc: FastifyPluginAsync<{ basePath: string }> = async (app, { basePath }) => {
  await app.register(signIn, { basePath })
  await app.register(logout)
  await app.register(identities, { prefix: '/identities' })
}

export default oidc
