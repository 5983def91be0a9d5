import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { hideSecrets } from '../src/http/hide-secrets.js'
import { type End, whenOver } from '../src/http/when-over.js'

/** Asked every few seconds by proxies and orchestrators: their lines would bury the others. */
const PROBES = new Set(['/healthz', '/readyz'])

/** One line for each request, when it is over; `x-request-id` lets who asked name that line. */
export default fp(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => logWhenOver(request, reply))
  },
  { name: 'request-log' },
)

/** Also for Fastify's `frameworkErrors`, which no hook sees. */
export function logWhenOver(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  whenOver(reply, (end) => {
    const isProbe = PROBES.has(request.routeOptions.url ?? '') && end.status === 200
    request.log[isProbe ? 'debug' : 'info'](describe(request, end), 'request')
  })
}

function describe(request: FastifyRequest, { status, milliseconds, abortedBy }: End) {
  // A session that has just begun has no user yet, but its id.
  const userId = request.tokenUser?.id ?? request.session?.userId
  return {
    method: request.method,
    url: hideSecrets(request.url),
    route: request.routeOptions.url,
    status,
    durationMs: Math.round(milliseconds * 10) / 10,
    address: request.ip,
    ...(userId !== undefined && { userId, via: request.tokenUser ? 'token' : 'session' }),
    ...(abortedBy !== undefined && { aborted: true, abortedBy }),
  }
}
