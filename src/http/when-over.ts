import type { Server } from 'node:http'
import type { FastifyReply } from 'fastify'

/** nginx's number for a client that went away before anything could be answered. */
const CLIENT_CLOSED_REQUEST = 499
/** What the caller would have been told, had there been time. */
const SERVICE_UNAVAILABLE = 503

export interface End {
  status: number
  milliseconds: number
  /** Who ended the connection before the answer was complete, if somebody did. */
  abortedBy: 'client' | 'service' | undefined
}

const cutServers = new WeakSet<Server>()

/** Ends all connections of a server that is closing, finished or not. */
export function cutConnections(server: Server): void {
  cutServers.add(server)
  server.closeAllConnections()
}

/**
 * Calls `report` once when the request is over, however it ends. Fastify's `onResponse` is not called when the connection
 * ended before the answer was complete.
 */
export function whenOver(reply: FastifyReply, report: (end: End) => void): void {
  const { raw } = reply
  const started = performance.now()
  raw.once('close', () => {
    const ending = cutServers.has(reply.server.server) ? 'service' : 'client'
    const unanswered = ending === 'service' ? SERVICE_UNAVAILABLE : CLIENT_CLOSED_REQUEST
    report({
      status: raw.headersSent ? reply.statusCode : unanswered,
      milliseconds: performance.now() - started,
      abortedBy: raw.writableFinished ? undefined : ending,
    })
  })
}
