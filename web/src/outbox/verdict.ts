/** What came back: nothing, or a status with the JSON that the answer held. */
export type Outcome = { kind: 'lost' } | Answered

export interface Answered {
  kind: 'answered'
  status: number
  /** Undefined when the answer was no JSON. */
  body: unknown
  /** Milliseconds, when the service has asked to wait. */
  retryAfter?: number
}

/** Why nothing is sent for now. */
export type Obstacle = 'network' | 'login' | 'forbidden' | 'busy' | 'service' | 'storage'

export type Verdict =
  | { kind: 'done' }
  | { kind: 'wait'; obstacle: Obstacle; retryAfter?: number }
  | { kind: 'refused'; status: number; message: string }

const wait = (obstacle: Obstacle, retryAfter?: number): Verdict =>
  retryAfter === undefined ? { kind: 'wait', obstacle } : { kind: 'wait', obstacle, retryAfter }

/** What an answer means for the entry that was sent. Only what the service itself has said counts. */
export function judge(outcome: Outcome): Verdict {
  if (outcome.kind === 'lost') return wait('network')
  const { status, body, retryAfter } = outcome
  if (typeof body !== 'object' || body === null) return wait(status >= 500 ? 'service' : 'network', retryAfter)
  if (status === 200) return { kind: 'done' }
  if (status === 401) return wait('login')
  if (status === 403) return wait('forbidden')
  // 408: the request was cut off on its way, which is the network's fault.
  if (status === 408) return wait('network')
  if (status === 429) return wait('busy', retryAfter)
  if (status < 400 || status >= 500) return wait('service', retryAfter)
  if (status === 404 || status === 409) return { kind: 'done' }
  return { kind: 'refused', status, message: messageOf(body) }
}

export function messageOf(body: unknown): string {
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown }
  if (typeof message === 'string') return message
  return typeof error === 'string' ? error : 'Der Dienst hat die Bewertung nicht angenommen.'
}

const FIRST_MS = 1_000
const LONGEST_MS = 60_000
const LONGEST_ASKED_MS = 3_600_000

/**
 * How long to wait after so many failures in a row: twice as long each time and never quite the same, so that many
 * devices do not come back at once. What the service has asked for holds.
 */
export function delayAfter(failures: number, random: number, retryAfter?: number): number {
  const own = Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 10), LONGEST_MS) * (0.75 + random / 2)
  return retryAfter === undefined ? own : Math.max(own, Math.min(retryAfter, LONGEST_ASKED_MS))
}

/** The header's seconds or date, as milliseconds from now. */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null || text.trim() === '') return undefined
  const value = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(value) ? Math.max(value, 0) : undefined
}
