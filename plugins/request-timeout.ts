import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body may take as long to arrive as the server-wide timeout allows */
    isUpload?: boolean
  }
}

export interface RequestTimeoutOptions {
  milliseconds: number
}

/**
 * Ends requests whose body takes too long to arrive. Node's `server.requestTimeout` does the same, but it cannot differ
 * by route and is therefore set to the longer limit of uploads.
 */
export default fp<RequestTimeoutOptions>(
  async (app, { milliseconds }) => {
    app.addHook('onRequest', async (request) => {
      if (hasBody(request) && request.routeOptions.config.isUpload !== true) watch(request, milliseconds)
    })
    // An upload whose response was sent before its body was complete gets the normal timeout for the rest of the body.
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

/** Ends the request with a timeout unless its body completes in time, even if the response has already been sent. */
function watch({ raw, server: { server } }: FastifyRequest, milliseconds: number): void {
  const { socket } = raw
  // Requests sent with `app.inject`, as in tests, have no socket.
  if (!(socket instanceof Socket)) return
  const timer = setTimeout(() => {
    socket.off('close', stop)
    // Emits the error of Node's own timeout, so that src/http/refused-connections.ts sends the response.
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    if (!raw.complete && !socket.destroyed) server.emit('clientError', error, socket)
  }, milliseconds)
  timer.unref()
  const stop = () => {
    if (!raw.complete && !socket.destroyed) return
    clearTimeout(timer)
    // Removes the listener, because each request on a kept-alive connection adds one.
    socket.off('close', stop)
  }
  raw.once('end', stop)
  raw.once('close', stop)
  socket.once('close', stop)
}
