import { fieldsOf } from '../platform/fields.js'
import { nameField } from '../words/field-labels.js'
import { isolateQuoted } from '../words/isolate.js'

/** Error of a failed request; the message is a German text for the user. */
export abstract class Fault extends Error {
  /** Whether a later retry may succeed */
  abstract readonly isPassing: boolean
}

export class Unreachable extends Fault {
  readonly isPassing = true
  constructor() {
    super('Der Dienst ist gerade nicht erreichbar. Bitte die Verbindung prüfen.')
  }
}

/** Error for a response that is not from the service but, for example, from a proxy or a captive portal */
export class ForeignResponse extends Fault {
  readonly isPassing = true
  constructor(readonly status: number) {
    super('Unterwegs hat etwas anderes als der Dienst geantwortet. Bitte gleich noch einmal versuchen.')
  }
}

interface RefusedHeaders {
  /** Path of the faulty field in the request (`X-Error-Field`) */
  field?: string | undefined
  /** Values for programs (`X-Error-Details`), such as the present version */
  details?: Readonly<Record<string, unknown>>
  /** Message in the language of the app; default: that of the service */
  sentence?: string | undefined
  /** Seconds to wait before a retry, from `Retry-After` */
  retryAfter?: number | undefined
}

export class Refused extends Fault {
  readonly isPassing: boolean
  readonly field: string | undefined
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfter: number | undefined
  constructor(
    readonly status: number,
    /** Error code of the service (`X-Error-Code`), which does not change between versions */
    readonly code: string,
    /** JSON of the response, which for some refusals contains more than a message */
    readonly content: unknown,
    { field, details = {}, sentence, retryAfter }: RefusedHeaders = {},
  ) {
    const message = messageOf(content) ?? `Der Dienst hat mit Status ${status} abgelehnt.`
    super(sentence ?? (field === undefined ? message : nameField(message, field)))
    this.isPassing = status === 429 || status >= 500
    this.field = field
    this.details = details
    this.retryAfter = retryAfter
  }
}

function messageOf(content: unknown): string | undefined {
  const { message } = fieldsOf(content)
  return typeof message === 'string' ? message : undefined
}

/**
 * Returns a German message for any error, including bugs.
 * @example sentenceOf(new TypeError()) // 'Da ist etwas schiefgegangen. Bitte die Seite neu laden.'
 */
export function sentenceOf(error: unknown): string {
  return error instanceof Fault
    ? isolateQuoted(error.message)
    : 'Da ist etwas schiefgegangen. Bitte die Seite neu laden.'
}

export function isRefused(error: unknown, status: number): error is Refused {
  return error instanceof Refused && error.status === status
}

/** Returns the path of the request's field that caused the refusal, if one did. */
export function fieldOf(error: unknown): string | undefined {
  return error instanceof Refused ? error.field : undefined
}

export function hasCode(error: unknown, code: string): error is Refused {
  return error instanceof Refused && error.code === code
}
