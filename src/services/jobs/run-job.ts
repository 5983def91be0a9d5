import type { Kysely } from 'kysely'
import { extendLease, finishRun, releaseLease, takeLease } from '../../../db/queries/jobs.js'
import type { Database } from '../../../db/types.js'
import type { Job, JobContext, JobSummary } from './job.js'

export interface RunJobOptions extends Omit<JobContext, 'db' | 'renewLease'> {
  /** Day of a nightly run (`YYYY-MM-DD`); undefined for a run by hand and for jobs that run more often */
  night?: string
}

/** Thrown in a job that lost its lease to another instance, for example because this process was suspended. */
export class LeaseLost extends Error {}

/**
 * Runs a job under its lease and returns its summary. Returns undefined if the job is already running, or if the run of
 * this night is already complete.
 * @throws the reason of the signal if the job was aborted; the night is then not recorded as complete
 * @throws LeaseLost if the lease expired and another instance has taken it
 */
export async function runJob(
  db: Kysely<Database>,
  { name, run }: Pick<Job, 'name' | 'run'>,
  { night, ...options }: RunJobOptions,
): Promise<JobSummary | undefined> {
  const lease = await takeLease(db, name, night ?? null)
  if (lease === undefined) return undefined
  let held = lease
  const renewLease = async () => {
    const extended = await extendLease(db, name, held)
    if (extended === undefined) throw new LeaseLost(`another instance has taken over the job ${name}`)
    held = extended
  }
  try {
    const summary = await run({ ...options, db, renewLease })
    await finishRun(db, name, held, options.userId === undefined ? (night ?? null) : null, summary)
    return summary
  } catch (error) {
    await releaseLease(db, name, held)
    throw error
  }
}
