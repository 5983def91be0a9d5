import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { type DeliveryState, GIVE_UP_HOURS, type Outcome } from '../../../src/domain/webhooks/delivery.js'
import type { EventType, StoredEvent } from '../../../src/domain/webhooks/events.js'
import type { Database } from '../../types.js'

// Raw SQL: an event and its webhook change in one statement, and the lease is taken only under conditions on the clock
// of the database.

/** How a webhook is sent to */
export type Target = Pick<
  Selectable<Database['webhooks']>,
  'id' | 'url' | 'kind' | 'include_names' | 'secret' | 'edit_version' | 'faults'
>

/** An event that is sent. */
export interface OutgoingEvent extends StoredEvent {
  id: number
  attempts: number
}

/**
 * Duration of a lease. Exceeds the timeout of a request, which is sent only with a lease that was extended just before:
 * another process cannot send from the same lane meanwhile. A lane whose process has died is free after this time.
 */
const LEASE = sql`now() + interval '30 seconds'`

const TARGET = sql`webhooks.id, url, kind, include_names, secret, edit_version, faults`

/** Webhooks that may send now: not paused, no pause after a fault, and not leased */
const IS_FREE = sql<boolean>`(
  paused_at is null and coalesce(next_attempt_at <= now(), true) and coalesce(leased_until <= now(), true))`

/** Returns the ids of webhooks with waiting events that may be sent now. */
export async function listDueWebhooks(db: Kysely<Database>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from webhooks
    where ${IS_FREE} and exists (select from webhook_events where webhook_id = webhooks.id and state = 'waiting')
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Takes the lease of a webhook. Returns undefined if another process holds it, or if the webhook may not send now. */
export async function takeLane(db: Kysely<Database>, id: number, lease: string): Promise<Target | undefined> {
  const { rows } = await sql<Target>`
    update webhooks set lease = ${lease}::uuid, leased_until = ${LEASE} where id = ${id} and ${IS_FREE}
    returning ${TARGET}`.execute(db)
  return rows[0]
}

/**
 * Extends a lease. Returns the current settings of the webhook; undefined if the lease is lost, or if the webhook was
 * paused or deleted.
 */
export async function holdLane(db: Kysely<Database>, id: number, lease: string): Promise<Target | undefined> {
  const { rows } = await sql<Target>`
    update webhooks set leased_until = ${LEASE} where id = ${id} and lease = ${lease}::uuid and paused_at is null
    returning ${TARGET}`.execute(db)
  return rows[0]
}

export async function releaseLane(db: Kysely<Database>, id: number, lease: string): Promise<void> {
  await sql`
    update webhooks set lease = null, leased_until = null where id = ${id} and lease = ${lease}::uuid`.execute(db)
}

/**
 * Returns the oldest waiting events. Ids are assigned before events are committed, so an event may become visible after
 * later ones were sent; it is the next one then.
 */
export async function listWaiting(db: Kysely<Database>, webhookId: number, limit: number): Promise<OutgoingEvent[]> {
  return (
    db
      .selectFrom('webhook_events')
      .select(['id', 'message_id', 'type', 'data', 'created_at', 'attempts'])
      .where('webhook_id', '=', webhookId)
      // A literal, because the index is partial.
      .where('state', '=', sql.lit('waiting'))
      .orderBy('id')
      .limit(limit)
      .execute()
  )
}

/** Returns the display names of persons by id. */
export async function findNames(db: Kysely<Database>, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['id', 'display_name'])
    .where('id', '=', ({ fn, val }) => fn.any(val([...new Set(ids)])))
    .execute()
  return new Map(rows.map(({ id, display_name }) => [id, display_name]))
}

interface Attempt {
  webhookId: number
  lease: string
  eventId: number
  outcome: Outcome
}

/**
 * Settles an event that was delivered or refused, and extends the lease. Settles the event also if the lease is lost,
 * because the receiver has answered.
 * @returns the settings of the webhook for the next event; undefined under the conditions of `holdLane`
 */
export async function settleEvent(
  db: Kysely<Database>,
  { webhookId, lease, eventId, outcome: { status, fault, answer } }: Attempt,
  state: Exclude<DeliveryState, 'waiting'>,
): Promise<Target | undefined> {
  const { rows } = await sql<Target & { goes_on: boolean }>`
    with settled as (
      update webhook_events set state = ${state}, attempts = attempts + 1, attempted_at = now(),
        status = ${status}::integer, fault = ${fault}::text, answer = ${answer}
      where id = ${eventId} and (state = 'waiting' or ${state === 'delivered'})
    )
    update webhooks set leased_until = ${LEASE}, failing_since = null, faults = 0,
      next_attempt_at = null, last_delivered_at = case when ${state === 'delivered'} then now() else last_delivered_at end
    where id = ${webhookId} and lease = ${lease}::uuid
    returning ${TARGET}, paused_at is null as goes_on`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { goes_on, ...target } = row
  return goes_on ? target : undefined
}

/**
 * Notes a failed attempt after which the event waits, and ends the lease. Pauses the webhook if its attempts have failed
 * for `GIVE_UP_HOURS`.
 * @param delay seconds until the next attempt
 * @returns whether the webhook was paused
 */
