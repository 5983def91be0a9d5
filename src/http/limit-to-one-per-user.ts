import { finished, pipeline, type Readable, Transform } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { TooManyAttempts } from '../domain/refusal.js'

/** Value of `Retry-After`, about the duration of a large download */
const RETRY_AFTER_SECONDS = 5

type OpenBody = () => Promise<Readable>

/**
 * Limits expensive responses to one at a time for each user, in this process. The limit ends before the last byte is
 * sent, so that a client can send its next request as soon as the response is complete.
 * @returns a function that returns the body to send; it throws `TooManyAttempts` while another response to the user is
 * open
 */
export function limitToOnePerUser(): (userId: number, reply: FastifyReply, open: OpenBody) => Promise<Readable> {
  const served = new Map<number, FastifyReply>()
  return async (userId, reply, open) => {
    if (served.has(userId)) throw new TooManyAttempts(RETRY_AFTER_SECONDS)
    served.set(userId, reply)
    // The next response to the user may be open already; it must keep its entry in `served`.
    const free = () => {
      if (served.get(userId) === reply) served.delete(userId)
    }
    // Also ends the limit if the client disconnects before anything is sent.
    finished(reply.raw, free)
    try {
      const body = await open()
      // This listener must be added before the listener that ends the response.
      body.once('end', free)
      // With a Content-Length, the last byte completes the response for the client, so it is delayed until `end`.
      return reply.hasHeader('content-length') ? pipeline(body, delayLastChunk(), () => {}) : body
    } catch (error) {
      free()
      throw error
    }
  }
}

/** Returns a stream that passes on each chunk when the next one arrives, and the last chunk at the end. */
function delayLastChunk(): Transform {
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
