import { MemoryModel } from './memory.js'
import type { Rating } from './review.js'

/** Desired retentions whose costs are shown */
export const COST_RETENTIONS = [0.8, 0.85, 0.9, 0.93, 0.95, 0.97] as const

/** Cards that are simulated for each retention; takes about 0.2 s in total. */
const CARDS = 400
const DAYS = 365
/** Probability of recall some minutes after an answer was shown */
const RETRY_SUCCESS = 0.75
/** Shares of first ratings, and of ratings of remembered cards, among users of Anki (simulator of fsrs-rs) */
const FIRST_RATINGS: [Rating, number][] = [
  ['again', 0.24],
  ['hard', 0.094],
  ['medium', 0.495],
  ['easy', 0.171],
]
const REMEMBERED_RATINGS: [Rating, number][] = [
  ['hard', 0.224],
  ['medium', 0.631],
  ['easy', 0.145],
]

/** Ascending by desired retention */
export type Costs = { desired_retention: number; reviews_per_card: number }[]

/**
 * Returns the expected number of reviews of a card in its first year for each desired retention. The same weights give
 * the same result.
 */
export function costsOf(weights: readonly number[] | null): Costs {
  const model = new MemoryModel(weights)
  return COST_RETENTIONS.map((desired_retention) => {
    const random = randomFrom(1)
    let reviews = 0
    for (let card = 0; card < CARDS; card++) reviews += reviewsOfCard(model, desired_retention, random)
    return { desired_retention, reviews_per_card: Math.round((reviews / CARDS) * 10) / 10 }
  })
}

function reviewsOfCard(model: MemoryModel, retention: number, random: () => number): number {
  let rating = draw(FIRST_RATINGS, random())
  let memory = model.next(null, 0, rating)
  let reviews = 1
  for (let day = 0; ; ) {
    while (rating === 'again') {
      rating = random() < RETRY_SUCCESS ? 'medium' : 'again'
      memory = model.next(memory, 0, rating)
      reviews++
    }
    const days = model.interval(memory, retention)
    day += days
    if (day > DAYS) return reviews
    rating = random() < model.chance(memory, days) ? draw(REMEMBERED_RATINGS, random()) : 'again'
    memory = model.next(memory, days, rating)
    reviews++
  }
}

/** @param value random in [0, 1) */
function draw(chances: readonly [Rating, number][], value: number): Rating {
  let sum = 0
  for (const [rating, chance] of chances) {
    sum += chance
    if (value < sum) return rating
  }
  return 'medium'
}

/** Creates a seeded generator of numbers in [0, 1): mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
