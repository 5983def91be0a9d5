import { setTimeout as sleep } from 'node:timers/promises'
import { listFitCandidates } from '../../../db/queries/review/parameters.js'
import { MIN_FIT_DAYS, MIN_FIT_ITEMS, REFIT_AFTER_DAYS, REFIT_GROWTH } from '../../domain/review/parameters.js'
import { addDays } from '../../domain/time/calendar.js'
import { canFit } from '../review/fit/binding.js'
import { fitLearner } from '../review/fit/fit-learner.js'
import { FitWorker } from '../review/fit/worker.js'
import type { JobContext, JobSummary } from './job.js'

const CANDIDATES_AT_ONCE = 50
/** Pause after each learner, so that requests can use the single connection of the embedded database */
const PAUSE_MS = 20
const DAY_MS = 86_400_000

/**
 * Fits parameters for each learner with enough new reviews, one after another in a worker thread. If `userId` is given,
 * tries only this learner. Does nothing if parameters cannot be fitted on this platform.
 */
export async function fitParameters(context: JobContext): Promise<JobSummary> {
  const { db, moment, signal, userId, renewLease, onError } = context
  const summary = { tried: 0, adopted: 0, kept: 0, failed: 0 }
  if (!(await canFit())) return summary
  let worker = new FitWorker()
  try {
    for await (const id of userId === undefined ? candidates(context) : [userId]) {
      signal.throwIfAborted()
      await renewLease()
      try {
        const outcome = await fitLearner(db, id, moment(), worker, signal)
        if (outcome === 'adopted' || outcome === 'kept') {
          summary.tried++
          summary[outcome]++
        }
      } catch (error) {
        signal.throwIfAborted()
        summary.failed++
        onError(error, { userId: id })
        // The thread may have ended, for example because it ran out of memory.
        await worker.close()
        worker = new FitWorker()
      }
      await sleep(PAUSE_MS)
    }
  } finally {
    await worker.close()
  }
  return summary
}

async function* candidates({ db, moment }: JobContext): AsyncGenerator<number> {
  const { at, today } = moment()
  const criteria = {
    limit: CANDIDATES_AT_ONCE,
    firstBefore: addDays(today, -MIN_FIT_DAYS),
    triedBefore: new Date(at.getTime() - REFIT_AFTER_DAYS * DAY_MS),
    minItems: MIN_FIT_ITEMS,
    growth: REFIT_GROWTH,
  }
  for (let after = 0; ; ) {
    const ids = await listFitCandidates(db, { ...criteria, after })
    yield* ids
    if (ids.length < CANDIDATES_AT_ONCE) return
    after = ids.at(-1) as number
  }
}
