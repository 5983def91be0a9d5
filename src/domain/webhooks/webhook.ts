import { InvalidField } from '../refusal.js'
import { checkLine } from '../text/parameters.js'
import { countCharacters } from '../text/text.js'
import { WEBHOOK_EVENTS, type WebhookEvent } from './events.js'
import { type AddressRules, ipOf } from './networks.js'

/** `standard`: Standard Webhooks; `teams`: an Adaptive Card for a workflow of Microsoft Teams */
export const WEBHOOK_KINDS = ['standard', 'teams'] as const
export type WebhookKind = (typeof WEBHOOK_KINDS)[number]

/**
 * `hand`: an administrator has paused the webhook; `faults`: all attempts have failed for `GIVE_UP_HOURS`; `restore`: the
 * webhook comes from a backup.
 */
export const PAUSE_CAUSES = ['hand', 'faults', 'restore'] as const
export type PauseCause = (typeof PAUSE_CAUSES)[number]

export const MAX_WEBHOOKS = 50
const MAX_NAME = 100
const MAX_URL = 2_000

export interface WebhookInput {
  name: string
  url: string
  kind: WebhookKind
  events: WebhookEvent[]
  include_names: boolean
}

/**
 * Parses the fields of a webhook that are given.
 * @throws InvalidInput naming the field that breaks a rule
 */
export function parseWebhook<T extends Partial<WebhookInput>>(given: T, rules: AddressRules): T {
  const { name, url, events } = given
  return {
    ...given,
    ...(name !== undefined && { name: parseName(name) }),
    ...(url !== undefined && { url: parseWebhookUrl(url, rules).href }),
    ...(events !== undefined && { events: parseEvents(events) }),
  }
}

function parseName(given: string): string {
  const name = given.normalize('NFC').trim()
  if (name === '' || countCharacters(name) > MAX_NAME) {
    throw new InvalidField('name', `muss 1 bis ${MAX_NAME} Zeichen haben`)
  }
  checkLine('name', name)
  return name
}

/**
 * Parses the address of a webhook. A name is looked up only when a message is sent.
 * @throws InvalidInput if it is not a URL, contains a login or a fragment, is not encrypted, or is an IP address to
 * which no connection is allowed
 */
export function parseWebhookUrl(given: string, rules: AddressRules): URL {
  const text = given.trim()
  const url = URL.canParse(text) ? new URL(text) : undefined
  const { protocol, username, password, hash } = url ?? {}
  if (url === undefined || text.length > MAX_URL || !/^https?:$/.test(protocol ?? '')) {
    throw new InvalidField('url', 'muss eine Adresse mit https:// sein')
  }
  if (`${username}${password}${hash}` !== '') {
    throw new InvalidField('url', 'darf weder eine Anmeldung noch „#“ enthalten')
  }
  const isEncrypted = protocol === 'https:'
  const ip = ipOf(url)
  if (ip !== undefined && !rules.mayReach(ip, true)) {
    throw new InvalidField('url', 'führt in ein Netz, das WEBHOOK_ALLOW nicht nennt', { code: 'address_not_allowed' })
  }
  if (!isEncrypted && !(ip === undefined ? rules.mayBePlain : rules.mayReach(ip, false))) {
    throw new InvalidField('url', 'muss mit https:// beginnen; http:// geht nur in Netzen, die WEBHOOK_ALLOW nennt', {
      code: 'https_needed',
    })
  }
  return url
}

function parseEvents(given: readonly WebhookEvent[]): WebhookEvent[] {
  const events = WEBHOOK_EVENTS.filter((event) => given.includes(event))
  if (events.length === 0) throw new InvalidField('events', 'muss mindestens ein Ereignis enthalten')
  return events
}

/** Returns the only part of an address that is shown. @example hostOf('https://example.org/secret') // 'example.org' */
export function hostOf(url: string): string {
  return new URL(url).host
}
