import { type Kysely, sql } from 'kysely'
import type { Database } from '../types.js'

/** End of a new lease; an instance that has not extended its lease by then is considered dead. */
const LEASE = sql`now() + interval '5 minutes'`

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
  const { rows } = await sql<{ leased_until: Date }>`
    update job_runs set leased_until = ${LEASE}
    where name = ${name} and date_trunc('milliseconds', leased_until) = ${held}::timestamptz
    returning leased_until`.execute(db)
  return rows[0]?.leased_until
}

export async function releaseLease(db: Kysely<Database>, name: string, held: Date): Promise<void> {
  await sql`
    update job_runs set leased_until = null
    where name = ${name} and date_trunc('milliseconds', leased_until) = ${held}::timestamptz`.execute(db)
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
  await sql`
    update job_runs set leased_until = null, finished_on = coalesce(${night}::date, finished_on), finished_at = now(),
      summary = ${JSON.stringify(summary)}::jsonb
    where name = ${name} and date_trunc('milliseconds', leased_until) = ${held}::timestamptz`.execute(db)
}

export interface JobRun {
  name: string
  finished_at: Date | null
  summary: unknown
}

export async function listJobRuns(db: Kysely<Database>): Promise<JobRun[]> {
  return db.selectFrom('job_runs').select(['name', 'finished_at', 'summary']).orderBy('name').execute()
}
