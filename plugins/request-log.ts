import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { loggedPath } from '../src/http/logged-path.js'
import { onResponseEnd, type ResponseEnd } from '../src/http/on-response-end.js'

/** Paths of health checks. Successful checks are logged at debug level, because they arrive every few seconds. */
const PROBES = new Set(['/healthz', '/readyz'])

/** Logs one line per request when it ends, with the id that the response returns as `x-request-id`. */
export default fp(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => logAtResponseEnd(request, reply))
  },
  { name: 'request-log' },
)

/**
 * Logs the request when it ends and sets `x-request-id`. Also called for Fastify's `frameworkErrors`, which run no
 * hooks.
 */
export function logAtResponseEnd(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  onResponseEnd(reply, (end) => {
    const isProbe = PROBES.has(request.routeOptions.url ?? '') && end.status === 200
    request.log[isProbe ? 'debug' : 'info'](describe(request, end), 'request')
  })
}

function describe(request: FastifyRequest, { status, milliseconds, abortedBy }: ResponseEnd) {
  // Uses `session.userId`, because a session that this request has created has no loaded user.
  const userId = request.tokenUser?.id ?? request.session?.userId
  return {
    method: request.method,
    path: loggedPath(request.url),
    route: request.routeOptions.url,
    status,
    durationMs: Math.round(milliseconds * 10) / 10,
    address: request.ip,
    ...(userId !== undefined && { userId, via: request.tokenUser ? 'token' : 'session' }),
    ...(abortedBy !== undefined && { aborted: true, abortedBy }),
  }
}
