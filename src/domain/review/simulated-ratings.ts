import type { Random } from '../quiz/quiz.js'
import type { Rating } from './review.js'

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
/** Probability of recall some minutes after an answer was shown */
const RETRY_SUCCESS = 0.75

export function firstRating(random: Random): Rating {
  return draw(FIRST_RATINGS, random())
}

export function recallRating(chance: number, random: Random): Rating {
  return random() < chance ? draw(REMEMBERED_RATINGS, random()) : 'again'
}

export function retryRating(random: Random): Rating {
  return random() < RETRY_SUCCESS ? 'medium' : 'again'
}

function draw(chances: readonly [Rating, number][], value: number): Rating {
  let sum = 0
  for (const [rating, chance] of chances) {
    sum += chance
    if (value < sum) return rating
  }
  return 'medium'
}
