import type { Kysely } from 'kysely'
import { extendLease, finishRun, releaseLease, takeLease } from '../../../db/queries/jobs.js'
import type { Database } from '../../../db/types.js'
import type { MailSettings } from '../../domain/mail/settings.js'
import type { Language } from '../../domain/text/language.js'
import type { Moment } from '../../domain/time/calendar.js'

/**
 * Results that stay when the answers of an attempt are deleted: `all` of them, or with `passed` only the version, the
 * times, and whether the attempt was passed
 */
export type ResultsKeep = 'all' | 'passed'

export interface JobContext {
  db: Kysely<Database>
  /** Returns an instant with its calendar day in the service's time zone; the current instant by default. */
  moment: (at?: Date) => Moment
  /** IANA name of the service's time zone */
  timeZone: string
  /** Name of the company, which heads new certificates; undefined if not configured */
  companyName?: string | undefined
  /** Days for which the answers of an attempt are kept; see `deleteAnswersBefore` */
  answersKeepDays: number
  resultsKeep: ResultsKeep
  mail?: MailSettings | undefined
  /** Language of mails to persons without a known one */
  defaultLanguage: Language
  /** Public address of the service, ending with a slash; undefined if not configured */
  publicUrl?: string | undefined
  /** Whether mails stay in the outbox; true while the service runs with a simulated date */
  isMailHeld?: boolean
  /** Aborts the job without leaving a batch half written */
  signal: AbortSignal
  /** Limits a run by hand to this user; undefined for all users */
  userId?: number | undefined
  /** Extends the lease, which ends after 5 minutes. @throws LeaseLost if another instance has taken the lease */
  renewLease: () => Promise<void>
  /** Reports an error that does not end the job. */
  onError: (error: unknown, facts: Record<string, unknown>) => void
}

type JobSettings = Pick<
  JobContext,
  'timeZone' | 'companyName' | 'answersKeepDays' | 'resultsKeep' | 'mail' | 'defaultLanguage' | 'publicUrl'
>

/** Returns the settings that jobs need. Mails stay in the outbox while the date is simulated. */
export function jobSettings(config: JobSettings & { simulatedDate: string | undefined }) {
  const { timeZone, companyName, answersKeepDays, resultsKeep, mail, defaultLanguage, publicUrl, simulatedDate } =
    config
  return {
    timeZone,
    companyName,
    answersKeepDays,
    resultsKeep,
    mail,
    defaultLanguage,
    publicUrl,
    isMailHeld: simulatedDate !== undefined,
  }
}

/** Counts of a run, for the log and the service page */
export type JobSummary = Record<string, number>

/** Recurring work that runs in one instance at a time. */
export interface Job {
  name: string
  /** Interval of the runs in minutes; `night` for one run a night */
  every: 'night' | number
  /** Whether a run by hand always covers all users */
  isForAllUsers?: true
  run: (context: JobContext) => Promise<JobSummary>
}

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
