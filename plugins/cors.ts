import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** Response headers that a page may read in addition to the CORS-safelisted ones */
const EXPOSED_HEADERS =
  'Content-Disposition, Retry-After, WWW-Authenticate, X-Error-Code, X-Error-Details, X-Error-Field, X-File-Count, X-Password-Warning, X-Sheet-Version'
/** Maximum time for which a browser may cache a preflight response: the upper limit of Chromium */
const MAX_AGE_SECONDS = '7200'

/**
 * Lets pages of the allowed origins use the API with the session cookie. Responds to preflight requests before
 * authentication. `@fastify/cors` does not fit: it adds an OPTIONS route for every path, so OPTIONS requests never
 * reach the not-found handlers of the scopes.
 */
export default fp(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (allowOrigin(app.config.corsOrigins, request, reply)) return reply
    })
  },
  { name: 'cors', dependencies: ['service'] },
)

/**
 * Sets the CORS headers if the origin of the request is allowed. Responds to the request if it is also a preflight request.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 * @returns whether the function has sent the response
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
