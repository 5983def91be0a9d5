import { listPlannable } from '../../../db/queries/assignments/assignments.js'
import { handOverFromDisabled } from '../assignments/hand-over.js'
import { planAssignment, planPerson } from '../assignments/plan.js'
import type { JobContext, JobSummary } from './job.js'

/**
 * Plans the occurrences of all assignments that are not archived, or of one person if `userId` is given. Also replaces
 * responsible persons whose planned deactivation has begun.
 */
export async function planOccurrences(context: JobContext): Promise<JobSummary> {
  const { db, moment, timeZone, companyName: issuer = null, signal, userId, renewLease } = context
  const planning = { moment, timeZone, issuer }
  if (userId !== undefined) {
    await planPerson(db, userId, planning)
    return { persons: 1 }
  }
  await handOverFromDisabled(db, moment().today)
  const summary = { assignments: 0, inserted: 0 }
  for (const id of await listPlannable(db)) {
    summary.inserted += await planAssignment(db, id, planning, async () => {
      signal.throwIfAborted()
      await renewLease()
    })
    summary.assignments++
  }
  return summary
}
