import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { CROSS_SITE } from '../src/http/refusals.js'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Values of `Sec-Fetch-Site` for requests from our own origin and for addresses that a person typed or bookmarked */
const OWN_SITES = new Set<unknown>(['same-origin', 'none'])

/**
 * Refuses state-changing requests that a browser sends from a page of another origin, even of the same site, unless
 * that origin is allowed. Requests with neither `Origin` nor `Sec-Fetch-Site` pass, because clients other than browsers
 * send neither.
 * https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
 */
export default fp(
  async (app) => {
    const { corsOrigins, publicUrl } = app.config
    const allowed = new Set(corsOrigins)
    const ownOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
    app.addHook('onRequest', async (request) => {
      if (SAFE_METHODS.has(request.method)) return
      const site = request.headers['sec-fetch-site']
      const { origin } = request.headers
      const isScript = origin === undefined && site === undefined
      if (isScript || OWN_SITES.has(site)) return
      if (origin === undefined || (!allowed.has(origin) && origin !== (ownOrigin ?? originOf(request)))) {
        throw CROSS_SITE
      }
    })
  },
  { name: 'cross-site', dependencies: ['service'] },
)

/** Returns the origin from the protocol and host of the request; undefined if the host is malformed. */
function originOf(request: FastifyRequest): string | undefined {
  const url = `${request.protocol}://${request.host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}
