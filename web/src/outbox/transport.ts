import { codeOf, isOwn } from '../platform/proof.js'
import type { RatingEntry } from '../storage/entry.js'
import type { Transport } from './sender.js'
import { type Outcome, parseRetryAfter } from './verdict.js'

const TIMEOUT_MS = 30_000

/** Receives the service's time from a header, with the local times of request and response in ms since the epoch */
type OnDate = (date: string | null, requestedAt: number, respondedAt: number) => void

export type Send = (method: string, path: string, body?: unknown) => Promise<Outcome>

/** Creates the function that sends a request. After a 401, no login dialog opens, and the entries wait. */
export function createSend(urlOf: (path: string) => URL | string, onDate: OnDate): Send {
  return async (method, path, body) => {
    const requestedAt = Date.now()
    try {
      const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
      const answer = await fetch(urlOf(path), {
        method,
        headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      onDate(answer.headers.get('x-service-time') ?? answer.headers.get('date'), requestedAt, Date.now())
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
      const content: unknown = isJson ? await answer.json() : undefined
      const retryAfter = parseRetryAfter(answer.headers.get('retry-after'), Date.now())
      return {
        kind: 'answered',
        status: answer.status,
        isOwn: isOwn(answer),
        code: codeOf(answer),
        body: content,
        ...(retryAfter !== undefined && { retryAfter }),
      }
    } catch {
      return { kind: 'lost' }
    }
  }
}

export function createTransport(send: Send): Transport {
  return {
    rate: (entry) =>
      entry.rating === 'tomorrow'
        ? send('POST', `/api/review/cards/${entry.card_id}/tomorrow`, delayOf(entry))
        : send('POST', '/api/review', reviewOf(entry)),
    rateMany: (entries) => send('POST', '/api/review/batch', { reviews: entries.map(reviewOf) }),
    undo: (review_id) => send('DELETE', `/api/review/${review_id}`),
  }
}

function delayOf({ id, reviewed_at }: RatingEntry) {
  return { client_id: id, put_off_at: reviewed_at }
}

function reviewOf({ id, card_id, rating, duration_ms, reviewed_at }: RatingEntry) {
  return { client_id: id, card_id, rating, duration_ms, reviewed_at }
}
