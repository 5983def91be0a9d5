import { setTimeout as sleep } from 'node:timers/promises'
import { deleteAnswersBefore, deleteScores, type EndedAttempt } from '../../../db/queries/tests/attempts.js'
import { addDays } from '../../domain/time/calendar.js'
import type { JobContext, JobSummary } from './job.js'

const ATTEMPT_BATCH_SIZE = 200
/** Pause after each batch, so that requests can use the single connection of the embedded database */
const PAUSE_MS = 20
const DAY_MS = 86_400_000

/**
 * Deletes the answers of the attempts that `deleteAnswersBefore` selects for the time `ANSWERS_KEEP_DAYS` ago. With
 * `RESULTS_KEEP=passed`, also deletes the questions, points and score of the attempts whose answers are deleted. The
 * attempts and the totals of the statistics stay.
 */
export async function deleteOldAnswers(context: JobContext): Promise<JobSummary> {
  const { db, moment, answersKeepDays, resultsKeep, signal, userId, renewLease } = context
  const { at, today } = moment()
  const before = { instant: new Date(at.getTime() - answersKeepDays * DAY_MS), day: addDays(today, -answersKeepDays) }
  const summary = { attempts: 0, scores: 0 }
  let deleted: EndedAttempt[] = []
  do {
    signal.throwIfAborted()
    await renewLease()
    // Each batch continues after the last attempt of the previous batch; otherwise the query would again examine the
    // attempts whose answers must stay. An attempt that another transaction has locked is skipped until the next run.
    deleted = await deleteAnswersBefore(db, before, { at, userId, after: deleted.at(-1), limit: ATTEMPT_BATCH_SIZE })
    summary.attempts += deleted.length
    await sleep(PAUSE_MS)
  } while (deleted.length === ATTEMPT_BATCH_SIZE)
  if (resultsKeep === 'all') return summary
  // Deletes scores in a separate loop, because answers may have been deleted earlier, while the setting was `all`.
  let ids: number[] = []
  do {
    signal.throwIfAborted()
    await renewLease()
    ids = await deleteScores(db, { userId, after: ids.at(-1), limit: ATTEMPT_BATCH_SIZE })
    summary.scores += ids.length
    await sleep(PAUSE_MS)
  } while (ids.length === ATTEMPT_BATCH_SIZE)
  return summary
}
