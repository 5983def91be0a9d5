import fp from 'fastify-plugin'
import { EventLoopDelay, SAMPLE_INTERVAL_MS } from '../src/domain/event-loop-delay.js'
import { Unavailable } from '../src/domain/refusal.js'

/**
 * Overload threshold: number of statements and transactions that wait for a database connection. With 10 connections
 * and 5 ms per statement, the last one waits 0.5 s.
 */
const MAX_WAITING_FOR_CONNECTION = 1_000

export interface LoadSheddingOptions {
  /** Event loop delay in milliseconds above which requests are refused with 503 */
  maxDelayMs: number
}

/**
 * Refuses requests while the event loop or the connection pool is overloaded. `@fastify/under-pressure` does not fit:
 * after one long task, it refuses all requests for a second (docs/decisions/0004-overload.md).
 */
export default fp<LoadSheddingOptions>(
  async (app, { maxDelayMs }) => {
    const delay = new EventLoopDelay(maxDelayMs, performance.now())
    const timer = setInterval(() => delay.sample(performance.now()), SAMPLE_INTERVAL_MS)
    timer.unref()
    app.addHook('onClose', async () => clearInterval(timer))

    app.addHook('onRequest', async () => {
      if (delay.isTooLong() || app.database.poolState().waiting >= MAX_WAITING_FOR_CONNECTION) {
        throw new Unavailable()
      }
    })
  },
  { name: 'load-shedding', dependencies: ['database'] },
)
