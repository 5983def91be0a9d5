import fp from 'fastify-plugin'
import type { Metrics } from '../src/http/metrics.js'
import { onResponseEnd } from '../src/http/on-response-end.js'

export interface MetricsPluginOptions {
  metrics: Metrics
}

export default fp<MetricsPluginOptions>(
  async (app, { metrics }) => {
    app.addHook('onRequest', async (request, reply) => {
      metrics.startRequest()
      onResponseEnd(reply, ({ status, milliseconds }) => {
        const { url, schema } = request.routeOptions
        metrics.endRequest({
          method: request.method,
          route: url,
          operationId: (schema as { operationId?: string } | undefined)?.operationId,
          status,
          seconds: milliseconds / 1000,
        })
      })
    })
  },
  { name: 'metrics' },
)
