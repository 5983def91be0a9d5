import fp from 'fastify-plugin'
import type { OpenDatabase } from '../db/client.js'
import { Unavailable } from '../src/domain/refusals.js'

const SAMPLE_INTERVAL_MS = 500
/** One long piece of work is over when it has been noticed; overload is noticed again and again. */
const MIN_LATE_SAMPLES = 2
/** With ten connections and 5 ms a statement the last of them waits half a second. */
const MAX_WAITING_FOR_CONNECTION = 1_000

export interface LoadSheddingOptions {
  /** A timer that fires so late tells that rounds of the event loop take that long. */
  maxDelayMs: number
  poolState: OpenDatabase['poolState']
}

/**
 * Refuses requests that would only make a queue longer. Not by `@fastify/under-pressure`: its measure is NaN for every
 * round of more than its sampling time, be it the first or one of many (docs/decisions/0008-overload.md).
 */
export default fp<LoadSheddingOptions>(
  async (app, { maxDelayMs, poolState }) => {
    let lateSamples = 0
    let lastSample = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      const isLate = now - lastSample > SAMPLE_INTERVAL_MS + maxDelayMs
      lateSamples = isLate ? lateSamples + 1 : 0
      lastSample = now
    }, SAMPLE_INTERVAL_MS)
    timer.unref()
    app.addHook('onClose', async () => clearInterval(timer))

    app.addHook('onRequest', async () => {
      if (lateSamples >= MIN_LATE_SAMPLES || poolState().waiting >= MAX_WAITING_FOR_CONNECTION) {
        throw new Unavailable()
      }
    })
  },
  { name: 'load-shedding' },
)
