import type { Kysely } from 'kysely'
import type { Database } from '../../../db/types.js'
import type { MailSettings } from '../../domain/mail/settings.js'
import type { Moment } from '../../domain/time/calendar.js'

/** `passed`: only whether an attempt was passed, its times and version */
export type ResultsKeep = 'all' | 'passed'

export interface JobContext {
  db: Kysely<Database>
  /** Returns the current moment. */
  moment: (at?: Date) => Moment
  /** IANA name of the service's time zone */
  timeZone: string
  /** Days after the review of a test for which answers are kept */
  answersKeepDays: number
  /** Whether the score stays when the answers are deleted */
  resultsKeep: ResultsKeep
  /** Undefined if no mail server is configured */
  mail?: MailSettings | undefined
  /** Public address of the service, ending with a slash; undefined if not configured */
  publicUrl?: string | undefined
  /** Whether mails stay in the outbox, because the service lives on a simulated day */
  isMailHeld?: boolean
  /** Ends the job; its work must then be undone or complete */
  signal: AbortSignal
  /** Only this user, for a run by hand */
  userId?: number | undefined
  /** Extends the lease; called at least once a minute. @throws LeaseLost */
  goOn: () => Promise<void>
  /** Reports an error that does not end the job. */
  onError: (error: unknown, facts: Record<string, unknown>) => void
}

/** Figures of a run, for the log and the service page */
export type JobSummary = Record<string, number>

/** Work that one instance does regularly. */
export interface Job {
  name: string
  /** Once a night, or a number of minutes */
  every: 'night' | number
  run: (context: JobContext) => Promise<JobSummary>
}
