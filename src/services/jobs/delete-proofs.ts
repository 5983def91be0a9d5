import { deleteOldProofs, setDeletionDays } from '../../../db/queries/proofs/proofs.js'
import type { JobContext, JobSummary } from './job.js'

const PROOFS_AT_ONCE = 5_000

/** Updates the last day of retention of all proofs. Deletes those whose retention is over; returns their number. */
export async function deleteExpiredProofs({ db, moment, signal, renewLease }: JobContext): Promise<JobSummary> {
  const { today } = moment()
  let after: number | undefined = 0
  do {
    signal.throwIfAborted()
    await renewLease()
    after = await setDeletionDays(db, { after, limit: PROOFS_AT_ONCE, today })
  } while (after !== undefined)
  const summary = { deleted: 0 }
  let deleted: number
  do {
    signal.throwIfAborted()
    await renewLease()
    deleted = await deleteOldProofs(db, today, PROOFS_AT_ONCE)
    summary.deleted += deleted
  } while (deleted === PROOFS_AT_ONCE)
  return summary
}
