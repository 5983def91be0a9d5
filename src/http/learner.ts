import type { FastifyRequest } from 'fastify'
import type { Learner } from '../domain/content/learner.js'

/** Returns the caller with the languages that the caller understands. */
export function learnerOf({ user, languages }: FastifyRequest): Learner {
  return { userId: user.id, languages }
}
