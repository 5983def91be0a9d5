import { clipParameters, default_w } from 'ts-fsrs'

/** Number of weights of FSRS-6 */
const WEIGHTS = 21
export const DEFAULT_WEIGHTS: readonly number[] = default_w

export interface FittedParameters {
  model: 'fsrs-6'
  w: number[]
  /** Number of recalls used to fit the weights */
  items: number
  /** Log loss of the former parameters on the last quarter of the recalls */
  log_loss_before: number
  /** Log loss of a fit to the first three quarters of the recalls, measured on the last quarter */
  log_loss_after: number
  /** Instant in ISO 8601 */
  fitted_at: string
}

/** Minimum number of recalls for a fit; from this number on, fitted weights predict better on average. */
export const MIN_FIT_ITEMS = 400
/** Minimum age of the first review in days: a short history shows no long intervals. */
export const MIN_FIT_DAYS = 60
export const REFIT_AFTER_DAYS = 30
/** Minimum growth factor of the number of recalls between two fits */
export const REFIT_GROWTH = 1.5
/** Number of recalls at which fitted and default weights have equal influence */
const HALF_TRUST = 1_000
/** Number of weights at the start that are stabilities; these are blended geometrically. */
const STABILITIES = 4
/** Minimum first stability with which ts-fsrs schedules; fsrs-rs fits down to 0.001. */
const MIN_STABILITY = 0.1

/** @param triedItems number of recalls of the last fit; null before the first fit */
export function itemsForNextFit(triedItems: number | null): number {
  return triedItems === null ? MIN_FIT_ITEMS : Math.max(MIN_FIT_ITEMS, Math.ceil(triedItems * REFIT_GROWTH))
}

/**
 * Blends fitted weights with the defaults: the more recalls, the closer to the fitted ones. The result lies within the
 * limits of ts-fsrs, so the scheduler uses it unchanged.
 * @throws RangeError unless there are 21 finite weights
 */
export function blendWeights(fitted: readonly number[], items: number): number[] {
  if (fitted.length !== WEIGHTS || !fitted.every(Number.isFinite)) throw new RangeError('expected 21 finite weights')
  const trust = items / (items + HALF_TRUST)
  const blended = DEFAULT_WEIGHTS.map((standard, index) => {
    const own = fitted[index] as number
    if (index >= STABILITIES) return standard + trust * (own - standard)
    return Math.max(
      Math.exp(Math.log(standard) + trust * Math.log(Math.max(own, MIN_STABILITY) / standard)),
      MIN_STABILITY,
    )
  })
  return clipParameters(blended, 0, true).map((weight) => Math.round(weight * 1e8) / 1e8)
}

/** Returns whether the parameters predict well, judged by the log loss on the last quarter of the recalls. */
export function isGoodFit({ log_loss_after }: Pick<FittedParameters, 'log_loss_after'>): boolean {
  return log_loss_after <= MODERATE_LOSS
}

/** Log loss above which predictions are only moderate; the median of Anki users is about 0.34. */
const MODERATE_LOSS = 0.45
