import { finished } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { TooManyAttempts } from '../domain/refusals.js'

/** About as long as a large download takes. */
const RETRY_AFTER_SECONDS = 5

/**
 * A gate for answers that cost much: of each user one at a time, in this process. What it returns is called when the
 * answer begins; it throws `TooManyAttempts` while another one to the same user is not over.
 */
export function oneAtATime(): (userId: number, reply: FastifyReply) => void {
  const served = new Set<number>()
  return (userId, reply) => {
    if (served.has(userId)) throw new TooManyAttempts(RETRY_AFTER_SECONDS)
    served.add(userId)
    // Not only its end: a caller may be gone before anything was sent.
    finished(reply.raw, () => served.delete(userId))
  }
}
