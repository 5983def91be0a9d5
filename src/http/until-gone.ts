import type { FastifyReply } from 'fastify'

/** Aborted when the connection of the answer closes: before the answer is complete nobody waits for it any more. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => controller.abort())
  return controller.signal
}
