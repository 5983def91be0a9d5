import { createServer, type Server } from 'node:http'
import type { Metrics } from './http/metrics.js'

/** Serves `/metrics` on a separate port, which a proxy must not publish. Resolves when the server listens. */
export async function serveMetrics(metrics: Metrics, host: string, port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?', 1)[0]
    if (request.method !== 'GET' || path !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    try {
      const { text, contentType } = await metrics.render()
      response.writeHead(200, { 'content-type': contentType }).end(text)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}
