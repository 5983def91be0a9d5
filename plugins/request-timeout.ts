import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether its body may take as long as the server allows at all. */
    isUpload?: boolean
  }
}

export interface RequestTimeoutOptions {
  milliseconds: number
}

/**
 * Cuts off whose body takes longer to arrive, as Node's `server.requestTimeout` does, which knows no routes: here uploads
 * are left to it.
 */
export default fp<RequestTimeoutOptions>(
  async (app, { milliseconds }) => {
    app.addHook('onRequest', async (request) => {
      if (hasBody(request) && request.routeOptions.config.isUpload !== true) watch(request, milliseconds)
    })
    // Refused before its body was read, an upload has no reason to take longer than others.
    app.addHook('onResponse', async (request) => {
      const isUpload = request.routeOptions.config.isUpload === true
      if (isUpload && hasBody(request) && !request.raw.complete) watch(request, milliseconds)
    })
  },
  { name: 'request-timeout' },
)

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Until all of it is there, also when the answer is given before. */
function watch({ raw, server: { server } }: FastifyRequest, milliseconds: number): void {
  const { socket } = raw
  // Only real connections can be slow.
  if (!(socket instanceof Socket)) return
  const timer = setTimeout(() => {
    socket.off('close', stop)
    // As Node says it itself; see src/http/refused-connections.ts.
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    if (!raw.complete && !socket.destroyed) server.emit('clientError', error, socket)
  }, milliseconds)
  timer.unref()
  const stop = () => {
    if (!raw.complete && !socket.destroyed) return
    clearTimeout(timer)
    // The connection goes on with other requests.
    socket.off('close', stop)
  }
  raw.once('end', stop)
  raw.once('close', stop)
  socket.once('close', stop)
}
