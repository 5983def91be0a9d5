import fp from 'fastify-plugin'
import type { Metrics } from '../src/metrics.js'

export interface MetricsPluginOptions {
  metrics: Metrics
}

/** Counts requests by route and status; the numbers are read on another port. */
export default fp<MetricsPluginOptions>(
  async (app, { metrics }) => {
    app.addHook('onRequest', async () => metrics.startRequest())
    app.addHook('onResponse', async (request, reply) => {
      const { url, schema } = request.routeOptions
      metrics.endRequest({
        method: request.method,
        route: url,
        operationId: (schema as { operationId?: string } | undefined)?.operationId,
        status: reply.statusCode,
        seconds: reply.elapsedTime / 1000,
      })
    })
  },
  { name: 'metrics' },
)
