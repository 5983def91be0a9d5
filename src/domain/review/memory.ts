import { type FSRS, fsrs } from 'ts-fsrs'
import { type EffectiveReview, isItem } from './history.js'
import { DEFAULT_WEIGHTS } from './parameters.js'
import { RATINGS, type Rating } from './review.js'

export interface Memory {
  stability: number
  difficulty: number
}

/** Minimum predicted probability of each outcome, so that one unlikely outcome does not outweigh all other recalls */
const MIN_CHANCE = 0.0001

/** The formulas of the scheduler for given weights, without dates; replays histories and predicts recalls. */
export class MemoryModel {
  readonly #longTerm: FSRS
  readonly #sameDay: FSRS

  constructor(weights: readonly number[] | null) {
    const w = weights ?? DEFAULT_WEIGHTS
    this.#longTerm = fsrs({ w, enable_short_term: false })
    this.#sameDay = fsrs({ w, enable_short_term: true, learning_steps: [], relearning_steps: [] })
  }

  /** Returns the memory state after the reviews, as the scheduler computes it; null if there are none. */
  replay(history: readonly EffectiveReview[]): Memory | null {
    let memory: Memory | null = null
    let before: EffectiveReview | undefined
    for (const review of history) {
      memory = this.#after(memory, before, review)
      before = review
    }
    return memory
  }

  /** Returns the mean log loss of the predictions for recalls with an id of at least `since`; NaN if there are none. */
  logLoss(histories: readonly EffectiveReview[][], since: number): number {
    let sum = 0
    let count = 0
    for (const history of histories) {
      if ((history.at(-1)?.id ?? 0) < since) continue
      let memory: Memory | null = null
      history.forEach((review, index) => {
        const before = history[index - 1]
        if (memory !== null && before !== undefined && review.id >= since && isItem(history, index)) {
          const chance = this.chance(memory, review.day - before.day)
          const limited = Math.min(Math.max(chance, MIN_CHANCE), 1 - MIN_CHANCE)
          sum -= Math.log(review.rating === 'again' ? 1 - limited : limited)
          count++
        }
        memory = this.#after(memory, before, review)
      })
    }
    return sum / count
  }

  /**
   * @param memory state before the rating; null for the first rating of a card
   * @param days days since the previous rating
   */
  next(memory: Memory | null, days: number, rating: Rating): Memory {
    const formulas = memory !== null && days <= 0 ? this.#sameDay : this.#longTerm
    const next = formulas.next_state(memory, Math.max(days, 0), RATINGS.indexOf(rating) + 1)
    return { stability: next.stability, difficulty: next.difficulty }
  }

  chance(memory: Memory, days: number): number {
    return this.#longTerm.forgetting_curve(days, memory.stability)
  }

  /** Returns the number of days after which the probability of recall falls to `retention`; at least 1. */
  interval(memory: Memory, retention: number): number {
    return Math.max(1, Math.round(memory.stability * this.#longTerm.calculate_interval_modifier(retention)))
  }

  #after(memory: Memory | null, before: EffectiveReview | undefined, review: EffectiveReview): Memory {
    return this.next(memory, before === undefined ? 0 : review.day - before.day, review.rating)
  }
}
