import { default_w, type FSRS, fsrs } from 'ts-fsrs'
import type { Random } from '../../dist/test/support/random.js'

/**
 * Returns the FSRS-6 weights of an individual learner. With a spread of 0.4, each weight deviates from the default by
 * up to 22 %; with a spread of 0, the weights equal those of the service.
 */
export function perturbedWeights(random: Random, spread = 0.4): number[] {
  return default_w.map((weight) => weight * Math.exp((random() - 0.5) * spread))
}

/** Returns the FSRS formulas for a review on a later day and for another review on the same day. */
export function formulas(w: readonly number[], desiredRetention: number): { longTerm: FSRS; shortTerm: FSRS } {
  const common = { w, request_retention: desiredRetention, enable_fuzz: true }
  return {
    longTerm: fsrs({ ...common, enable_short_term: false }),
    shortTerm: fsrs({ ...common, enable_short_term: true, learning_steps: [], relearning_steps: [] }),
  }
}
