import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  deleteOldDeliveries,
  findEvent,
  findNames,
  findTarget,
  insertTestEvent,
  recordAttempt,
  type Target,
} from '../../../db/queries/webhooks/outbox.js'
import {
  deleteWaiting,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  lockWebhooks,
  updateWebhook,
  type Webhook,
} from '../../../db/queries/webhooks/webhooks.js'
import type { Database } from '../../../db/types.js'
import { requireVersion } from '../../domain/content/refusals.js'
import { describeOutcome, judge, type Outcome } from '../../domain/webhooks/delivery.js'
import { type StoredEvent, TEST_EVENT } from '../../domain/webhooks/events.js'
import {
  DELIVERY_NOT_FOUND,
  DELIVERY_WAITING,
  TOO_MANY_WEBHOOKS,
  WEBHOOK_NOT_FOUND,
} from '../../domain/webhooks/refusals.js'
import { createWebhookSecret, showWebhookSecret } from '../../domain/webhooks/signature.js'
import { hostOf, MAX_WEBHOOKS, type WebhookInput } from '../../domain/webhooks/webhook.js'
import { createOnce, type FormRequest } from '../create-once.js'
import { personsIn, writeMessage } from './message.js'
import { openReceiver } from './post.js'
import { KEPT_DELIVERIES, type SenderContext } from './send.js'

export interface WebhookWithSecret {
  webhook: Webhook
  /** The secret in the form `whsec_…`; undefined if it has not changed */
  secret?: string | undefined
}

/**
 * Creates a webhook with a secret and writes an audit entry. A repeated request creates none and replaces the secret,
 * because the first response may be lost.
 * @throws TOO_MANY_WEBHOOKS if there are `MAX_WEBHOOKS` already
 * @throws ClientIdUsed if the client id belongs to another webhook
 */
export async function createWebhook(
  db: Kysely<Database>,
  actor: Actor,
  given: WebhookInput,
  request?: FormRequest,
): Promise<WebhookWithSecret & { secret: string }> {
  const secret = createWebhookSecret()
  return db.transaction().execute(async (transaction) => {
    let isNew = false
    const id = await createOnce(transaction, request, {
      kind: 'webhook',
      input: given,
      create: async () => {
        if ((await lockWebhooks(transaction)) >= MAX_WEBHOOKS) throw TOO_MANY_WEBHOOKS
        const created = await insertWebhook(transaction, { ...given, secret })
        const { name, kind, events, include_names, url } = given
        await insertAuditEntry(transaction, actor, {
          action: 'webhook.create',
          target_id: created,
          target: name,
          details: { host: hostOf(url), kind, events, ...(include_names && { include_names }) },
        })
        isNew = true
        return created
      },
      name: async (id) => (await findWebhook(transaction, id)) && { id },
    })
    if (!isNew) {
      await updateWebhook(transaction, id, { secret })
      const { name: target } = await requireWebhook(transaction, id)
      const details = { fields: ['secret'] }
      await insertAuditEntry(transaction, actor, { action: 'webhook.update', target_id: id, target, details })
    }
    return { webhook: await requireWebhook(transaction, id), secret: showWebhookSecret(secret) }
  })
}

export interface WebhookChange extends Partial<WebhookInput> {
  /** Pauses or resumes; a resumed webhook sends at once what has been waiting. */
  paused?: boolean | undefined
  /** Whether a new secret replaces the present one */
  new_secret?: boolean | undefined
}

/**
 * Changes a webhook and writes an audit entry. Events of a type that is removed are not sent any more.
 * @param version version that the change is based on; undefined skips the check
 * @throws WEBHOOK_NOT_FOUND if the webhook does not exist
 * @throws VersionOutdated if the webhook has changed since `version`
 */
export async function changeWebhook(
  db: Kysely<Database>,
  actor: Actor,
  { id, change, version, at }: { id: number; change: WebhookChange; version?: number | undefined; at: Date },
): Promise<WebhookWithSecret> {
  return db.transaction().execute(async (transaction) => {
    const before = await lockWebhook(transaction, id)
    if (before === undefined) throw WEBHOOK_NOT_FOUND
    requireVersion(version, before.edit_version)
    const { paused, new_secret = false, ...values } = change
    const fields = (['name', 'url', 'kind', 'events', 'include_names'] as const).filter(
      (field) => values[field] !== undefined && String(values[field]) !== String(before[field]),
    )
    const isPausing = paused === true && before.paused_at === null
    const isResuming = paused === false && before.paused_at !== null
    const secret = new_secret ? createWebhookSecret() : undefined
    if (fields.length === 0 && !isPausing && !isResuming && secret === undefined) {
      return { webhook: await requireWebhook(transaction, id) }
    }
    // A new address or a resumption sends at once, and resets the count and the start of the faults.
    const startsAnew = isResuming || fields.includes('url') || fields.includes('kind')
    await updateWebhook(transaction, id, {
      ...Object.fromEntries(fields.map((field) => [field, values[field]])),
      ...(secret !== undefined && { secret }),
      ...(isPausing && { paused_at: at, pause_cause: 'hand' as const }),
      ...(isResuming && { paused_at: null, pause_cause: null }),
      ...(startsAnew && { failing_since: null, faults: 0, next_attempt_at: null }),
    })
    if (fields.includes('events')) {
      await deleteWaiting(
        transaction,
        id,
        before.events.filter((event) => values.events?.includes(event) === false),
      )
    }
    const webhook = await requireWebhook(transaction, id)
    const shown = [
      ...fields,
      ...(secret === undefined ? [] : ['secret']),
      ...(isPausing || isResuming ? ['paused'] : []),
    ]
    const { events, include_names } = webhook
    await insertAuditEntry(transaction, actor, {
      action: 'webhook.update',
      target_id: id,
      target: webhook.name,
      details: {
        fields: shown,
        ...(fields.includes('url') && { host: hostOf(webhook.url) }),
        ...(fields.includes('events') && { events }),
        ...(fields.includes('include_names') && { include_names }),
        ...((isPausing || isResuming) && { paused: isPausing }),
      },
    })
    return { webhook, ...(secret !== undefined && { secret: showWebhookSecret(secret) }) }
  })
}

