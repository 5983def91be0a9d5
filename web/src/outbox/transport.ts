import { urlOf } from '../api/client.js'
import { exchange } from '../api/exchange.js'
import type { RatingEntry } from '../storage/entry.js'
import type { Transport } from './sender.js'
import { type Outcome, parseRetryAfter } from './verdict.js'

/** Sends a request. After a 401, no login dialog opens, and the entries wait. */
export async function sendEntry(method: string, path: string, body?: unknown): Promise<Outcome> {
  const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
  const init = { headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  try {
    const { status, isOwn, code, content, retryAfter } = await exchange(method, urlOf(path), init)
    const delay = parseRetryAfter(retryAfter, Date.now())
    return { kind: 'received', status, isOwn, code, body: content, ...(delay !== undefined && { retryAfter: delay }) }
  } catch {
    return { kind: 'lost' }
  }
}

export const transport: Transport = {
  rate: (entry) =>
    entry.rating === 'tomorrow'
      ? sendEntry('POST', `/api/review/cards/${entry.card_id}/tomorrow`, delayOf(entry))
      : sendEntry('POST', '/api/review', reviewOf(entry)),
  rateMany: (entries) => sendEntry('POST', '/api/review/batch', { reviews: entries.map(reviewOf) }),
  undo: (review_id) => sendEntry('DELETE', `/api/review/${review_id}`),
}

function delayOf({ id, reviewed_at }: RatingEntry) {
  return { client_id: id, put_off_at: reviewed_at }
}

function reviewOf({ id, card_id, rating, duration_ms, reviewed_at }: RatingEntry) {
  return { client_id: id, card_id, rating, duration_ms, reviewed_at }
}
