import rateLimit from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import { TooManyAttempts } from '../src/errors.js'
import { networkOf } from '../src/login-limits.js'

/** Over this time the rate is a mean, so that a page may ask for many things at once. */
const WINDOW_SECONDS = 10
/** Addresses that are remembered; beyond that the one that was heard of longest ago is forgotten. */
const MAX_ADDRESSES = 10_000

export interface RateLimitOptions {
  /** Requests per second and address; 0 means no limit. */
  perSecond: number
}

/** Keeps one address from taking the whole process. It counts per process; the proxy may know better limits. */
export default fp<RateLimitOptions>(
  async (app, { perSecond }) => {
    if (perSecond === 0) return
    await app.register(rateLimit, {
      global: false,
      max: perSecond * WINDOW_SECONDS,
      timeWindow: WINDOW_SECONDS * 1000,
      cache: MAX_ADDRESSES,
      keyGenerator: (request) => networkOf(request.ip),
      errorResponseBuilder: (_request, { ttl }) => new TooManyAttempts(Math.ceil(ttl / 1000)),
      addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
      addHeaders: {
        'x-ratelimit-limit': false,
        'x-ratelimit-remaining': false,
        'x-ratelimit-reset': false,
        'retry-after': false,
      },
    })
    // As a hook of the scope it also counts what matches no endpoint.
    app.addHook('onRequest', app.rateLimit())
  },
  { name: 'rate-limit' },
)
