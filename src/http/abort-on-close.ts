import type { FastifyReply } from 'fastify'
import { CALLER_GONE } from '../domain/refusal.js'

/** Returns a signal that aborts when the client disconnects. It also aborts after a complete response. */
export function abortOnClose({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort(CALLER_GONE)
  raw.once('close', () => controller.abort(CALLER_GONE))
  return controller.signal
}
