/** Category of a refusal, which `src/http/error-body.ts` maps to a status code */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'timeout'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unsupported'
  | 'too_many'
  | 'headers_too_large'
  | 'internal'
  | 'bad_gateway'
  | 'unavailable'
  | 'no_room'

export class Refusal extends Error {
  readonly kind: RefusalKind
  /** Stable name in snake_case for programs, sent as `X-Error-Code` */
  readonly code: string

  /** @param message German sentence for the caller */
  constructor(kind: RefusalKind, code: string, message: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

/** The request breaks a rule of its endpoint. */
export class InvalidInput extends Refusal {
  constructor(message: string, code = 'invalid_input') {
    super('invalid', code, message)
  }
}

/** A temporary refusal: the caller may retry after `retryAfter` seconds. */
export abstract class TemporaryRefusal extends Refusal {
  readonly retryAfter: number

  constructor(kind: RefusalKind, code: string, message: string, retryAfter: number) {
    super(kind, code, message)
    this.retryAfter = retryAfter
  }
}

export class Unavailable extends TemporaryRefusal {
  constructor(retryAfter = 2) {
    super('unavailable', 'unavailable', 'Dienst vorübergehend nicht verfügbar', retryAfter)
  }
}

/** The service shuts down before the request has completed. No change of the request is stored. */
export class ServiceStopping extends TemporaryRefusal {
  constructor() {
    super('unavailable', 'service_stops', 'Der Dienst wird gerade beendet; bitte gleich noch einmal versuchen', 10)
  }
}

/** The caller has made too many attempts, or too many of its requests are waiting or running. */
export class TooManyAttempts extends TemporaryRefusal {
  constructor(retryAfter: number) {
    super('too_many', 'too_many_attempts', 'Zu viele Versuche, bitte später erneut', retryAfter)
  }
}

/** The caller closed the connection before the response was sent, so only the log contains this refusal. */
export const CALLER_GONE = new Refusal('invalid', 'caller_gone', 'Die Verbindung wurde getrennt')
