import { toStorable } from '../text/text.js'

/**
 * States of an event for one webhook. `failed`: the receiver has refused it, or a backup was restored while it waited; it
 * is not sent again by itself.
 */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/**
 * Why there was no response. `address`: the host resolves only to addresses to which no connection is allowed; `name`:
 * the host is unknown; `encryption`: TLS has failed, for example because of the certificate; `restore`: no attempt follows,
 * because a backup was restored.
 */
export const DELIVERY_FAULTS = ['address', 'name', 'connection', 'encryption', 'timeout', 'restore'] as const
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number]

/** Outcome of an attempt: the status of the response, or a fault without one */
export interface Outcome {
  status: number | null
  fault: DeliveryFault | null
  /** Beginning of the response, or message of the system */
  answer: string
  /** `Retry-After` in seconds */
  retryAfter?: number | undefined
}

/** `later`: another attempt follows. */
export type Verdict = 'delivered' | 'failed' | 'later'

const LATER_STATUS = [408, 425, 429]

/**
 * Redirects are not followed and count as refusals, because they could lead anywhere.
 * @example judge({ status: 429, fault: null }) // 'later'
 */
export function judge({ status, fault }: Pick<Outcome, 'status' | 'fault'>): Verdict {
  if (status === null || fault !== null) return 'later'
  if (status >= 200 && status < 300) return 'delivered'
  return status >= 500 || LATER_STATUS.includes(status) ? 'later' : 'failed'
}

const FIRST_DELAY_SECONDS = 5
const MAX_DELAY_SECONDS = 3_600
/** Time of failed attempts after which a webhook is paused */
export const GIVE_UP_HOURS = 24

/**
 * Returns the seconds until the next attempt: 5, 10, 20 and so on, at most an hour.
 * @param attempts number of failed attempts in a row, at least 1
 * @param retryAfter `Retry-After` of the response in seconds; a longer time than an hour counts as an hour
 */
export function retryDelay(attempts: number, retryAfter = 0): number {
  const delay = Math.min(FIRST_DELAY_SECONDS * 2 ** Math.min(attempts - 1, 20), MAX_DELAY_SECONDS)
  return Math.max(delay, Math.min(retryAfter, MAX_DELAY_SECONDS))
}

/**
 * Parses the header `Retry-After`; returns undefined if it is absent or invalid.
 * @example parseRetryAfter('120', now) // 120
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^[0-9]{1,9}$/.test(header.trim())) return Number(header)
  // `Date.parse` accepts other texts too, such as `-5`.
  const instant = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(instant) ? undefined : Math.max(0, Math.ceil((instant - now.getTime()) / 1_000))
}

/** Number of characters of a response that are kept */
const KEPT_CHARACTERS = 1_024

/** Minimum length of a part of an address that counts as secret on its own */
const MIN_SECRET = 6

/**
 * Returns the beginning of a response with at most 1,024 UTF-16 code units. Replaces the path and query of the webhook's
 * address, which are secret, and their parts with `***`.
 */
export function excerptOf(text: string, url: URL): string {
  const shown = secretsOf(url).reduce((rest, secret) => rest.replaceAll(secret, '***'), toStorable(text))
  return shown.slice(0, KEPT_CHARACTERS).toWellFormed()
}

/** Returns the secret parts of an address in the forms in which a receiver may repeat them, longest first. */
function secretsOf({ href, pathname, search }: URL): string[] {
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
  const parts = [href, `${pathname}${search}`, search.slice(1), ...pathname.split('/'), ...values]
  const secrets = [...parts.filter((part) => part.length >= MIN_SECRET), ...(pathname === '/' ? [] : [pathname])]
  const forms = secrets
    .flatMap((secret) => [secret, decode(secret), decode(secret.replaceAll('+', ' ')), encodeURIComponent(secret)])
    .flatMap((form) => [form, form.replaceAll('&', '&amp;'), form.replaceAll('&', '\\u0026')])
    .flatMap((form) => [form, form.replaceAll('/', '\\/'), form.replaceAll('/', '&#x2F;')])
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const FAULTS: Record<DeliveryFault, string> = {
  address: 'Zu dieser Adresse darf der Dienst keine Verbindung aufbauen (WEBHOOK_ALLOW)',
  name: 'Den Namen des Empfängers gibt es nicht',
  connection: 'Der Empfänger ist nicht zu erreichen',
  encryption: 'Die verschlüsselte Verbindung kommt nicht zustande',
  timeout: 'Der Empfänger hat nicht rechtzeitig geantwortet',
  restore: 'Nicht gesendet, weil eine Sicherung eingespielt wurde',
}

/**
 * Returns the outcome as a German sentence.
 * @example describeOutcome({ status: 404, fault: null }) // 'Der Empfänger hat die Nachricht abgelehnt (404)'
 */
export function describeOutcome({ status, fault }: Pick<Outcome, 'status' | 'fault'>): string {
  if (status === null || fault !== null) return FAULTS[fault ?? 'connection']
  if (status >= 300 && status < 400)
    return `Der Empfänger leitet weiter (${status}); Weiterleitungen gelten als Ablehnung`
  switch (judge({ status, fault })) {
    case 'delivered':
      return `Der Empfänger hat die Nachricht angenommen (${status})`
    case 'later':
      return `Der Empfänger kann gerade nicht (${status})`
    case 'failed':
      return `Der Empfänger hat die Nachricht abgelehnt (${status})`
  }
}
