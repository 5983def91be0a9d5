import type { Costs } from '../../../domain/review/costs.js'
import {
  type EffectiveReview,
  findHoldoutStart,
  listItems,
  reviewsBefore,
  toTrainingCsv,
} from '../../../domain/review/history.js'
import { MemoryModel } from '../../../domain/review/memory.js'
import { blendWeights, MIN_FIT_DAYS, MIN_FIT_ITEMS } from '../../../domain/review/parameters.js'

/** Memory states in columns of equal length; `review_ids` contains the id of the last review of each history. */
export interface States {
  review_ids: Float64Array
  stabilities: Float64Array
  difficulties: Float64Array
}

export type FitTask =
  /** Computes the states with the weights; null means the defaults. */
  | { kind: 'replay'; weights: number[] | null }
  /** Fits weights and compares them with the weights in use; `today` is in days since 1970-01-01. */
  | { kind: 'fit'; weights: number[] | null; today: number }
  /** Simulates the reviewing effort of each desired retention; needs no log. */
  | { kind: 'costs'; weights: number[] | null }

export type TaskResult =
  | { kind: 'states'; states: States }
  | { kind: 'costs'; costs: Costs }
  | { kind: 'fitted'; items: number; log_loss_before: number; log_loss_after: number; w: number[]; states: States }
  /** The weights in use predict better than the fitted weights and therefore stay in use. */
  | { kind: 'kept'; items: number; log_loss_before: number; log_loss_after: number }
  /** The log has too few recalls or covers too few days. */
  | { kind: 'too few'; items: number }
  | { kind: 'stopped' }
  | { kind: 'failed'; message: string }

export function replay(histories: readonly EffectiveReview[][], weights: readonly number[] | null): States {
  const model = new MemoryModel(weights)
  const states: States = {
    review_ids: new Float64Array(histories.length),
    stabilities: new Float64Array(histories.length),
    difficulties: new Float64Array(histories.length),
  }
  histories.forEach((history, index) => {
    const memory = model.replay(history)
    states.review_ids[index] = history.at(-1)?.id ?? 0
    states.stabilities[index] = memory?.stability ?? 0
    states.difficulties[index] = memory?.difficulty ?? 0
  })
  return states
}

/**
 * Fits weights to the histories. Returns them only if weights fitted to the first three quarters of the recalls predict
 * the last quarter at least as well as the weights in use.
 * @param today days since 1970-01-01
 * @param fit fits weights to reviews as `toTrainingCsv` returns them
 */
export async function fitWeights(
  histories: readonly EffectiveReview[][],
  inUse: number[] | null,
  today: number,
  fit: (csv: string) => Promise<number[]>,
): Promise<TaskResult> {
  const recalls = listItems(histories)
  const items = recalls.length
  const firstDay = histories.reduce((first, history) => Math.min(first, history[0]?.day ?? first), today)
  if (items < MIN_FIT_ITEMS || today - firstDay < MIN_FIT_DAYS) return { kind: 'too few', items }
  const holdoutStart = findHoldoutStart(recalls)
  const earlier = reviewsBefore(histories, holdoutStart)
  const tried = blendWeights(await fit(toTrainingCsv(earlier)), listItems(earlier).length)
  const losses = {
    log_loss_before: new MemoryModel(inUse).logLoss(histories, holdoutStart),
    log_loss_after: new MemoryModel(tried).logLoss(histories, holdoutStart),
  }
  if (!(losses.log_loss_after <= losses.log_loss_before)) return { kind: 'kept', items, ...losses }
  const w = blendWeights(await fit(toTrainingCsv(histories)), items)
  return { kind: 'fitted', items, ...losses, w, states: replay(histories, w) }
}
