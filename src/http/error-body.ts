import { STATUS_CODES } from 'node:http'
import { FaultyUsers, LOGIN_TOO_OLD } from '../domain/accounts/refusals.js'
import { FaultyContent, FaultyUpload } from '../domain/content/refusals.js'
import { type Refusal, type RefusalKind, TemporaryRefusal } from '../domain/refusal.js'
import { encodeDetails, encodeField } from './error-headers.js'
import { INTERNAL_ERROR } from './refusals.js'

const STATUS: Record<RefusalKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported: 415,
  too_many: 429,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  bad_gateway: 502,
  unavailable: 503,
  no_room: 507,
}

/** Challenge that requires a more recent login (RFC 9470) */
export const LOGIN_CHALLENGE = 'Session error="insufficient_user_authentication"'

export function statusOf(refusal: Refusal): number {
  return STATUS[refusal.kind]
}

export function errorHeaders(refusal: Refusal): Record<string, string> {
  const field = refusal.field === undefined ? undefined : encodeField(refusal.field)
  return {
    'x-error-code': refusal.code,
    ...(field !== undefined && { 'x-error-field': field }),
    ...(refusal.details !== undefined && { 'x-error-details': encodeDetails(refusal.details) }),
    ...(refusal instanceof TemporaryRefusal && { 'retry-after': String(refusal.retryAfter) }),
    ...(refusal === LOGIN_TOO_OLD && { 'www-authenticate': LOGIN_CHALLENGE }),
  }
}

/** Returns the message that the caller gets. That of an internal error is only for the log. */
export function sentMessage({ kind, message }: Refusal): string {
  return kind === 'internal' ? INTERNAL_ERROR.message : message
}

/** Returns the body of an error response. Only bodies with a status of 500 or higher include the request id. */
export function errorBody(refusal: Refusal, requestId?: string, status = statusOf(refusal)): Record<string, unknown> {
  return {
    statusCode: status,
    error: STATUS_CODES[status],
    message: sentMessage(refusal),
    ...(status >= 500 && requestId !== undefined && { requestId }),
    ...(refusal instanceof FaultyUpload && { errors_total: refusal.total }),
    ...((refusal instanceof FaultyContent || refusal instanceof FaultyUsers) && { errors: refusal.faults }),
  }
}
