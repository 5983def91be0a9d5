import { updateClockOffset } from '../platform/clock.js'
import { fieldsOf } from '../platform/fields.js'
import { codeOf, isOwn } from '../platform/own-response.js'
import { Unreachable } from './faults.js'
import { recordResponse } from './late-response.js'

const DEFAULT_TIMEOUT_MS = 30_000

export type Request = RequestInit & { timeoutMs?: number; onHeaders?: (headers: Headers) => void }

export interface Exchange {
  status: number
  /** Whether the response is from the service, and not from a proxy */
  isOwn: boolean
  /** Error code of a refusal by the service */
  code: string | undefined
  /** Path of the faulty field, if a refusal concerns one */
  field: string | undefined
  /** Values of a refusal for programs, such as the present version */
  details: Readonly<Record<string, unknown>>
  /** Value of `Retry-After` */
  retryAfter: string | null
  /** Content of a JSON response; undefined if the response is not JSON */
  content: unknown
}

/**
 * Sends a request and reads the response.
 * @throws Unreachable if no complete response arrives within `timeoutMs` milliseconds
 * @throws AbortError if the caller's signal aborts
 */
export async function exchange(method: string, url: URL, init: Request = {}): Promise<Exchange> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, onHeaders, ...rest } = init
  const requestedAt = Date.now()
  const response = await fetch(url, { ...rest, method, signal: endOf(init.signal, timeoutMs) }).catch(throwUnreachable)
  recordResponse()
  const { status, headers } = response
  onHeaders?.(headers)
  if (isOwn(response)) updateClockOffset(headers.get('x-service-time') ?? headers.get('date'), requestedAt, Date.now())
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
  const text = isJson ? await response.text().catch(throwUnreachable) : undefined
  const content = text === undefined ? undefined : parse(text)
  return {
    status,
    isOwn: content !== undefined && isOwn(response),
    code: codeOf(response),
    field: decodeField(headers.get('x-error-field')),
    details: fieldsOf(parse(headers.get('x-error-details') ?? '{}')),
    retryAfter: headers.get('retry-after'),
    content,
  }
}

function endOf(signal: AbortSignal | null | undefined, timeoutMs: number): AbortSignal {
  const limit = AbortSignal.timeout(timeoutMs)
  return signal ? AbortSignal.any([signal, limit]) : limit
}

function throwUnreachable(error: Error): never {
  throw error.name === 'AbortError' ? error : new Unreachable()
}

function decodeField(text: string | null): string | undefined {
  try {
    return text === null ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
