import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { abortOnClose } from '../src/http/abort-on-close.js'
import { serializeInTurns } from '../src/http/serialize-in-turns.js'
import { accountShare, FairTurns } from '../src/services/fair-turns.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a response takes much time of the database or of the main thread. Of the expensive requests of one user,
     * one runs at a time and 30 wait; a further one gets 429. A long list in the response is serialised in turns. Only
     * for routes behind `requireUser`.
     */
    isExpensive?: boolean
  }
  interface FastifyReply {
    /**
     * Yields the batches of a streamed response. Of the streamed responses of one user, one reads its next batch at a
     * time, and they take turns. A client that stops reading delays no other response.
     */
    takeTurns<T>(batches: AsyncIterable<T>): AsyncGenerator<T>
  }
}

/** Maximum number of waiting requests of a user; a page of the web app sends fewer than ten at once. */
const WAITING_PER_USER = 30
const RETRY_AFTER_SECONDS = 2

/** Gives each user a fair share of the routes with `config: { isExpensive: true }`. Each instance counts separately. */
export default fp(
  async (app) => {
    const unlimited = Number.POSITIVE_INFINITY
    const queue = {
      concurrent: unlimited,
      runningPerOwner: 1,
      waitingOthers: unlimited,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    }
    const requests = new FairTurns({ ...queue, waitingPerOwner: WAITING_PER_USER })
    // A response that has begun cannot be refused.
    const batches = new FairTurns({ ...queue, waitingPerOwner: unlimited })

    app.addHook('onRoute', (route) => {
      if (route.config?.isExpensive !== true) return
      const { handler } = route
      route.handler = function (request, reply) {
        const signal = abortOnClose(reply)
        const handle = async () => serializeInTurns(reply, await handler.call(this, request, reply), signal)
        return requests.run(accountShare(request.user.id), handle, signal)
      }
    })

    async function* takeTurns<T>(this: FastifyReply, source: AsyncIterable<T>): AsyncGenerator<T> {
      const share = accountShare(this.request.user.id)
      const signal = abortOnClose(this)
      const iterator = source[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await batches.run(share, () => iterator.next(), signal)
          if (next.done) return
          yield next.value
        }
      } finally {
        await iterator.return?.()
      }
    }
    app.decorateReply('takeTurns', takeTurns)
  },
  { name: 'fair-share', dependencies: ['auth'] },
)
