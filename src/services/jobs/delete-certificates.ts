import { deleteOldCertificates, setDeletionDays } from '../../../db/queries/certificates/certificates.js'
import type { JobContext, JobSummary } from './job.js'

const CERTIFICATES_AT_ONCE = 5_000

/**
 * Updates the last day of retention of all certificates. Deletes those whose retention is over; returns their number.
 */
export async function deleteExpiredCertificates({ db, moment, signal, renewLease }: JobContext): Promise<JobSummary> {
  const { today } = moment()
  let after: number | undefined = 0
  do {
    signal.throwIfAborted()
    await renewLease()
    after = await setDeletionDays(db, { after, limit: CERTIFICATES_AT_ONCE, today })
  } while (after !== undefined)
  const summary = { deleted: 0 }
  let deleted: number
  do {
    signal.throwIfAborted()
    await renewLease()
    deleted = await deleteOldCertificates(db, today, CERTIFICATES_AT_ONCE)
    summary.deleted += deleted
  } while (deleted === CERTIFICATES_AT_ONCE)
  return summary
}
