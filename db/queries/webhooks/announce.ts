import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { EventData, WebhookEvent } from '../../../src/domain/webhooks/events.js'
import { OVERDUE_PERSONS } from '../../../src/domain/webhooks/events.js'
import type { Database } from '../../types.js'
import { IS_NOT_MADE_UP } from '../assignments/missed.js'

// Raw SQL: events are written by the statement that makes them happen, in a CTE, so that no event is lost or invented.
// They are built as JSON in SQL, so that ten thousand events are one statement.

/** SQL of the parts of an event, for a statement with the tables `users`, `occurrences` and `assignments` */
const PERSON = sql`jsonb_build_object('id', users.id, 'external_id', users.external_id)`
const ASSIGNMENT = sql`jsonb_build_object(
  'id', assignments.id, 'title', assignments.title, 'mandatory', assignments.mandatory)`

/**
 * Builds the statement that writes events to the outbox of each webhook that wants them; without such a webhook it does
 * nothing. It is a CTE of the statement that makes the events happen, or a statement of the same transaction.
 * @param happened query with the column `data` (`EventData`) and `position`, the order of the events
 */
export function insertEvents(type: WebhookEvent, happened: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into webhook_events (webhook_id, type, data)
    select webhooks.id, ${sql.lit(type)}, event.data
    from webhooks cross join (${happened}) as event
    where ${sql.lit(type)} = any(webhooks.events)
    order by event.position, webhooks.id
    -- Waits for a concurrent deletion of the webhook, which then yields no row instead of an error.
    for key share of webhooks`
}

/** Writes an event in the transaction in which it happens. */
export async function announce(transaction: Transaction<Database>, type: WebhookEvent, data: EventData): Promise<void> {
  await insertEvents(type, sql`select ${JSON.stringify(data)}::jsonb as data, 1 as position`).execute(transaction)
}

/**
 * Builds the events of occurrences that a CTE of the statement has written.
 * @param written name of the CTE, with the columns `id`, `assignment_id`, `user_id`, `period`, `due_on` (extensions
 * included) and `done_on`
 * @param condition which of its rows count
 */
export function insertOccurrenceEvents(
  type: 'assignment.assigned' | 'assignment.completed',
  written: string,
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const row = sql.ref(written)
  return insertEvents(
    type,
    sql`
      select ${row}.id as position, jsonb_build_object(
        'occurrence', jsonb_strip_nulls(jsonb_build_object(
          'id', ${row}.id, 'period', ${row}.period, 'due_on', ${row}.due_on, 'completed_on', ${row}.done_on)),
        'assignment', ${ASSIGNMENT}, 'person', ${PERSON}) as data
      from ${sql.table(written)}
        join assignments on assignments.id = ${row}.assignment_id
        join users on users.id = ${row}.user_id
      where ${condition}`,
  )
}

/**
 * Builds the events of certificates that a CTE of the statement has written. The certificate that one replaces must be
 * stored before the statement.
 * @param written name of the CTE with rows of `proofs`
 * @param revokedAt when they were revoked; undefined if they were issued
 */
export function insertProofEvents(
  type: 'proof.issued' | 'proof.revoked',
  written: string,
  revokedAt?: Date,
): RawBuilder<unknown> {
  const row = sql.ref(written)
  return insertEvents(
    type,
    sql`
      select ${row}.id as position, jsonb_build_object(
        'proof', jsonb_build_object('id', ${row}.id, 'code', ${row}.code, 'completed_on', ${row}.completed_on,
          'valid_until', ${row}.valid_until)
          || jsonb_strip_nulls(jsonb_build_object('replaces', (
            select replaced.id from proofs as replaced where replaced.code = ${row}.snapshot::jsonb ->> 'replaces')))
          || ${JSON.stringify({ revoked_at: revokedAt })}::jsonb,
        'occurrence', jsonb_build_object('id', ${row}.occurrence_id, 'period', ${row}.snapshot::jsonb ->> 'period'),
        'assignment', jsonb_build_object('id', ${row}.assignment_id, 'title', ${row}.snapshot::jsonb ->> 'title'),
        'person', jsonb_build_object('id', ${row}.user_id, 'external_id', users.external_id)) as data
      from ${sql.table(written)} left join users on users.id = ${row}.user_id`,
  )
}

/**
 * Writes the events of accounts that are disabled now and were not before, and notes which ones are disabled. Must be
 * called in the transaction of each change of `disabled_on`; a job calls it for days that were planned.
 * @param ids accounts that have changed; undefined for all
 * @param today calendar day, `YYYY-MM-DD`
 * @returns the number of accounts that are disabled now and were not before
 */
export async function announceDisabled(
  db: Kysely<Database>,
  { ids, today }: { ids?: readonly number[]; today: string },
): Promise<number> {
  const isDisabled = sql`(disabled_on is not null and disabled_on <= ${today}::date)`
  const concerned =
    ids === undefined ? sql`(disabled_on is not null or disabled_announced)` : sql`id = any(${ids}::integer[])`
  const { rows } = await sql<{ count: number }>`
    with changed as (
      update users set disabled_announced = not disabled_announced
      where ${concerned} and disabled_announced <> ${isDisabled}
      returning id, external_id, disabled_on, disabled_announced
    ), written as (
      ${insertEvents(
        'account.disabled',
        sql`
          select id as position, jsonb_build_object(
            'person', jsonb_build_object('id', id, 'external_id', external_id), 'disabled_on', disabled_on) as data
          from changed where disabled_announced`,
      )}
    )
    select count(*)::integer as count from changed where disabled_announced`.execute(db)
  return rows[0]?.count ?? 0
}

/** Notes which of new accounts are disabled already. Their deactivation is no event, because they never were enabled. */
export async function noteDisabledFromStart(
  transaction: Transaction<Database>,
  { ids, today }: { ids: readonly number[]; today: string },
): Promise<void> {
  await sql`
    update users set disabled_announced = true
    where id = any(${ids}::integer[]) and disabled_on <= ${today}::date`.execute(transaction)
}

/**
 * Writes the events of the day about overdue tasks for the webhooks that have not got them today: for each assignment
 * one event with at most `OVERDUE_PERSONS` persons, or several. A person with a missed period counts as overdue before
 * the due day, too. Disabled accounts are left out.
 * @param today calendar day, `YYYY-MM-DD`
 * @returns the number of events
 */
export async function announceOverdue(db: Kysely<Database>, today: string): Promise<number> {
  // Aggregates the missed periods instead of `MISSED`, which runs once per row.
  const { numAffectedRows } = await sql`
    with told as (
      update webhooks set overdue_on = ${today}::date
      where 'assignment.overdue' = any(events) and overdue_on is distinct from ${today}::date
      returning id
    ), overdue as (
      select assignments.id as assignment_id, ${ASSIGNMENT} as assignment,
        count(*) over (partition by assignments.id) as persons,
        (row_number() over (partition by assignments.id order by occurrences.id) - 1) / ${OVERDUE_PERSONS} as part,
        jsonb_build_object('person', ${PERSON}, 'occurrence', jsonb_build_object('id', occurrences.id,
          'period', period, 'due_on', coalesce(extended_until, occurrences.due_on))) as entry, occurrences.id
      from occurrences
        join assignments on assignments.id = assignment_id and archived_at is null
        join users on users.id = user_id
        left join (
          select distinct assignment_id, user_id from occurrences as gone where ${IS_NOT_MADE_UP}
        ) as missed using (assignment_id, user_id)
      where exists (select from told) and state in ('open', 'in_progress')
        and (coalesce(extended_until, occurrences.due_on) < ${today}::date or missed.user_id is not null)
        and (disabled_on is null or disabled_on > ${today}::date)
    )
    insert into webhook_events (webhook_id, type, data)
    select told.id, 'assignment.overdue', event.data
    from told cross join (
      select assignment_id, part, jsonb_build_object('day', ${today}::date, 'assignment', assignment,
        'persons', persons, 'overdue', jsonb_agg(entry order by id)) as data
      from overdue group by assignment_id, assignment, persons, part
    ) as event
    order by assignment_id, part, told.id`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
