import { fieldsOf } from '../platform/fields.js'

/** Result of a request; `lost` means that the response is missing, incomplete or invalid JSON */
export type Outcome = { kind: 'lost' } | HttpResponse

export interface HttpResponse {
  kind: 'received'
  status: number
  /** Whether the response is from the service and not from a proxy */
  isOwn: boolean
  code?: string | undefined
  body: unknown
  /** Delay in milliseconds from `Retry-After` */
  retryAfter?: number
}

/** Reason why sending is paused; `foreign`: the response is from a proxy or has an unexpected form. */
export type Obstacle = 'network' | 'login' | 'forbidden' | 'busy' | 'service' | 'foreign' | 'storage'

/** `done` and `refused` are final, and contain the response that decided. */
export type Verdict =
  | { kind: 'done'; response: HttpResponse }
  | { kind: 'wait'; obstacle: Obstacle; retryAfter?: number }
  | { kind: 'refused'; response: HttpResponse }

/** Error codes that make a 404 or 409 final, so that the entry is removed */
const RATING_IS_OVER = new Set(['card_not_found', 'other_review'])
const UNDO_IS_OVER = new Set(['review_not_found', 'not_the_last', 'not_of_today', 'card_changed_since'])
/** Error code of older service versions, which have no route for batches */
const BATCH_IS_OVER = new Set(['unknown_endpoint'])

export function judgeRating(outcome: Outcome): Verdict {
  return judge(outcome, isReview, RATING_IS_OVER)
}

export function judgeUndo(outcome: Outcome): Verdict {
  return judge(outcome, isUndone, UNDO_IS_OVER)
}

/** Returns the verdict on the request for the session's user; `userIn` then returns the id. */
export function judgeUser(outcome: Outcome): Verdict {
  return judge(outcome, (body) => Number.isInteger(userIn(body)), new Set())
}

export function userIn(body: unknown): unknown {
  return fieldsOf(fieldsOf(body).user).id
}

/**
 * Returns the verdict on a sent batch. If the verdict is `refused`, or `done` with a status other than 200, the
 * response contains no results of single ratings.
 */
export function judgeBatch(outcome: Outcome, count: number): Verdict {
  return judge(outcome, (body) => listResults(body)?.length === count, BATCH_IS_OVER)
}

/** Converts the results of a batch to responses as if each rating had been sent alone. */
export function responsesOf(body: unknown): HttpResponse[] {
  return (listResults(body) ?? []).map((result) => {
    const { status, review, code, error } = fieldsOf(result)
    const isRefused = typeof code === 'string'
    return {
      kind: 'received',
      status: Number(status),
      isOwn: isRefused || review !== undefined,
      code: isRefused ? code : undefined,
      body: review ?? { message: error },
    }
  })
}

const wait = (obstacle: Obstacle, retryAfter?: number): Verdict =>
  retryAfter === undefined ? { kind: 'wait', obstacle } : { kind: 'wait', obstacle, retryAfter }

/**
 * Returns the verdict on a request. Only a response of the service itself makes an entry `done` or `refused`;
 * otherwise, the entry waits for the next attempt.
 */
export function judge(outcome: Outcome, isExpected: (body: unknown) => boolean, over: ReadonlySet<string>): Verdict {
  if (outcome.kind === 'lost') return wait('network')
  const { status, isOwn, code, body, retryAfter } = outcome
  // 408 means that the request did not arrive completely.
  if (status === 408) return wait('network')
  if (status === 429) return wait('busy', retryAfter)
  if (status >= 500) return wait('service', retryAfter)
  if (!isOwn) return wait('foreign', retryAfter)
  if (status === 200) return isExpected(body) ? { kind: 'done', response: outcome } : wait('foreign')
  if (code === undefined) return wait('foreign')
  if (status === 401) return wait('login')
  if (status === 403) return wait('forbidden')
  if (status === 404 || status === 409) return over.has(code) ? { kind: 'done', response: outcome } : wait('service')
  return status >= 400 ? { kind: 'refused', response: outcome } : wait('foreign')
}

function isReview(body: unknown): boolean {
  const { review_id, card_id, applied } = fieldsOf(body)
  return Number.isInteger(review_id) && Number.isInteger(card_id) && typeof applied === 'boolean'
}

function isUndone(body: unknown): boolean {
  const { card_id, next_undo } = fieldsOf(body)
  return Number.isInteger(card_id) && next_undo !== undefined
}

function listResults(body: unknown): unknown[] | undefined {
  const { results } = fieldsOf(body)
  return Array.isArray(results) ? results : undefined
}

export function messageOf(body: unknown): string {
  const { message, error } = fieldsOf(body)
  if (typeof message === 'string') return message
  return typeof error === 'string' ? error : 'Der Dienst hat das nicht angenommen.'
}

const FIRST_MS = 1_000
const LONGEST_MS = 60_000
const LONGEST_RETRY_AFTER_MS = 3_600_000

/**
 * Returns the delay in milliseconds after consecutive failures: doubled each time up to about one minute, with jitter
 * so that many devices do not retry at once. A longer delay requested by the service takes precedence, up to one hour.
 */
export function delayAfter(failures: number, random: number, retryAfter?: number): number {
  const own = Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 10), LONGEST_MS) * (0.75 + random / 2)
  return retryAfter === undefined ? own : Math.max(own, Math.min(retryAfter, LONGEST_RETRY_AFTER_MS))
}

/**
 * Converts the seconds or date of `Retry-After` to milliseconds from `now`; 0 for a date in the past; undefined if the
 * header is missing or invalid.
 * @example parseRetryAfter('120', Date.now()) // 120_000
 */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null || text.trim() === '') return undefined
  const value = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(value) ? Math.max(value, 0) : undefined
}
