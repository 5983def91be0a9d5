import { announceDisabled, announceOverdue } from '../../../db/queries/webhooks/announce.js'
import { deleteOldEvents } from '../../../db/queries/webhooks/outbox.js'
import type { JobContext, JobSummary } from './job.js'

const DAY_MS = 86_400_000
const KEEP_DAYS = 90
const EVENTS_AT_ONCE = 1_000

/** Writes the events of accounts whose planned deactivation has begun. */
export async function announcePlannedDeactivations({ db, moment }: JobContext): Promise<JobSummary> {
  return { disabled: await announceDisabled(db, { today: moment().today }) }
}

/** Writes the events of the day about overdue tasks, and deletes events that were written more than 90 days ago. */
export async function announceNightly({ db, moment, signal, renewLease }: JobContext): Promise<JobSummary> {
  const { at, today } = moment()
  const summary = { overdue: await announceOverdue(db, today), deleted: 0 }
  const before = new Date(at.getTime() - KEEP_DAYS * DAY_MS)
  let deleted: number
  do {
    signal.throwIfAborted()
    await renewLease()
    deleted = await deleteOldEvents(db, before, EVENTS_AT_ONCE)
    summary.deleted += deleted
  } while (deleted === EVENTS_AT_ONCE)
  return summary
}
