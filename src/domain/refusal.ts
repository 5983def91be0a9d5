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
  | 'not_implemented'
  | 'bad_gateway'
  | 'unavailable'
  | 'no_room'

/** Values of a refusal for programs, such as a limit; sent as `X-Error-Details` */
export type Details = Readonly<Record<string, string | number | boolean | null>>

/** What a refusal concerns */
export interface Concern {
  /** Path of the field in the body, such as `parts/0/slug`, or the name of the query parameter */
  field?: string | undefined
  details?: Details | undefined
}

export class Refusal extends Error {
  readonly kind: RefusalKind
  /** Stable name in snake_case for programs, sent as `X-Error-Code` */
  readonly code: string
  /** Sent as `X-Error-Field`; undefined if the refusal does not concern one field */
  readonly field: string | undefined
  readonly details: Details | undefined

  /** @param message German sentence for the caller */
  constructor(kind: RefusalKind, code: string, message: string, { field, details }: Concern = {}) {
    super(message)
    this.kind = kind
    this.code = code
    this.field = field
    this.details = details
  }

  /** Returns the refusal with the field that causes it. */
  at(field: string, details = this.details): Refusal {
    return new Refusal(this.kind, this.code, this.message, { field, details })
  }
}

/** The request breaks a rule of its endpoint. */
export class InvalidInput extends Refusal {
  constructor(message: string, code = 'invalid_input', concern: Concern = {}) {
    super('invalid', code, message, concern)
  }

  override at(field: string, details = this.details): InvalidInput {
    return new InvalidInput(this.message, this.code, { field, details })
  }
}

/** A field of the body breaks a rule. */
export class InvalidField extends InvalidInput {
  readonly problem: string

  /**
   * @param problem end of the German sentence
   * @example new InvalidField('until', 'fehlt').message // 'Das Feld „until“ fehlt'
   */
  constructor(field: string, problem: string, { code, details }: { code?: string; details?: Details } = {}) {
    super(`Das Feld „${field}“ ${problem}`, code, { field, details })
    this.problem = problem
  }
}

/** A parameter of the query string breaks a rule. */
export class InvalidParameter extends InvalidInput {
  /**
   * @param problem end of the German sentence
   * @example new InvalidParameter('after', 'ist ungültig').message // 'Der Parameter „after“ ist ungültig'
   */
  constructor(name: string, problem: string, { code, details }: { code?: string; details?: Details } = {}) {
    super(`Der Parameter „${name}“ ${problem}`, code, { field: name, details })
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
