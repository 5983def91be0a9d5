import { toStorable } from '../text/text.js'

/**
 * Minutes to wait after each attempt with the verdict `later`. The mail fails if the attempt after the last delay has
 * this verdict too.
 */
const RETRY_MINUTES = [5, 30, 120, 360, 1_440]
/** Minutes until the next attempt to send the due mails after the verdict `server` */
export const SERVER_RETRY_MINUTES = 5
/** Maximum number of days that a mail waits for a usable server, counted from its `day` */
export const MAX_DELAY_DAYS = 3
const MINUTE_MS = 60_000
const MAX_REPLY = 500

/** Reply codes that concern login or encryption, regardless of the command */
const CONNECTION_REPLIES = [530, 534, 535, 538]
/** Reply code for a wrong state of the SMTP session; the same mail may be accepted in a new session */
const BAD_SEQUENCE = 503

export type Verdict =
  /** The server cannot be used: all mails wait. */
  | 'server'
  /** Another attempt for this mail follows later, unless this attempt was the last one. */
  | 'later'
  /** The server refuses this mail permanently: the mail has failed. */
  | 'refused'
  /** The connection broke after sending the text had begun: the mail may have arrived. */
  | 'unknown'

export interface DeliveryFault {
  stage: 'connection' | 'encryption' | 'login' | 'sender' | 'mail'
  /** Reply code of the server; undefined if there was no reply */
  status?: number | undefined
  /** Whether sending the text of the mail had begun */
  hasBegun?: boolean
}

export function classifyFault({ stage, status, hasBegun = false }: DeliveryFault): Verdict {
  if (stage === 'connection' || stage === 'encryption' || stage === 'login') return 'server'
  if (status === undefined) return hasBegun ? 'unknown' : 'later'
  if (CONNECTION_REPLIES.includes(status)) return 'server'
  if (status < 500 || status === BAD_SEQUENCE) return 'later'
  return stage === 'sender' ? 'server' : 'refused'
}

/**
 * Returns the time of the next attempt; undefined after the sixth attempt, which is the last one.
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

/**
 * @param detail message of the server or the system
 * @example describeFault({ stage: 'login' }, '535 no') // 'Die Anmeldung beim Mailserver ist gescheitert: 535 no'
 */
export function describeFault({ stage }: DeliveryFault, detail: string): string {
  return `${SENTENCES[stage]}: ${detail}`
}

/**
 * Returns a message of the server or the system as one line, cut after 500 UTF-16 code units. Replaces the password and
 * its Base64 form with `***`, unless they have fewer than four characters.
 * @example sanitizeReply('550-5.1.1 no such\r\n550 user', undefined) // '550-5.1.1 no such 550 user'
 */
export function sanitizeReply(text: string, password: string | undefined): string {
  const line = toStorable(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const hidden = [password, password && Buffer.from(password).toString('base64')].reduce<string>(
    (rest, secret) => (secret === undefined || secret.length < 4 ? rest : rest.replaceAll(secret, '***')),
    line,
  )
  return hidden.length > MAX_REPLY ? `${hidden.slice(0, MAX_REPLY).toWellFormed()} …` : hidden
}
