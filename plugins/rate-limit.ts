import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { networkOf, siteOf } from '../src/domain/accounts/login-limits.js'
import { TooManyAttempts } from '../src/domain/refusal.js'

/** Window in seconds over which the rate is averaged. The window lets a page load many files at once. */
const WINDOW_SECONDS = 10
/** Ratio of the limit of an IPv6 /48 to that of a /64. A provider may assign a /48 to one customer. */
const SITE_FACTOR = 4
/** Maximum number of counters (one per limit and address, network or user); the least recently used is evicted. */
const MAX_COUNTERS = 10_000

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Returns a hook that allows `most` requests per ten seconds for each IPv4 address or IPv6 /64, and four times as
     * many for each IPv6 /48. Hooks with different names count separately.
     */
    limitRequests(name: string, most: number): onRequestAsyncHookHandler
    /**
     * Returns a hook that allows `most` successful requests per ten seconds for each user. Runs after a hook that loads
     * `request.user`. A request in progress counts until it is refused.
     */
    limitUser(name: string, most: number): (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }
}

interface Window {
  count: number
  /** End on the clock of `performance.now` */
  end: number
}

/** Windows of a monotonic clock, by limit and caller */
class Windows {
  readonly #windows = new Map<string, Window>()

  /** Counts a request and returns the current window of the key. */
  count(key: string): Window {
    const now = performance.now()
    const known = this.#windows.get(key)
    const window = known !== undefined && known.end > now ? known : { count: 0, end: now + WINDOW_SECONDS * 1000 }
    window.count++
    // Moves the window to the end. A Map keeps insertion order, so the first key is the least recently used.
    this.#windows.delete(key)
    this.#windows.set(key, window)
    if (this.#windows.size > MAX_COUNTERS) this.#windows.delete(this.#windows.keys().next().value as string)
    return window
  }
}

/**
 * Counts requests in windows of a monotonic clock. The default store of `@fastify/rate-limit` uses the wall clock: if
 * that clock is set back, limited callers are refused until the clock reaches the former time again.
 */
class MonotonicStore implements FastifyRateLimitStore {
  readonly #windows = new Windows()

  incr(key: string, callback: (error: null, result: { current: number; ttl: number }) => void): void {
    const { count, end } = this.#windows.count(key)
    callback(null, { current: count, ttl: end - performance.now() })
  }

  child(): MonotonicStore {
    return this
  }
}

/** Limits the number of requests per client address or user. Each instance counts separately. */
export default fp(
  async (app) => {
    const { rateLimit: perSecond } = app.config
    if (perSecond === 0) {
      app.decorate('limitRequests', () => async () => {})
      app.decorate('limitUser', () => async () => {})
      return
    }
    await app.register(rateLimit, { global: false, timeWindow: WINDOW_SECONDS * 1000, store: MonotonicStore })
    app.decorate('limitRequests', (name, most) => {
      const counter = (max: number, keyOf: (address: string) => string | undefined) =>
        app.createRateLimit({
          max,
          timeWindow: WINDOW_SECONDS * 1000,
          keyGenerator: (request: FastifyRequest) => `${name} ${keyOf(request.ip)}`,
        })
      const countNetwork = counter(most, networkOf)
      const countSite = counter(most * SITE_FACTOR, siteOf)
      return async (request) => {
        const counters = siteOf(request.ip) === undefined ? [countNetwork] : [countNetwork, countSite]
        // A request refused by the limit of the /64 does not count for the /48.
        for (const count of counters) {
          const counted = await count(request)
          if (!counted.isAllowed && counted.isExceeded) throw new TooManyAttempts(counted.ttlInSeconds)
        }
      }
    })
    const users = new Windows()
    app.decorate('limitUser', (name, most) => async (request, reply) => {
      const window = users.count(`${name} ${request.user.id}`)
      if (window.count > most) {
        window.count--
        throw new TooManyAttempts(Math.ceil((window.end - performance.now()) / 1000))
      }
      // A response that the client aborts still counts, because the service has worked for it.
      reply.raw.once('finish', () => {
        if (reply.statusCode >= 400) window.count--
      })
    })
    // A hook of the scope, unlike a hook of a route, also counts requests that match no endpoint.
    app.addHook('onRequest', app.limitRequests('all', perSecond * WINDOW_SECONDS))
  },
  { name: 'rate-limit', dependencies: ['service'] },
)
