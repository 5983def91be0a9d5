import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** Asked every few seconds by proxies and orchestrators: their lines would bury the others. */
const PROBES = new Set(['/healthz', '/readyz'])

/** One line for each request, when it is over; `x-request-id` lets who asked name that line. */
export default fp(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id)
    })
    app.addHook('onResponse', async (request, reply) => {
      const isProbe = PROBES.has(request.routeOptions.url ?? '') && reply.statusCode === 200
      request.log[isProbe ? 'debug' : 'info'](describe(request, reply), 'request')
    })
  },
  { name: 'request-log' },
)

function describe(request: FastifyRequest, reply: FastifyReply) {
  // A session that has just begun has no user yet, but its id.
  const userId = request.tokenUser?.id ?? request.session?.userId
  return {
    method: request.method,
    url: request.url,
    route: request.routeOptions.url,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    address: request.ip,
    ...(userId !== undefined && { userId, via: request.tokenUser ? 'token' : 'session' }),
    // The caller went away before it had the whole answer.
    ...(!reply.raw.writableFinished && { aborted: true }),
  }
}
