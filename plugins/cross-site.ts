import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { CROSS_SITE } from '../src/domain/refusals.js'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

export interface CrossSiteOptions {
  /** Origins of the same site whose pages may use the API. */
  allowedOrigins: string[]
}

/**
 * Refuses state-changing requests that a browser sends for another site's page. Scripts send neither header and pass.
 * https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
 */
export default fp<CrossSiteOptions>(
  async (app, { allowedOrigins }) => {
    const allowed = new Set(allowedOrigins)
    app.addHook('onRequest', async (request) => {
      if (SAFE_METHODS.has(request.method)) return
      const site = request.headers['sec-fetch-site']
      const { origin } = request.headers
      const known = origin !== undefined && (allowed.has(origin) || origin === ownOrigin(request))
      const foreign = origin === undefined ? site === 'cross-site' : !known && (site ?? 'cross-site') === 'cross-site'
      if (foreign) throw CROSS_SITE
    })
  },
  { name: 'cross-site' },
)

function ownOrigin(request: FastifyRequest): string | undefined {
  const url = `${request.protocol}://${request.host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}
