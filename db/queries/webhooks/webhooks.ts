import { type Insertable, type Kysely, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import type { Database } from '../../types.js'

// Raw SQL: an advisory lock is a function call without a table, and counts are taken in subqueries.

export type WebhookRow = Selectable<Database['webhooks']>

/** A webhook as administrators see it: without its secret; `url` must be reduced to its host before it is shown. */
export interface Webhook
  extends Pick<
    WebhookRow,
    | 'id'
    | 'name'
    | 'url'
    | 'kind'
    | 'events'
    | 'include_names'
    | 'created_at'
    | 'paused_at'
    | 'pause_cause'
    | 'last_delivered_at'
    | 'failing_since'
    | 'next_attempt_at'
  > {
  version: number
  /** Number of waiting events */
  waiting: number
  /** Number of kept events that were refused */
  failed: number
}

function selectWebhooks(db: Kysely<Database>) {
  const countIn = (state: 'waiting' | 'failed') =>
    sql<number>`(
      select count(*)::integer from webhook_events where webhook_id = webhooks.id and state = ${sql.lit(state)})`
  return db
    .selectFrom('webhooks')
    .select([
      'id',
      'name',
      'url',
      'kind',
      'events',
      'include_names',
      'created_at',
      'paused_at',
      'pause_cause',
      'last_delivered_at',
      'failing_since',
      'next_attempt_at',
      'edit_version as version',
      countIn('waiting').as('waiting'),
      countIn('failed').as('failed'),
    ])
}

export async function listWebhooks(db: Kysely<Database>): Promise<Webhook[]> {
  return selectWebhooks(db).orderBy(sql`lower(name)`).orderBy('id').execute()
}

export async function findWebhook(db: Kysely<Database>, id: number): Promise<Webhook | undefined> {
  return selectWebhooks(db).where('id', '=', id).executeTakeFirst()
}

/** Lets creations wait for each other until the transaction ends. Returns the number of webhooks. */
export async function lockWebhooks(transaction: Transaction<Database>): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('svc-training webhooks'))`.execute(transaction)
  const { count } = await transaction
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Locks the row. Events can still be written for the webhook meanwhile. */
export async function lockWebhook(transaction: Transaction<Database>, id: number): Promise<WebhookRow | undefined> {
  return transaction.selectFrom('webhooks').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

export async function insertWebhook(
  transaction: Transaction<Database>,
  webhook: Pick<Insertable<Database['webhooks']>, 'name' | 'url' | 'kind' | 'events' | 'include_names' | 'secret'>,
): Promise<number> {
  const { id } = await transaction.insertInto('webhooks').values(webhook).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateWebhook(
  transaction: Transaction<Database>,
  id: number,
  change: Updateable<Database['webhooks']>,
): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set((eb) => ({ ...change, edit_version: eb('edit_version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Deletes a webhook with its events. Returns the deleted row; undefined if it does not exist. */
export async function deleteWebhook(
  transaction: Transaction<Database>,
  id: number,
): Promise<Pick<WebhookRow, 'name' | 'url'> | undefined> {
  return transaction.deleteFrom('webhooks').where('id', '=', id).returning(['name', 'url']).executeTakeFirst()
}

/** Deletes the waiting events of these types. */
export async function deleteWaiting(
  transaction: Transaction<Database>,
  id: number,
  types: readonly string[],
): Promise<void> {
  await sql`
    delete from webhook_events
    where webhook_id = ${id} and state = 'waiting' and type = any(${types}::text[])`.execute(transaction)
}

export type Delivery = Omit<Selectable<Database['webhook_events']>, 'webhook_id' | 'data'>

/** Returns the events of a webhook, newest first. @param before only events with a lower id */
export async function listDeliveries(
  db: Kysely<Database>,
  webhookId: number,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Delivery[]> {
  return db
    .selectFrom('webhook_events')
    .select([
      'id',
      'message_id',
      'type',
      'created_at',
      'state',
      'attempts',
      'attempted_at',
      'status',
      'fault',
      'answer',
    ])
    .where('webhook_id', '=', webhookId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
