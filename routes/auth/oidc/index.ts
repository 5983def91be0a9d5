import type { FastifyPluginAsync } from 'fastify'
import identities from './identities.js'
import link from './link.js'
import logout from './logout.js'
import signIn from './sign-in.js'

const oidc: FastifyPluginAsync = async (app) => {
  await app.register(signIn)
  await app.register(logout)
  await app.register(link)
  await app.register(identities, { prefix: '/identities' })
}

export default oidc
