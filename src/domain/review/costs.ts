import type { Random } from '../quiz/quiz.js'
import { MemoryModel } from './memory.js'
import { firstRating, recallRating, retryRating } from './simulated-ratings.js'

/** Desired retentions for which the cost is shown */
const COST_RETENTIONS = [0.8, 0.85, 0.9, 0.93, 0.95, 0.97] as const

/** Number of cards simulated for each retention; the simulation takes about 0.2 s in total. */
const CARDS = 400
const DAYS = 365

/** Ascending by desired retention */
export type Costs = { desired_retention: number; reviews_per_card: number }[]

/** Returns the expected number of reviews of a card in its first year for each desired retention; deterministic. */
export function costsOf(weights: readonly number[] | null): Costs {
  const model = new MemoryModel(weights)
  return COST_RETENTIONS.map((desired_retention) => {
    const random = randomFrom(1)
    let reviews = 0
    for (let card = 0; card < CARDS; card++) reviews += reviewsOfCard(model, desired_retention, random)
    return { desired_retention, reviews_per_card: Math.round((reviews / CARDS) * 10) / 10 }
  })
}

function reviewsOfCard(model: MemoryModel, retention: number, random: Random): number {
  let rating = firstRating(random)
  let memory = model.next(null, 0, rating)
  let reviews = 1
  for (let day = 0; ; ) {
    while (rating === 'again') {
      rating = retryRating(random)
      memory = model.next(memory, 0, rating)
      reviews++
    }
    const days = model.interval(memory, retention)
    day += days
    if (day > DAYS) return reviews
    rating = recallRating(model.chance(memory, days), random)
    memory = model.next(memory, days, rating)
    reviews++
  }
}

/** Creates a seeded generator of numbers in [0, 1): mulberry32. */
function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
