import type { Fault } from './content/types.js'

/** An answer that is not 200: status and German message for the caller. */
export class HttpError extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

/** 400: the request breaks a rule of its endpoint. */
export class BadRequest extends HttpError {
  constructor(message: string) {
    super(400, message)
  }
}

/** 401: nobody is logged in, or the user has been deleted meanwhile. */
export class NotLoggedIn extends HttpError {
  constructor() {
    super(401, 'Nicht angemeldet')
  }
}

/** 409: something else is in the way of it now. */
export class Conflict extends HttpError {
  constructor(message: string) {
    super(409, message)
  }
}

/** The content has faults, so nothing was imported. */
export class FaultyContent extends BadRequest {
  readonly faults: Fault[]

  constructor(faults: Fault[]) {
    super(`Import abgebrochen: ${faults.length} Fehler in den Inhalten`)
    this.faults = faults
  }
}

/** The service cannot answer now; the caller may come back after `retryAfter` seconds. */
export class Unavailable extends HttpError {
  readonly retryAfter: number

  constructor(retryAfter = 2) {
    super(503, 'Dienst vorübergehend nicht verfügbar')
    this.retryAfter = retryAfter
  }
}

/** The caller has tried too often and may come back after `retryAfter` seconds. */
export class TooManyAttempts extends HttpError {
  readonly retryAfter: number

  constructor(retryAfter: number) {
    super(429, 'Zu viele Versuche, bitte später erneut')
    this.retryAfter = retryAfter
  }
}
