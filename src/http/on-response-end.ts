import type { Server } from 'node:http'
import type { FastifyReply } from 'fastify'

/** nginx's status for a client that closed the connection before the response */
const CLIENT_CLOSED_REQUEST = 499
/** Status for a request that the service cut while shutting down */
const SERVICE_UNAVAILABLE = 503

export interface ResponseEnd {
  status: number
  milliseconds: number
  /** Side that ended the connection before the response was complete; undefined if it was complete */
  abortedBy: 'client' | 'service' | undefined
}

const cutServers = new WeakSet<Server>()

/** Destroys all connections of a closing server. */
export function cutConnections(server: Server): void {
  cutServers.add(server)
  server.closeAllConnections()
}

/**
 * Calls `report` once when the response is complete or its connection closes. Fastify's `onResponse` does not run if
 * the connection closes before the response is complete.
 */
export function onResponseEnd(reply: FastifyReply, report: (end: ResponseEnd) => void): void {
  const { raw } = reply
  const started = performance.now()
  raw.once('close', () => {
    const ending = cutServers.has(reply.server.server) ? 'service' : 'client'
    const interrupted = ending === 'service' ? SERVICE_UNAVAILABLE : CLIENT_CLOSED_REQUEST
    report({
      status: raw.headersSent ? reply.statusCode : interrupted,
      milliseconds: performance.now() - started,
      abortedBy: raw.writableFinished ? undefined : ending,
    })
  })
}
