import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Refusal } from '../domain/refusal.js'
import { errorBody, errorHeaders, statusOf } from './error-body.js'
import { HEADERS_TOO_LARGE, MALFORMED_REQUEST, REQUEST_TIMEOUT } from './refusals.js'
import { SECURITY_HEADERS } from './security-headers.js'

const CLIENT_ERRORS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TIMEOUT,
}

/** Unfinished responses of each connection */
const openResponses = new WeakMap<Duplex, Set<ServerResponse>>()

/** Handles requests that Node does not pass to Fastify; used together with `refuseMalformedRequest`. */
export function watchConnections({ server, routing }: FastifyInstance): void {
  // Node would silently drop headers after the 2,000th, even Content-Length. Their total size is limited anyway.
  server.maxHeadersCount = 0
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = openResponses.get(socket) ?? new Set()
    openResponses.set(socket, responses.add(response))
    response.once('close', () => responses.delete(response))
  })
  // By default, Node responds with 417. A server may ignore expectations that it does not know (RFC 9110, 10.1.1).
  server.on('checkExpectation', routing)
  // Node would close the connection without a response; only a proxy can serve CONNECT.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    if (!closeAfterResponses(socket)) sendRefusal(socket, MALFORMED_REQUEST)
  })
}

/**
 * Closes the connection after the pending response. Sends no error, because the client would mistake the error for that
 * response. Returns false if no response is pending.
 */
function closeAfterResponses(socket: Duplex): boolean {
  const pending = [...(openResponses.get(socket) ?? [])].filter(({ headersSent, req }) => headersSent || req.complete)
  const last = pending.at(-1)
  if (last === undefined) return false
  last.shouldKeepAlive = false
  // If the response is unfinished but its headers have been sent, the connection is cut, because these headers may have
  // announced keep-alive.
  if (last.writableEnded) socket.end()
  else if (last.headersSent) socket.destroy()
  return true
}

/** An error of Node's HTTP parser, with the received bytes */
type ClientError = NodeJS.ErrnoException & { rawPacket?: unknown }

/**
 * Refuses requests that Node's parser refused, unless an earlier response is pending on the connection. Serves as
 * Fastify's `clientErrorHandler`.
 */
export function refuseMalformedRequest(this: FastifyInstance, error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (closeAfterResponses(socket)) return
  this.log.info({ code: error.code, address: socket.remoteAddress }, 'no valid HTTP request')
  const isHead = Buffer.isBuffer(error.rawPacket) && error.rawPacket.toString('latin1', 0, 5) === 'HEAD '
  sendRefusal(socket, CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED_REQUEST, isHead)
}

/** Writes a refusal to the socket, because Node passes no response with the events `connect` and `clientError`. */
function sendRefusal(socket: Duplex, refusal: Refusal, isHead = false): void {
  const body = JSON.stringify(errorBody(refusal))
  const status = statusOf(refusal)
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
      ...Object.entries({ ...SECURITY_HEADERS, ...errorHeaders(refusal) }).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      isHead ? '' : body,
    ].join('\r\n'),
  )
}
