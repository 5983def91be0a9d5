import { toStorable } from '../text/text.js'

/** Minutes until the next attempt after each refusal that may end; after the last one the mail has failed. */
const RETRY_MINUTES = [5, 30, 120, 360, 1_440]
/** Minutes until the next attempt after the server could not be used at all */
export const SERVER_RETRY_MINUTES = 5
/** Days after which a mail fails that could not be handed over because of the server */
export const MAX_DELAY_DAYS = 3
const MINUTE_MS = 60_000
const MAX_ANSWER = 500

/** Replies that concern the login or the encryption of the connection, whatever command they answer */
const CONNECTION_REPLIES = [530, 534, 535, 538]
/** Wrong state of the session: the same mail may pass in a new one */
const BAD_SEQUENCE = 503

/** What is done when a mail could not be handed over */
export type Verdict =
  /** The server cannot be used: all mails wait. */
  | 'server'
  /** This mail is tried again later. */
  | 'later'
  /** This mail will never be accepted. */
  | 'refused'
  /** The connection broke after the text was sent: the mail may have arrived. */
  | 'unknown'

/** Where an attempt failed. */
export interface DeliveryFault {
  stage: 'connection' | 'encryption' | 'login' | 'sender' | 'mail'
  /** Reply code of the server; undefined if it said nothing */
  status?: number | undefined
  /** Whether the text of the mail was being sent */
  hasBegun?: boolean
}

/** Returns what follows from a fault. */
export function judgeFault({ stage, status, hasBegun = false }: DeliveryFault): Verdict {
  if (stage === 'connection' || stage === 'encryption' || stage === 'login') return 'server'
  if (status === undefined) return hasBegun ? 'unknown' : 'later'
  if (CONNECTION_REPLIES.includes(status)) return 'server'
  if (status < 500 || status === BAD_SEQUENCE) return 'later'
  return stage === 'sender' ? 'server' : 'refused'
}

/**
 * Returns the time of the next attempt; undefined if there is none.
 * @param attempts number of attempts so far, at least 1
 */
export function nextAttempt(attempts: number, at: Date): Date | undefined {
  const minutes = RETRY_MINUTES[attempts - 1]
  return minutes === undefined ? undefined : new Date(at.getTime() + minutes * MINUTE_MS)
}

const SENTENCES: Record<DeliveryFault['stage'], string> = {
  connection: 'Der Mailserver ist nicht zu erreichen',
  encryption: 'Die verschlüsselte Verbindung zum Mailserver kommt nicht zustande',
  login: 'Die Anmeldung beim Mailserver ist gescheitert',
  sender: 'Der Mailserver nimmt von diesem Absender keine Mails an',
  mail: 'Der Mailserver hat die Mail nicht angenommen',
}

/** Returns the fault in one line: a German sentence and what the server or the system said. */
export function describeFault({ stage }: DeliveryFault, detail: string): string {
  return `${SENTENCES[stage]}: ${detail}`
}

/**
 * Returns an answer of the server or the system in one line of limited length, without the password.
 * @example tidyAnswer('550-5.1.1 no such\r\n550 user', undefined) // '550-5.1.1 no such 550 user'
 */
export function tidyAnswer(text: string, password: string | undefined): string {
  const line = toStorable(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const hidden = [password, password && Buffer.from(password).toString('base64')].reduce<string>(
    (rest, secret) => (secret === undefined || secret.length < 4 ? rest : rest.replaceAll(secret, '***')),
    line,
  )
  return hidden.length > MAX_ANSWER ? `${hidden.slice(0, MAX_ANSWER).toWellFormed()} …` : hidden
}
