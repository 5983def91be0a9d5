import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { CROSS_SITE } from '../src/http/refusals.js'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Values of `Sec-Fetch-Site` for requests from our own origin and for addresses that a person typed or bookmarked */
const OWN_SITES = new Set<unknown>(['same-origin', 'none'])

export interface CrossSiteOptions {
  /** Origins of the same site whose pages may use the API */
  allowedOrigins: string[]
  /** Our own origin; undefined if no public URL is configured: the origin is then derived from the request. */
  ownOrigin: string | undefined
}

/**
 * Refuses state-changing requests that a browser sends from a page of another origin, even of the same site, unless
 * that origin is allowed. Requests with neither `Origin` nor `Sec-Fetch-Site` pass, because scripts send neither.
 * https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
 */
export default fp<CrossSiteOptions>(
  async (app, { allowedOrigins, ownOrigin }) => {
    const allowed = new Set(allowedOrigins)
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
  { name: 'cross-site' },
)

/** Returns our origin according to the Host header or a trusted proxy; undefined if this address is malformed. */
function originOf(request: FastifyRequest): string | undefined {
  const url = `${request.protocol}://${request.host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}
