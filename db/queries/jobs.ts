import { type Kysely, sql } from 'kysely'
import type { Database } from '../types.js'

// Raw SQL: the lease is taken only under the condition of `on conflict do update … where`, with aliases.

/** End of a new lease; an instance that has not extended its lease by then is considered dead. */
const LEASE = sql<Date>`now() + interval '5 minutes'`

/**
 * Takes the lease of a job. Returns its end, which identifies the holder, or undefined if the lease is held or the run
 * of this night has finished.
 * @param night day of the run as `YYYY-MM-DD`; null for a manual run
 */
export async function takeLease(db: Kysely<Database>, name: string, night: string | null): Promise<Date | undefined> {
  const { rows } = await sql<{ leased_until: Date }>`
    insert into job_runs as run (name, leased_until) values (${name}, ${LEASE})
    on conflict (name) do update set leased_until = excluded.leased_until
      where (run.leased_until is null or run.leased_until <= now())
        and (${night}::date is null or run.finished_on is null or run.finished_on < ${night}::date)
    returning leased_until`.execute(db)
  return rows[0]?.leased_until
}

/** Extends the lease whose end is `held` and returns its new end; undefined if the lease is no longer held. */
export async function extendLease(db: Kysely<Database>, name: string, held: Date): Promise<Date | undefined> {
  const row = await updateHeld(db, name, held).set({ leased_until: LEASE }).returning('leased_until').executeTakeFirst()
  return row?.leased_until ?? undefined
}

export async function releaseLease(db: Kysely<Database>, name: string, held: Date): Promise<void> {
  await updateHeld(db, name, held).set({ leased_until: null }).execute()
}

/**
 * Records a complete run and releases the lease whose end is `held`; does nothing if the lease is no longer held.
 * @param night day of the run as `YYYY-MM-DD`; null for a manual run
 */
export async function finishRun(
  db: Kysely<Database>,
  name: string,
  held: Date,
  night: string | null,
  summary: unknown,
): Promise<void> {
  await updateHeld(db, name, held)
    .set({ leased_until: null, finished_at: sql<Date>`now()`, summary: JSON.stringify(summary) })
    .$if(night !== null, (query) => query.set({ finished_on: night }))
    .execute()
}

/** The database stores microseconds, a `Date` only milliseconds. */
function updateHeld(db: Kysely<Database>, name: string, held: Date) {
  return db
    .updateTable('job_runs')
    .where('name', '=', name)
    .where(sql<boolean>`date_trunc('milliseconds', leased_until) = ${held}::timestamptz`)
}

export interface JobRun {
  name: string
  finished_at: Date | null
  summary: unknown
}

export async function listJobRuns(db: Kysely<Database>): Promise<JobRun[]> {
  return db.selectFrom('job_runs').select(['name', 'finished_at', 'summary']).orderBy('name').execute()
}
