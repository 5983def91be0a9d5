import type { Kysely } from 'kysely'
import { announce } from '../../db/queries/webhooks/announce.js'
import type { Database } from '../../db/types.js'
import { WEBHOOK_EVENTS } from '../../src/domain/webhooks/events.js'
import { createAddressRules } from '../../src/domain/webhooks/networks.js'
import type { WebhookInput } from '../../src/domain/webhooks/webhook.js'
import { createSender, type Sender, type SenderContext } from '../../src/services/webhooks/send.js'
import { createWebhook } from '../../src/services/webhooks/webhooks.js'
import type { Owner } from './process.js'

const ACTOR = { actor_id: null, actor: 'test', via: 'cli', address: null } as const

/** Network of the receivers of tests */
export const LOOPBACK = '127.0.0.0/8'

/** Creates a webhook for all events, and returns its id and secret. */
export async function addWebhook(
  db: Kysely<Database>,
  url: string,
  overrides: Partial<WebhookInput> = {},
): Promise<{ id: number; secret: string }> {
  const given: WebhookInput = {
    name: 'Empfänger',
    url,
    kind: 'standard',
    events: [...WEBHOOK_EVENTS],
    include_names: false,
    ...overrides,
  }
  const { webhook, secret } = await createWebhook(db, ACTOR, given)
  return { id: webhook.id, secret }
}

/** Writes events that are told apart by the id of their report, each in a transaction of its own. */
export async function announceReports(db: Kysely<Database>, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    await db
      .transaction()
      .execute((transaction) => announce(transaction, 'report.created', { report: { id }, card: { id: 1 } }))
  }
}

/** Creates a sender that may reach receivers on the loopback interface. Stops it when the test ends. */
export function openSender(t: Owner, db: Kysely<Database>, overrides: Partial<SenderContext> = {}): Sender {
  const sender = createSender(db, {
    rules: createAddressRules([LOOPBACK]),
    defaultLanguage: 'de',
    publicUrl: 'https://training.example.org/',
    onPaused: () => {},
    onError: (error) => {
      throw error
    },
    ...overrides,
  })
  t.teardown(() => sender.stop())
  return sender
}

/** Sends what is due and waits until it is settled. */
export async function sendDue(sender: Sender): Promise<void> {
  await sender.run()
  await sender.idle()
}

/** Makes all webhooks due that wait for another attempt. */
export async function endDelays(db: Kysely<Database>): Promise<void> {
  await db.updateTable('webhooks').set({ next_attempt_at: null }).execute()
}
