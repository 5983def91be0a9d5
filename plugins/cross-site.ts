import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { CROSS_SITE } from '../src/domain/refusals.js'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** What `Sec-Fetch-Site` says of our own pages, and of what a person typed or bookmarked. */
const OWN_SITES = new Set<unknown>(['same-origin', 'none'])

export interface CrossSiteOptions {
  /** Those whose pages may use the API besides the one that the request itself names. */
  allowedOrigins: string[]
}

/**
 * Refuses state-changing requests that a browser sends for another origin's page, be it of the same site. Scripts send
 * neither header and pass.
 * https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
 */
export default fp<CrossSiteOptions>(
  async (app, { allowedOrigins }) => {
    const allowed = new Set(allowedOrigins)
    app.addHook('onRequest', async (request) => {
      if (SAFE_METHODS.has(request.method)) return
      const site = request.headers['sec-fetch-site']
      const { origin } = request.headers
      const isScript = origin === undefined && site === undefined
      if (isScript || OWN_SITES.has(site)) return
      if (origin === undefined || (!allowed.has(origin) && origin !== ownOrigin(request))) {
        throw CROSS_SITE
      }
    })
  },
  { name: 'cross-site' },
)

function ownOrigin(request: FastifyRequest): string | undefined {
  const url = `${request.protocol}://${request.host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}
