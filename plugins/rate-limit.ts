import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { networkOf } from '../src/domain/accounts/login-limits.js'
import { TooManyAttempts } from '../src/domain/refusals.js'

/** Over this time the rate is a mean, so that a page may ask for many things at once. */
const WINDOW_SECONDS = 10
/** Addresses that are remembered; beyond that the one that was heard of longest ago is forgotten. */
const MAX_ADDRESSES = 10_000

declare module 'fastify' {
  interface FastifyInstance {
    /** A hook that lets so many requests of this name pass in ten seconds from one address; none when nothing is limited. */
    limitRequests(name: string, most: number): onRequestAsyncHookHandler
  }
}

export interface RateLimitOptions {
  /** Requests per second and address; 0 means no limit. */
  perSecond: number
}

/**
 * Counts in windows of a clock that nobody sets. The package's own store goes by the time of day: after the clock was
 * set back it counts on for as long, and whoever reaches the limit is refused until the clock is where it was.
 */
class MonotonicStore implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { count: number; end: number }>()

  incr(key: string, callback: (error: null, result: { current: number; ttl: number }) => void): void {
    const now = performance.now()
    const known = this.#windows.get(key)
    const window = known !== undefined && known.end > now ? known : { count: 0, end: now + WINDOW_SECONDS * 1000 }
    window.count++
    // Put behind all others: a Map keeps the order in which its keys came.
    this.#windows.delete(key)
    this.#windows.set(key, window)
    if (this.#windows.size > MAX_ADDRESSES) this.#windows.delete(this.#windows.keys().next().value as string)
    callback(null, { current: window.count, ttl: window.end - now })
  }

  child(): MonotonicStore {
    return this
  }
}

/** Keeps one address from taking the whole process. It counts per process; the proxy may know better limits. */
export default fp<RateLimitOptions>(
  async (app, { perSecond }) => {
    if (perSecond === 0) {
      app.decorate('limitRequests', () => async () => {})
      return
    }
    await app.register(rateLimit, {
      global: false,
      max: perSecond * WINDOW_SECONDS,
      timeWindow: WINDOW_SECONDS * 1000,
      store: MonotonicStore,
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
    app.decorate('limitRequests', (name, most) => {
      const keyGenerator = (request: FastifyRequest) => `${name} ${networkOf(request.ip)}`
      const count = app.createRateLimit({ max: most, timeWindow: WINDOW_SECONDS * 1000, keyGenerator })
      return async (request) => {
        const counted = await count(request)
        if (!counted.isAllowed && counted.isExceeded) throw new TooManyAttempts(counted.ttlInSeconds)
      }
    })
    // As a hook of the scope it also counts what matches no endpoint.
    app.addHook('onRequest', app.rateLimit())
  },
  { name: 'rate-limit' },
)
