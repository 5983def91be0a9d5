import type { FastifyPluginAsync } from 'fastify'
import { acceptJsonAs } from '../../plugins/bodies.js'
import loadShedding from '../../plugins/load-shedding.js'
import rateLimit from '../../plugins/rate-limit.js'
import scim, { SCIM_TYPE } from '../../plugins/scim.js'
import { SCIM_METHOD, SCIM_NOT_SUPPORTED, SCIM_UNKNOWN } from '../../src/domain/scim/refusals.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { parseOnlyQuery } from '../../src/http/query.js'
import { FairTurns } from '../../src/services/fair-turns.js'
import discovery from './discovery.js'
import groups from './groups.js'
import users from './users.js'

/** Maximum size of a body; a group of 10,000 members takes 1 MiB */
const BODY_LIMIT = 2 * 2 ** 20

/**
 * Maximum number of requests that run at once in this process. Changes wait for each other in the database, and each that
 * waits holds one of its connections, which other users need.
 */
const CONCURRENT = 2
const WAITING_PER_TOKEN = 200
const RETRY_AFTER_SECONDS = 2

/** Endpoints of RFC 7644 that are left out */
const NOT_SUPPORTED = /^\/scim\/v2\/(Bulk|Me|\.search)\/?$/
/** Paths of the endpoints, for requests with another method */
const KNOWN: [path: RegExp, allow: string][] = [
  [/^\/scim\/v2\/(ServiceProviderConfig|(ResourceTypes|Schemas)(\/[^/]+)?)\/?$/, 'GET'],
  [/^\/scim\/v2\/(Users|Groups)\/?$/, 'GET, POST'],
  [/^\/scim\/v2\/(Users|Groups)\/\.search\/?$/, 'POST'],
  [/^\/scim\/v2\/(Users|Groups)\/[^/]+\/?$/, 'GET, PUT, PATCH, DELETE'],
]

/** SCIM 2.0 (RFC 7643, 7644) for identity providers: accounts and teams. Every response has the form of SCIM. */
const scimRoutes: FastifyPluginAsync<{ maxDelayMs: number }> = async (app, { maxDelayMs }) => {
  // Before the look-up of the token, so that refused requests cost no statement
  await app.register(loadShedding, { maxDelayMs })
  await app.register(rateLimit)
  await app.register(scim)
  acceptJsonAs(app, SCIM_TYPE)
  app.setValidatorCompiler(parseOnlyQuery)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  const turns = new FairTurns({
    concurrent: CONCURRENT,
    waitingOthers: Number.POSITIVE_INFINITY,
    waitingPerOwner: WAITING_PER_TOKEN,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.bodyLimit = BODY_LIMIT
    route.handler = function (request, reply) {
      const share = { group: 'scim', owner: String(request.scimToken?.id) }
      return turns.run(share, async () => handler.call(this, request, reply), abortOnClose(reply))
    }
  })
  app.addHook('preHandler', async (_request, reply) => {
    reply.type(`${SCIM_TYPE}; charset=utf-8`)
  })
  app.setNotFoundHandler(({ url }, reply) => {
    const path = url.split('?', 1)[0] ?? ''
    if (NOT_SUPPORTED.test(path)) throw SCIM_NOT_SUPPORTED
    const [, allow] = KNOWN.find(([pattern]) => pattern.test(path)) ?? []
    if (allow === undefined) throw SCIM_UNKNOWN
    reply.header('allow', allow)
    throw SCIM_METHOD
  })
  await app.register(discovery, { prefix: '/v2' })
  await app.register(users, { prefix: '/v2/Users' })
  await app.register(groups, { prefix: '/v2/Groups' })
}

export default scimRoutes
