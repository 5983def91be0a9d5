import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** What a page may read beside the headers that it always may. */
const EXPOSED_HEADERS = 'Content-Disposition, Retry-After, WWW-Authenticate, X-Password-Warning'
/** How long a browser may remember the answer to a preflight; Chromium's upper limit. */
const MAX_AGE_SECONDS = '7200'

export interface CorsOptions {
  /** Origins of the same site whose pages may use the API. */
  allowedOrigins: string[]
}

/**
 * Lets pages of the listed origins use the API with the cookie. Preflights of such pages are answered before anybody
 * asks for a login. `@fastify/cors` is of no use here: it adds a route for OPTIONS on every path, which takes the
 * requests that are no preflight away from the fallbacks of the groups.
 */
export default fp<CorsOptions>(
  async (app, { allowedOrigins }) => {
    app.addHook('onRequest', async (request, reply) => {
      if (allowOrigin(allowedOrigins, request, reply)) return reply
    })
  },
  { name: 'cors' },
)

/**
 * Sets the headers for the page that asks, and answers it when it is a preflight: then true.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function allowOrigin(
  allowedOrigins: string[],
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (allowedOrigins.length === 0) return false
  const { origin, 'access-control-request-headers': requestedHeaders } = headers
  reply.header('vary', 'Origin')
  if (origin === undefined || !allowedOrigins.includes(origin)) return false
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED_HEADERS,
  })
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
  if (requestedHeaders !== undefined) reply.header('access-control-allow-headers', requestedHeaders)
  reply
    .code(204)
    .headers({
      vary: 'Origin, Access-Control-Request-Headers',
      'access-control-allow-methods': METHODS,
      'access-control-max-age': MAX_AGE_SECONDS,
    })
    .send()
  return true
}
