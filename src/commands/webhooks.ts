import { text } from 'node:stream/consumers'
import { findWebhook, listWebhooks } from '../../db/queries/webhooks/webhooks.js'
import type { Config } from '../config.js'
import { parseRowId } from '../domain/text/parameters.js'
import { escapeField } from '../domain/text/printable.js'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../domain/webhooks/events.js'
import { createAddressRules } from '../domain/webhooks/networks.js'
import { WEBHOOK_NOT_FOUND, WEBHOOKS_HELD } from '../domain/webhooks/refusals.js'
import { hostOf, parseWebhook } from '../domain/webhooks/webhook.js'
import { createWebhook, removeWebhook, sendTestEvent } from '../services/webhooks/webhooks.js'
import { commandLineActor } from './actor.js'
import { RefusedError, withDatabase } from './store.js'

type Print = (line: string) => void

interface Output {
  json?: boolean
}

export interface AddOptions extends Output {
  event?: string[]
  teams?: boolean
  names?: boolean
}

/**
 * Creates a webhook for the given events, by default for all, and prints its secret.
 * @param address the URL; undefined to read it from the standard input, so that it is in no list of processes
 * @throws InvalidInput if the name, the address or an event is invalid
 */
export async function addWebhook(
  config: Config,
  given: string,
  address: string | undefined,
  options: AddOptions,
  print: Print,
): Promise<void> {
  const input = parseWebhook(
    {
      name: given,
      url: address ?? (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? '',
      kind: options.teams === true ? ('teams' as const) : ('standard' as const),
      events: options.event === undefined ? [...WEBHOOK_EVENTS] : options.event.map(parseEvent),
      include_names: options.names === true,
    },
    createAddressRules(config.webhookAllow),
  )
  const { webhook, secret } = await withDatabase(config, 'POST /api/webhooks', (db) =>
    createWebhook(db, commandLineActor(), input),
  )
  if (options.json) return print(JSON.stringify({ id: webhook.id, secret }))
  print(`Webhook angelegt: ${escapeField(webhook.name)} (${webhook.id}), an ${hostOf(webhook.url)}`)
  print(`Geheimnis für die Signaturen, nur jetzt zu sehen: ${secret}`)
}

function parseEvent(given: string): WebhookEvent {
  const event = WEBHOOK_EVENTS.find((one) => one === given)
  if (event === undefined) throw new RefusedError(`Das Ereignis ${given} gibt es nicht: ${WEBHOOK_EVENTS.join(', ')}`)
  return event
}

export async function printWebhooks(config: Config, options: Output, print: Print): Promise<void> {
  const found = await withDatabase(config, 'GET /api/webhooks', listWebhooks)
  const webhooks = found.map(({ url, ...webhook }) => ({ ...webhook, host: hostOf(url) }))
  if (options.json) return print(JSON.stringify({ webhooks }))
  for (const { id, name, host, kind, events, pause_cause, waiting } of webhooks) {
    const state = pause_cause === null ? 'aktiv' : 'pausiert'
    print([id, escapeField(name), host, kind, state, waiting, events.join(',')].join('\t'))
  }
}

export async function deleteWebhook(config: Config, id: string, options: Output, print: Print): Promise<void> {
  const webhookId = parseWebhookId(id)
  const name = await withDatabase(config, 'DELETE /api/webhooks/{id}', async (db) => {
    const webhook = await findWebhook(db, webhookId)
    if (webhook === undefined) throw WEBHOOK_NOT_FOUND
    await removeWebhook(db, commandLineActor(), webhookId)
    return webhook.name
  })
  print(options.json ? JSON.stringify({ id: webhookId }) : `Webhook gelöscht: ${escapeField(name)}`)
}

/**
 * Sends a test event and prints the outcome.
 * @throws RefusedError with the outcome if the receiver has not accepted the message, or if a signal interrupts the command
 */
export async function testWebhook(config: Config, id: string, options: Output, print: Print): Promise<void> {
  if (config.simulatedDate !== undefined) throw WEBHOOKS_HELD
  const stopping = new AbortController()
  const stop = () => stopping.abort(new RefusedError('Abgebrochen; vielleicht ist die Nachricht trotzdem angekommen.'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const { webhookAllow, defaultLanguage, publicUrl } = config
    const rules = createAddressRules(webhookAllow)
    const context = { rules, defaultLanguage, publicUrl, signal: stopping.signal }
    const sent = await withDatabase(config, 'POST /api/webhooks/{id}/test', (db) =>
      sendTestEvent(db, commandLineActor(), parseWebhookId(id), context),
    )
    if (options.json) print(JSON.stringify(sent))
    const answer = sent.answer === '' ? '' : `: ${escapeField(sent.answer)}`
    if (!sent.ok) throw new RefusedError(`${sent.message}${answer}`)
    if (!options.json) print(`${sent.message}${answer}`)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

function parseWebhookId(text: string): number {
  const id = parseRowId(text, 'Die Nummer eines Webhooks ist eine ganze Zahl; „webhook list“ zeigt sie')
  if (id === undefined) throw WEBHOOK_NOT_FOUND
  return id
}
