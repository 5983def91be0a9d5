import type { FastifyPluginAsync } from 'fastify'
import identities from './identities.js'
import link from './link.js'
import logout from './logout.js'
import signIn from './sign-in.js'

const oidc: FastifyPluginAsync<{ basePath: string; today: () => string }> = async (app, { basePath, today }) => {
  await app.register(signIn, { basePath, today })
  await app.register(logout)
  await app.register(link)
  await app.register(identities, { prefix: '/identities' })
}

export default oidc
