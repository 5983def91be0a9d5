import { clipParameters, default_w } from 'ts-fsrs'
import type { Random } from '../../dist/test/support/random.js'

/** Standard deviations of the weights fitted for Anki users, except the first four (`PARAMS_STDDEV` of fsrs-rs) */
const DEVIATIONS = [0.57, 0.28, 0.6, 0.12, 0.39, 0.18, 0.33, 0.3, 0.09, 0.16, 0.57, 0.25, 1.03, 0.31, 0.32, 0.14, 0.27]
/** Number of initial stabilities, which are the first weights; the standard deviation of their logarithms is 1. */
const STABILITIES = 4

/**
 * Draws the weights of a learner around the default weights and clips them to their valid ranges.
 * @param distance standard deviation, as a share of the standard deviation among all Anki users
 */
export function drawWeights(random: Random, distance: number): number[] {
  const drawn = default_w.map((weight, index) => {
    const deviation = distance * gaussian(random)
    if (index < STABILITIES) return Math.max(weight * Math.exp(deviation), 0.1)
    return weight + deviation * (DEVIATIONS[index - STABILITIES] as number)
  })
  // Sorted, because a better first rating never gives a lower stability.
  const stabilities = drawn.slice(0, STABILITIES).sort((a, b) => a - b)
  return clipParameters([...stabilities, ...drawn.slice(STABILITIES)], 0, true)
}

/** Draws from the standard normal distribution (Box–Muller). */
function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
