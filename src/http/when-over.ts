import type { FastifyReply } from 'fastify'

/** nginx's number for a client that went away before anything could be answered. */
const CLIENT_CLOSED_REQUEST = 499

export interface End {
  status: number
  milliseconds: number
  /** The caller went away before it had the whole answer. */
  isAborted: boolean
}

/**
 * Calls `report` once when the request is over, however it ends. Fastify's `onResponse` is not called when the caller has
 * gone before the answer was complete.
 */
export function whenOver(reply: FastifyReply, report: (end: End) => void): void {
  const { raw } = reply
  const started = performance.now()
  raw.once('close', () => {
    report({
      status: raw.headersSent ? reply.statusCode : CLIENT_CLOSED_REQUEST,
      milliseconds: performance.now() - started,
      isAborted: !raw.writableFinished,
    })
  })
}
