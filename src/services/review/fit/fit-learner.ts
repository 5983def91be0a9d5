import type { Kysely, Transaction } from 'kysely'
import {
  findFitState,
  readHistory,
  recordFitAttempt,
  replaceParameters,
  storeStates,
} from '../../../../db/queries/review/parameters.js'
import { lockLearner } from '../../../../db/queries/review/progress.js'
import type { Database } from '../../../../db/types.js'
import type { FittedParameters } from '../../../domain/review/parameters.js'
import { daysBetween, type Moment } from '../../../domain/time/calendar.js'
import type { States } from './tasks.js'
import type { FitWorker } from './worker.js'

/** Outcome of a fit. `gone`: the user was deleted or has switched fitted intervals off */
export type FitOutcome = 'adopted' | 'kept' | 'too few' | 'gone'

/** Maximum number of attempts to compute states; during the last attempt the learner is locked and cannot review */
const ATTEMPTS = 3

/**
 * Fits parameters to the learner's reviews and adopts them if they predict reviews at least as well as the parameters
 * in use. Adopting stores the parameters and the resulting memory states in one transaction. The due dates stay.
 * @param signal aborts the fit without writing anything
 * @throws the reason of the signal if it is aborted
 */
export async function fitLearner(
  db: Kysely<Database>,
  userId: number,
  moment: Moment,
  worker: FitWorker,
  signal?: AbortSignal,
): Promise<FitOutcome> {
  const state = await findFitState(db, userId)
  if (state === undefined || !state.adapt_intervals) return 'gone'
  const weights = state.stored?.current?.w ?? null
  const today = daysBetween('1970-01-01', moment.today)
  const lines = readHistory(db, userId, state.last_entry)
  const result = await worker.run({ kind: 'fit', weights, today }, lines, signal)
  signal?.throwIfAborted()
  if (result.kind === 'too few') return 'too few'
  if (result.kind === 'kept') {
    await recordFitAttempt(db, userId, { tried_at: moment.at, tried_items: result.items })
    return 'kept'
  }
  if (result.kind !== 'fitted') throw new Error(result.kind === 'failed' ? result.message : result.kind)
  const { w, items, log_loss_before, log_loss_after, states } = result
  const parameters: FittedParameters = {
    model: 'fsrs-6',
    w,
    items,
    log_loss_before,
    log_loss_after,
    fitted_at: moment.at.toISOString(),
  }
  const isDone = await changeStates(db, userId, w, worker, {
    known: { last_entry: state.last_entry, states },
    signal,
    write: async (transaction) => {
      // The learner may have switched fitted intervals off in the meantime.
      if ((await findFitState(transaction, userId))?.adapt_intervals !== true) return false
      await replaceParameters(transaction, userId, parameters)
      return true
    },
  })
  return isDone ? 'adopted' : 'gone'
}

interface Change {
  /** States that were already computed from the log up to and including the entry `last_entry` */
  known?: { last_entry: number; states: States }
  signal?: AbortSignal | undefined
  /** Writes the rest of the change in the same transaction. Returns false to cancel the change. */
  write: (transaction: Transaction<Database>) => Promise<boolean>
}

/**
 * Computes the learner's memory states with the weights, then stores them and calls `write` in one transaction that
 * holds the learner's lock. Replays the log before it takes the lock, unless the states are `known`. Replays the log
 * again if it has grown before the lock is held; the third attempt does so under the lock. Returns false if `write`
 * cancelled the change or the user does not exist.
 */
export async function changeStates(
  db: Kysely<Database>,
  userId: number,
  weights: number[] | null,
  worker: FitWorker,
  { known, signal, write }: Change,
): Promise<boolean> {
  let states = known?.states
  let computedUpTo = known?.last_entry ?? -1
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === ATTEMPTS
    if (states === undefined && !isLast) {
      const state = await findFitState(db, userId)
      if (state === undefined) return false
      computedUpTo = state.last_entry
      states = await computeStates(db, userId, computedUpTo, weights, worker, signal)
    }
    signal?.throwIfAborted()
    const outcome = await db.transaction().execute(async (transaction) => {
      if (!(await lockLearner(transaction, userId))) return 'cancelled'
      const { last_entry } = (await findFitState(transaction, userId)) ?? { last_entry: 0 }
      if (last_entry !== computedUpTo && !isLast) return 'overtaken'
      const latest =
        states !== undefined && last_entry === computedUpTo
          ? states
          : await computeStates(transaction, userId, last_entry, weights, worker, signal)
      if (!(await write(transaction))) return 'cancelled'
      await storeStates(transaction, userId, latest)
      signal?.throwIfAborted()
      return 'done'
    })
    if (outcome !== 'overtaken') return outcome === 'done'
    states = undefined
  }
}

async function computeStates(
  db: Kysely<Database>,
  userId: number,
  upTo: number,
  weights: number[] | null,
  worker: FitWorker,
  signal: AbortSignal | undefined,
): Promise<States> {
  const result = await worker.run({ kind: 'replay', weights }, readHistory(db, userId, upTo), signal)
  if (result.kind !== 'states') throw new Error(result.kind === 'failed' ? result.message : result.kind)
  return result.states
}
