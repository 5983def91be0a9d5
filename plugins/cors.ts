import fp from 'fastify-plugin'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** What a page may read beside the headers that it always may. */
const EXPOSED_HEADERS = 'Content-Disposition, Retry-After, X-Password-Warning'
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
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export default fp<CorsOptions>(
  async (app, { allowedOrigins }) => {
    if (allowedOrigins.length === 0) return
    const allowed = new Set(allowedOrigins)
    app.addHook('onRequest', async (request, reply) => {
      const { origin, 'access-control-request-headers': requestedHeaders } = request.headers
      reply.header('vary', 'Origin')
      if (origin === undefined || !allowed.has(origin)) return
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': EXPOSED_HEADERS,
      })
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return
      if (requestedHeaders !== undefined) reply.header('access-control-allow-headers', requestedHeaders)
      return reply
        .code(204)
        .headers({
          vary: 'Origin, Access-Control-Request-Headers',
          'access-control-allow-methods': METHODS,
          'access-control-max-age': MAX_AGE_SECONDS,
        })
        .send()
    })
  },
  { name: 'cors' },
)