/** Deletes a webhook with its events, if it exists, and writes an audit entry. */
export async function removeWebhook(db: Kysely<Database>, actor: Actor, id: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const deleted = await deleteWebhook(transaction, id)
    if (deleted === undefined) return
    const { name: target, url } = deleted
    const details = { host: hostOf(url) }
    await insertAuditEntry(transaction, actor, { action: 'webhook.delete', target_id: id, target, details })
  })
}

/** Outcome of a message that was sent beside the lane, with a German sentence */
export interface Sent extends Pick<Outcome, 'status' | 'fault' | 'answer'> {
  ok: boolean
  message: string
}

export type DirectContext = Pick<SenderContext, 'rules' | 'resolveName' | 'defaultLanguage' | 'publicUrl'> & {
  signal: AbortSignal
}

/**
 * Sends a test event at once, beside the waiting events and also if the webhook is paused, and writes an audit entry.
 * @throws WEBHOOK_NOT_FOUND if the webhook does not exist
 * @throws the reason of the signal if it is aborted
 */
export async function sendTestEvent(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  context: DirectContext,
): Promise<Sent> {
  const target = await findTarget(db, id)
  const webhook = await findWebhook(db, id)
  if (target === undefined || webhook === undefined) throw WEBHOOK_NOT_FOUND
  const event = { message_id: randomUUID(), type: TEST_EVENT, data: {}, created_at: new Date() } as const
  await insertAuditEntry(db, actor, { action: 'webhook.test', target_id: id, target: webhook.name })
  const outcome = await post(db, target, event, context)
  const isDelivered = judge(outcome) === 'delivered'
  await insertTestEvent(db, id, event, outcome, isDelivered)
  await deleteOldDeliveries(db, id, KEPT_DELIVERIES)
  return describe(outcome)
}

/**
 * Sends an event that was delivered or refused again at once, with the same `webhook-id`, and writes an audit entry.
 * @throws WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND if the webhook or the event does not exist
 * @throws DELIVERY_WAITING if the event still waits in its lane
 * @throws the reason of the signal if it is aborted
 */
export async function sendAgain(
  db: Kysely<Database>,
  actor: Actor,
  { id, delivery }: { id: number; delivery: number },
  context: DirectContext,
): Promise<Sent> {
  const target = await findTarget(db, id)
  const webhook = await findWebhook(db, id)
  if (target === undefined || webhook === undefined) throw WEBHOOK_NOT_FOUND
  const event = await findEvent(db, id, delivery)
  if (event === undefined) throw DELIVERY_NOT_FOUND
  if (event.state === 'waiting') throw DELIVERY_WAITING
  const details = { delivery, type: event.type }
  await insertAuditEntry(db, actor, { action: 'webhook.resend', target_id: id, target: webhook.name, details })
  const outcome = await post(db, target, event, context)
  await recordAttempt(db, delivery, outcome, judge(outcome) === 'delivered')
  return describe(outcome)
}

async function post(
  db: Kysely<Database>,
  target: Target,
  event: StoredEvent,
  { rules, resolveName, signal, ...settings }: DirectContext,
): Promise<Outcome> {
  const names = target.include_names ? await findNames(db, personsIn([event])) : new Map<number, string>()
  const receiver = openReceiver(new URL(target.url), rules, resolveName)
  try {
    return await receiver.post(writeMessage(target, event, names, settings), signal)
  } finally {
    receiver.close()
  }
}

function describe(outcome: Outcome): Sent {
  const { status, fault, answer } = outcome
  return { ok: judge(outcome) === 'delivered', status, fault, answer, message: describeOutcome(outcome) }
}

async function requireWebhook(transaction: Transaction<Database>, id: number): Promise<Webhook> {
  const webhook = await findWebhook(transaction, id)
  if (webhook === undefined) throw WEBHOOK_NOT_FOUND
  return webhook
}
