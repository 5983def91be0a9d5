import type { Outcome } from '../../../web/src/outbox/verdict.js'

/** Returns the outcome of a request that the service itself has sent. */
export function own(status: number, body: unknown, code?: string): Outcome {
  return { kind: 'received', status, isOwn: true, code, body }
}