export async function postponeEvent(
  db: Kysely<Database>,
  { webhookId, lease, eventId, outcome: { status, fault, answer } }: Attempt,
  delay: number,
): Promise<boolean> {
  // The service may have been down when the attempt was due; that time does not count.
  const late = sql`case when next_attempt_at < now() - interval '10 minutes' then now() - next_attempt_at
    else interval '0' end`
  const isOver = sql`coalesce(failing_since + ${late} <= now() - make_interval(hours => ${GIVE_UP_HOURS}), false)`
  const { rows } = await sql<{ is_paused: boolean }>`
    with postponed as (
      update webhook_events set attempts = attempts + 1, attempted_at = now(), status = ${status}::integer,
        fault = ${fault}::text, answer = ${answer}
      where id = ${eventId} and state = 'waiting'
    )
    update webhooks set lease = null, leased_until = null, failing_since = coalesce(failing_since + ${late}, now()),
      faults = faults + 1, next_attempt_at = now() + make_interval(secs => ${delay}),
      paused_at = case when ${isOver} then coalesce(paused_at, now()) else paused_at end,
      pause_cause = case when ${isOver} then coalesce(pause_cause, 'faults') else pause_cause end
    where id = ${webhookId} and lease = ${lease}::uuid
    returning pause_cause is not distinct from 'faults' as is_paused`.execute(db)
  return rows[0]?.is_paused ?? false
}

/** Returns how a webhook is sent to, regardless of its lease. */
export async function findTarget(db: Kysely<Database>, id: number): Promise<Target | undefined> {
  const { rows } = await sql<Target>`select ${TARGET} from webhooks where id = ${id}`.execute(db)
  return rows[0]
}

export async function findEvent(
  db: Kysely<Database>,
  webhookId: number,
  id: number,
): Promise<(OutgoingEvent & { state: DeliveryState }) | undefined> {
  return db
    .selectFrom('webhook_events')
    .select(['id', 'message_id', 'type', 'data', 'created_at', 'attempts', 'state'])
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()
}

/** Stores the outcome of an attempt beside the lane. Skips a waiting event; a delivered event stays delivered. */
export async function recordAttempt(
  db: Kysely<Database>,
  id: number,
  { status, fault, answer }: Outcome,
  isDelivered: boolean,
): Promise<void> {
  await sql`
    update webhook_events set attempts = attempts + 1, attempted_at = now(), status = ${status}::integer,
      fault = ${fault}::text, answer = ${answer}, state = case when ${isDelivered} then 'delivered' else state end
    where id = ${id} and state <> 'waiting'`.execute(db)
}

/** Stores a test event with its outcome; does nothing if the webhook was deleted meanwhile. */
export async function insertTestEvent(
  db: Kysely<Database>,
  webhookId: number,
  { message_id, type, created_at }: Omit<StoredEvent, 'data'> & { type: EventType },
  { status, fault, answer }: Outcome,
  isDelivered: boolean,
): Promise<void> {
  await sql`
    insert into webhook_events (webhook_id, message_id, type, data, created_at, state, attempts, attempted_at, status,
      fault, answer)
    select id, ${message_id}::uuid, ${type}, '{}', ${created_at}::timestamptz, ${isDelivered ? 'delivered' : 'failed'},
      1, now(), ${status}::integer, ${fault}::text, ${answer}
    from webhooks where id = ${webhookId} for key share`.execute(db)
}

/** Deletes the settled events of a webhook except the newest ones. @param keep number of events that stay */
export async function deleteOldDeliveries(db: Kysely<Database>, webhookId: number, keep: number): Promise<void> {
  await sql`
    delete from webhook_events where webhook_id = ${webhookId} and state <> 'waiting' and id <= (
      select id from webhook_events where webhook_id = ${webhookId} and state <> 'waiting'
      order by id desc offset ${keep} limit 1)`.execute(db)
}

/**
 * Deletes the settled events about a person and removes the external id from waiting ones. Called when the account is
 * deleted; receivers know the person by the id.
 */
export async function forgetPerson(transaction: Transaction<Database>, userId: number): Promise<void> {
  const person = JSON.stringify({ person: { id: userId } })
  const listed = JSON.stringify({ overdue: [{ person: { id: userId } }] })
  await sql`
    delete from webhook_events
    where state <> 'waiting' and (data @> ${person}::jsonb or data @> ${listed}::jsonb)`.execute(transaction)
  await sql`
    update webhook_events set data = jsonb_set(data, '{person,external_id}', 'null')
    where state = 'waiting' and data @> ${person}::jsonb`.execute(transaction)
  await sql`
    update webhook_events set data = jsonb_set(data, '{overdue}', (
      select jsonb_agg(case when entry @> ${person}::jsonb then jsonb_set(entry, '{person,external_id}', 'null')
        else entry end order by position)
      from jsonb_array_elements(data -> 'overdue') with ordinality as listed (entry, position)))
    where state = 'waiting' and data @> ${listed}::jsonb`.execute(transaction)
}

/**
 * Deletes at most `limit` events that were created before an instant, whatever their state, and returns their number.
 */
export async function deleteOldEvents(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_events where id in (
      select id from webhook_events where created_at < ${before} order by id limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
