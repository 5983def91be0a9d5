import { finished, pipeline, type Readable, Transform } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { TooManyAttempts } from '../domain/refusal.js'

/** About as long as a large download takes. */
const RETRY_AFTER_SECONDS = 5

/** Opens the body of an expensive response. */
type OpenBody = () => Promise<Readable>

/**
 * Limits expensive responses to one at a time for each user, in this process. The user is free again before the last
 * byte is sent, so that a caller who waits for the end of the response is never refused.
 * @returns the body to send; throws `TooManyAttempts` while another response to the same user is open
 */
export function oneAtATime(): (userId: number, reply: FastifyReply, open: OpenBody) => Promise<Readable> {
  const served = new Map<number, FastifyReply>()
  return async (userId, reply, open) => {
    if (served.has(userId)) throw new TooManyAttempts(RETRY_AFTER_SECONDS)
    served.set(userId, reply)
    // The next response to the user may be open already.
    const free = () => {
      if (served.get(userId) === reply) served.delete(userId)
    }
    // The caller may be gone before anything was sent.
    finished(reply.raw, free)
    try {
      const body = await open()
      // Before the listener that ends the response.
      body.once('end', free)
      // With a length the response is complete with its last byte, without one with the chunk that says so.
      return reply.hasHeader('content-length') ? pipeline(body, holdLastPiece(), () => {}) : body
    } catch (error) {
      free()
      throw error
    }
  }
}

/** Passes the pieces on, the last one only when it is known to be the last. */
function holdLastPiece(): Transform {
  let held: Buffer | undefined
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      done(null, held)
      held = piece
    },
    flush(done) {
      done(null, held)
    },
  })
}
