import { setTimeout as sleep } from 'node:timers/promises'
import { deleteAnswersBefore, deleteScores, type EndedAttempt } from '../../../db/queries/tests/attempts.js'
import { addDays } from '../../domain/time/calendar.js'
import type { JobContext, JobSummary } from './job.js'

const ATTEMPTS_AT_ONCE = 200
/** Pause after each batch, so that requests get the connection of the embedded database */
const PAUSE_MS = 20
const DAY_MS = 86_400_000

/**
 * Deletes the answers of attempts whose review has been possible for `ANSWERS_KEEP_DAYS`, and with `RESULTS_KEEP=passed`
 * their questions, points and score. The rest and the sums of the statistics stay.
 */
export async function deleteOldAnswers(context: JobContext): Promise<JobSummary> {
  const { db, moment, answersKeepDays, resultsKeep, signal, userId, goOn } = context
  const { at, today } = moment()
  const before = { instant: new Date(at.getTime() - answersKeepDays * DAY_MS), day: addDays(today, -answersKeepDays) }
  const summary = { attempts: 0, scores: 0 }
  let deleted: EndedAttempt[] = []
  do {
    signal.throwIfAborted()
    await goOn()
    // Goes on behind the last batch, because attempts whose answers stay precede it.
    deleted = await deleteAnswersBefore(db, before, { at, userId, after: deleted.at(-1), limit: ATTEMPTS_AT_ONCE })
    summary.attempts += deleted.length
    await sleep(PAUSE_MS)
  } while (deleted.length === ATTEMPTS_AT_ONCE)
  if (resultsKeep === 'all') return summary
  // Also of attempts whose answers were deleted while the setting was `all`.
  let ids: number[] = []
  do {
    signal.throwIfAborted()
    await goOn()
    ids = await deleteScores(db, { userId, after: ids.at(-1), limit: ATTEMPTS_AT_ONCE })
    summary.scores += ids.length
    await sleep(PAUSE_MS)
  } while (ids.length === ATTEMPTS_AT_ONCE)
  return summary
}
