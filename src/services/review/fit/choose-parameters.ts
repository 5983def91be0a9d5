import type { Kysely } from 'kysely'
import { findFitNumbers, findFitState, replaceParameters } from '../../../../db/queries/review/parameters.js'
import { findSettings, updateSettings } from '../../../../db/queries/review/settings.js'
import type { Database } from '../../../../db/types.js'
import type { Costs } from '../../../domain/review/costs.js'
import { type FittedParameters, itemsForNextFit } from '../../../domain/review/parameters.js'
import type { ReviewSettings } from '../../../domain/review/review.js'
import { canFit } from './binding.js'
import { changeStates } from './fit-learner.js'
import { FitWorker } from './worker.js'

/**
 * Updates the given settings and returns all settings. If this switches fitted parameters on or off, the memory states
 * are recomputed in the same transaction; the due dates stay.
 */
export async function changeSettings(
  db: Kysely<Database>,
  userId: number,
  changes: Partial<ReviewSettings>,
): Promise<ReviewSettings> {
  const state = await findFitState(db, userId)
  const fitted = state?.stored?.current?.w
  const { adapt_intervals } = changes
  if (fitted === undefined || adapt_intervals === undefined || adapt_intervals === state?.adapt_intervals) {
    return updateSettings(db, userId, changes)
  }
  const isDone = await withWorker((worker) =>
    changeStates(db, userId, adapt_intervals ? fitted : null, worker, {
      write: async (transaction) => {
        const latest = await findFitState(transaction, userId)
        if (latest?.stored?.current?.fitted_at !== state?.stored?.current?.fitted_at) return false
        await updateSettings(transaction, userId, changes)
        return true
      },
    }),
  )
  // Starts again if the parameters were replaced in the meantime.
  return isDone ? findSettings(db, userId) : changeSettings(db, userId, changes)
}

/** Resets the learner to the default parameters until the next fit. Does nothing if no fitted parameters are stored. */
export async function returnToDefaults(db: Kysely<Database>, userId: number): Promise<void> {
  const state = await findFitState(db, userId)
  if (!state?.stored?.current) return
  await withWorker((worker) =>
    changeStates(db, userId, null, worker, {
      write: async (transaction) => {
        await replaceParameters(transaction, userId, null)
        return true
      },
    }),
  )
}

async function withWorker<T>(work: (worker: FitWorker) => Promise<T>): Promise<T> {
  const worker = new FitWorker()
  try {
    return await work(worker)
  } finally {
    await worker.close()
  }
}

export interface FitSummary {
  available: boolean
  in_use: boolean
  fitted: FittedParameters | null
  previous: FittedParameters | null
  items: number
  items_needed: number
  median_ms: number | null
  costs: Costs
}

/** Cache of the costs; the key is the weights, joined with commas, or empty for the defaults */
const knownCosts = new Map<string, Promise<Costs>>()
const MAX_CACHED_COSTS = 500

export async function summarizeFit(db: Kysely<Database>, userId: number): Promise<FitSummary> {
  const state = await findFitState(db, userId)
  const stored = state?.stored ?? null
  const fitted = stored?.current ?? null
  const in_use = fitted !== null && state?.adapt_intervals === true
  const items_needed = itemsForNextFit(stored?.tried_items || null)
  return {
    available: await canFit(),
    in_use,
    fitted,
    previous: stored?.previous ?? null,
    items_needed,
    ...(await findFitNumbers(db, userId, items_needed)),
    costs: await findCosts(in_use ? fitted.w : null),
  }
}

function findCosts(weights: number[] | null): Promise<Costs> {
  const key = weights?.join() ?? ''
  const known = knownCosts.get(key)
  if (known !== undefined) return known
  if (knownCosts.size >= MAX_CACHED_COSTS) knownCosts.clear()
  const found = computeCosts(weights)
  knownCosts.set(key, found)
  found.catch(() => knownCosts.delete(key))
  return found
}

async function computeCosts(weights: number[] | null): Promise<Costs> {
  const result = await withWorker((worker) => worker.run({ kind: 'costs', weights }, []))
  if (result.kind !== 'costs') throw new Error(result.kind === 'failed' ? result.message : result.kind)
  return result.costs
}
