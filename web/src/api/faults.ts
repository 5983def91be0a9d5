/** Why a request brought nothing; the message is a German sentence for the person at the screen. */
export abstract class Fault extends Error {
  /** Whether the same request may work a little later. */
  abstract readonly isPassing: boolean
}

export class Unreachable extends Fault {
  readonly isPassing = true
  constructor() {
    super('Der Dienst ist gerade nicht erreichbar. Bitte die Verbindung prüfen.')
  }
}

/** Something between us and the service has answered, such as a proxy or a hotel's login page. */
export class ForeignAnswer extends Fault {
  readonly isPassing = true
  constructor(readonly status: number) {
    super('Unterwegs hat etwas anderes als der Dienst geantwortet. Bitte gleich noch einmal versuchen.')
  }
}

/** The service has answered that it will not. */
export class Refused extends Fault {
  readonly isPassing: boolean
  constructor(
    readonly status: number,
    /** The whole answer, for those that say more than a sentence. */
    readonly content: unknown,
    /** Seconds to wait, when the service has said so. */
    readonly retryAfter?: number,
  ) {
    super(messageOf(content) ?? `Der Dienst hat mit Status ${status} abgelehnt.`)
    this.isPassing = status === 429 || status >= 500
  }
}

/** What a proxy answers in JSON may hold anything there. */
function messageOf(content: unknown): string | undefined {
  const { message } = (content ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

/** The sentence for any error, also for one that is a mistake of ours. */
export function sentenceOf(error: unknown): string {
  return error instanceof Fault ? error.message : 'Da ist etwas schiefgegangen. Bitte die Seite neu laden.'
}

export function isRefused(error: unknown, status: number): error is Refused {
  return error instanceof Refused && error.status === status
}
