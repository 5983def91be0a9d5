import { findSentence, urlOf } from '../api/client.js'
import { exchange } from '../api/exchange.js'
import { fieldsOf } from '../platform/fields.js'
import type { RatingEntry } from '../storage/entry.js'
import type { Transport } from './sender.js'
import { type Outcome, parseRetryAfter } from './verdict.js'

/** Sends a request. After a 401, no login dialog opens, and the entries wait. */
export async function sendEntry(method: string, path: string, body?: unknown): Promise<Outcome> {
  const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
  const init = { headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  try {
    const { status, isOwn, code, field, details, content, retryAfter } = await exchange(method, urlOf(path), init)
    const delay = parseRetryAfter(retryAfter, Date.now())
    const message = code === undefined ? undefined : await findSentence({ code, field, details })
    const body = message === undefined ? content : { ...fieldsOf(content), message }
    return { kind: 'received', status, isOwn, code, body, ...(delay !== undefined && { retryAfter: delay }) }
  } catch {
    return { kind: 'lost' }
  }
}

export const transport: Transport = {
  rate: (entry) =>
    entry.rating === 'tomorrow'
      ? sendEntry('POST', `/api/review/cards/${entry.card_id}/tomorrow`, delayOf(entry))
      : sendEntry('POST', '/api/review', reviewOf(entry)),
  async rateMany(entries) {
    const outcome = await sendEntry('POST', '/api/review/batch', { reviews: entries.map(reviewOf) })
    return outcome.kind === 'lost' ? outcome : { ...outcome, body: await translateResults(outcome.body) }
  },
  undo: (review_id) => sendEntry('DELETE', `/api/review/${review_id}`),
}

/** Replaces the German messages in the results of a batch with those of the app. */
async function translateResults(body: unknown): Promise<unknown> {
  const { results } = fieldsOf(body)
  if (!Array.isArray(results)) return body
  const translated = results.map(async (result) => {
    const { code, field, details } = fieldsOf(result)
    if (typeof code !== 'string') return result
    const reason = { code, field: typeof field === 'string' ? field : undefined, details: fieldsOf(details) }
    const error = await findSentence(reason)
    return error === undefined ? result : { ...fieldsOf(result), error }
  })
  return { ...fieldsOf(body), results: await Promise.all(translated) }
}

function delayOf({ id, reviewed_at }: RatingEntry) {
  return { client_id: id, put_off_at: reviewed_at }
}

function reviewOf({ id, card_id, rating, duration_ms, reviewed_at }: RatingEntry) {
  return { client_id: id, card_id, rating, duration_ms, reviewed_at }
}
