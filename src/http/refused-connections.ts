import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { HEADERS_TOO_LARGE, type HttpError, MALFORMED_REQUEST, REQUEST_TIMEOUT } from '../domain/refusals.js'
import { errorBody } from './error-body.js'
import { SECURITY_HEADERS } from './security-headers.js'

const CLIENT_ERRORS: Record<string, HttpError> = {
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TIMEOUT,
}

/** The answers of each connection that are not over. */
const openAnswers = new WeakMap<Duplex, Set<ServerResponse>>()

/** Prepares the server for what never becomes a request of Fastify; belongs to `refuseMalformedRequest`. */
export function watchConnections({ server, routing }: FastifyInstance): void {
  // Node would drop the headers after the 2,000th in silence, be it the length of the body. Their size is limited anyway.
  server.maxHeadersCount = 0
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = openAnswers.get(socket) ?? new Set()
    openAnswers.set(socket, answers.add(response))
    response.once('close', () => answers.delete(response))
  })
  // Node would answer 417 in a shape of its own; a server may as well overlook what it does not know (RFC 9110, 10.1.1).
  server.on('checkExpectation', routing)
  // Only a proxy has an answer to CONNECT; Node would hang up.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    if (!closeAfterAnswers(socket)) sendRefusal(socket, MALFORMED_REQUEST)
  })
}

/**
 * False when no answer is owed on the connection. Otherwise what is said now would be taken for it: so the connection is
 * closed after it, which also serves those whose body was longer than they said.
 */
function closeAfterAnswers(socket: Duplex): boolean {
  const owed = [...(openAnswers.get(socket) ?? [])].filter(({ headersSent, req }) => headersSent || req.complete)
  const last = owed.at(-1)
  if (last === undefined) return false
  last.shouldKeepAlive = false
  // Its head has said that the connection stays: a long one is broken off.
  if (last.writableEnded) socket.end()
  else if (last.headersSent) socket.destroy()
  return true
}

/** The error of Node's parser, with the bytes at hand. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: unknown }

/**
 * Fastify's `clientErrorHandler`: answers what Node's parser refused, unless an answer is still owed to a request before
 * it, for which this one would be taken.
 */
export function refuseMalformedRequest(this: FastifyInstance, error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (closeAfterAnswers(socket)) return
  this.log.info({ code: error.code, address: socket.remoteAddress }, 'no valid HTTP request')
  const isHead = Buffer.isBuffer(error.rawPacket) && error.rawPacket.toString('latin1', 0, 5) === 'HEAD '
  sendRefusal(socket, CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED_REQUEST, isHead)
}

/** No request object exists, so the bytes are written by hand. */
function sendRefusal(socket: Duplex, refusal: HttpError, isHead = false): void {
  const body = JSON.stringify(errorBody(refusal))
  socket.end(
    [
      `HTTP/1.1 ${refusal.statusCode} ${STATUS_CODES[refusal.statusCode]}`,
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
      ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      isHead ? '' : body,
    ].join('\r\n'),
  )
}
