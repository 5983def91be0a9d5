import { type Kysely, sql } from 'kysely'
import type { Database } from '../types.js'

// Raw SQL: the horizon comes from `pg_locks`, and conditions compare with a subquery of the log.

export const CHANGES_KEPT_DAYS = 90

/** `reset`: changes before it are unknown, because of an upgrade or a restore */
export const CHANGE_KINDS = [
  'account',
  'person',
  'right',
  'team',
  'member',
  'role',
  'occurrence',
  'assignment',
  'overseer',
  'proof',
  'reset',
] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

export interface ChangeWindow {
  /** Every change that a later statement does not see has this instant or a later one. */
  horizon: Date
  /** Time of the database */
  now: Date
  /** Whether the log may lack changes since the given instant, or the caller has got other rights since then */
  is_gone: boolean
}

/**
 * Reads up to which instant all changes are committed: now, or the earliest start of a transaction that has logged a
 * change and is not over. Must be a statement of its own before the one that reads changes: a transaction that this
 * statement does not see holding its lock has either committed, or takes its instants later.
 */
export async function readChangeWindow(
  db: Kysely<Database>,
  { since, userId }: { since: Date; userId: number },
): Promise<ChangeWindow> {
  // An instant in the future was read before the clock was set back.

  const { rows } = await sql<ChangeWindow>`
    select date_trunc('milliseconds', least(statement_timestamp(), (
        select min(to_timestamp(((classid::bigint & 65535) << 32 | objid::bigint) / 1000.0)) from pg_locks
        where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = 23620
          and database = (select oid from pg_database where datname = current_database())
      ))) as horizon,
      statement_timestamp() as now,
      ${since}::timestamptz < statement_timestamp() - make_interval(days => ${CHANGES_KEPT_DAYS})
        or ${since}::timestamptz > statement_timestamp() + interval '1 minute'
        or exists (select from changes where kind = 'reset' and changed_at >= ${since}::timestamptz)
        or exists (
          select from changes where kind = 'right' and changed_at >= ${since}::timestamptz and object_id = ${userId}
        ) as is_gone`.execute(db)
  return rows[0] as ChangeWindow
}

/** What a query of changed ids gets */
export interface ChangedIds {
  since: Date
  /** Only higher ids */
  after: number
  limit: number
}

/** Changes of a kind since an instant, as a table for `from` */
export const changesSince = (kind: ChangeKind, since: Date) => sql`
  (select object_id, scope_id from changes where kind = ${kind} and changed_at >= ${since}::timestamptz)`

/** Table of the entries of a list */
export type ListedTable = 'users' | 'teams' | 'occurrences' | 'proofs'

/** Returns those of the ids that the table has no more. A replaced proof counts as deleted. */
export async function listDeleted(db: Kysely<Database>, table: ListedTable, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${ids}::integer[]) as missing (id)
    where not exists (
      select from ${sql.table(table)} as entry
      where entry.id = missing.id ${table === 'proofs' ? sql`and replaced_by is null` : sql``})`.execute(db)
  return rows.map(({ id }) => id)
}

/** Logs that earlier changes are unknown, unless the restore of a backup whose schema has the log has done so. */
export async function logReset(db: Kysely<Database>): Promise<void> {
  await sql`
    insert into changes (kind, object_id)
    select 'reset', 0 where not exists (select from changes where kind = 'reset')`.execute(db)
}
