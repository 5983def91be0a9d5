import {
  type Card,
  createEmptyCard,
  type FSRS,
  type FSRSParameters,
  fsrs,
  GenSeedStrategyWithCardId,
  type Grade,
  State,
  StrategyMode,
  Rating as TsFsrsRating,
} from 'ts-fsrs'
import { addDays, noonOf } from '../time/calendar.js'
import { type CardState, isReviewedOn, type Rating, type ReviewSettings } from './review.js'

const GRADES: Record<Rating, Grade> = {
  again: TsFsrsRating.Again,
  hard: TsFsrsRating.Hard,
  medium: TsFsrsRating.Good,
  easy: TsFsrsRating.Easy,
}

/** The state after a review, before the log has given it an id. */
export type NextState = Omit<CardState, 'last_review_id'> & { next_review: string }

/** The states that the four ratings would lead to. */
export type Preview = (cardId: number, state: CardState | null, today: string) => Record<Rating, NextState>

/** The days on which the card would come back. */
export function nextReviewsOf({ again, hard, medium, easy }: ReturnType<Preview>): Record<Rating, string> {
  return {
    again: again.next_review,
    hard: hard.next_review,
    medium: medium.next_review,
    easy: easy.next_review,
  }
}

/**
 * FSRS-6 in whole days. The first review of a card on a day follows the long-term formulas, further ones the formula
 * for the same day (docs/decisions/0016-same-day-reviews.md), as those of a card that is being relearned: each rating
 * leads to its own interval of at least a day, and a lapse is counted once. A card that was never rated here starts from
 * scratch, whatever a script has written about it.
 */
export function createScheduler(settings: ReviewSettings): Preview {
  const longTerm = createFsrs(settings, { enable_short_term: false })
  const sameDay = createFsrs(settings, { enable_short_term: true, learning_steps: [], relearning_steps: [] })
  return (cardId, state, today) => {
    const card = toFsrsCard(cardId, state, today)
    const isSameDay = card.last_review !== undefined && card.last_review.getTime() === noonOf(today).getTime()
    const now = noonOf(today)
    const outcomes = isSameDay ? sameDay.repeat({ ...card, state: State.Relearning }, now) : longTerm.repeat(card, now)
    const stateAfter = (rating: Rating): NextState => {
      const next = outcomes[GRADES[rating]].card
      // To keep the ratings apart the library adds days even to the longest interval.
      const interval = Math.min(next.scheduled_days, settings.maximum_interval)
      return {
        last_rating: rating,
        // A card that was not known comes back today.
        next_review: rating === 'again' ? today : addDays(today, interval),
        stability: next.stability,
        difficulty: next.difficulty,
        last_review: today,
        reps: next.reps,
        lapses: next.lapses,
      }
    }
    return {
      again: stateAfter('again'),
      hard: stateAfter('hard'),
      medium: stateAfter('medium'),
      easy: stateAfter('easy'),
    }
  }
}

/** Fuzz depends on the card and the number of its reviews: a preview is kept, and cards learned together part. */
function createFsrs(settings: ReviewSettings, parameters: Partial<FSRSParameters>): FSRS {
  const scheduler = fsrs({
    request_retention: settings.desired_retention,
    maximum_interval: settings.maximum_interval,
    enable_fuzz: true,
    ...parameters,
  })
  return scheduler.useStrategy(StrategyMode.SEED, GenSeedStrategyWithCardId('fuzz_seed'))
}

function toFsrsCard(cardId: number, state: CardState | null, today: string): Card & { fuzz_seed: string } {
  // As a text: the library would add the number of reviews to a number, and card 5 would follow card 6.
  const card = { ...createEmptyCard(noonOf(today)), fuzz_seed: `${cardId}/` }
  if (state?.stability == null || state.difficulty == null || state.last_review === null) return card
  return {
    ...card,
    state: State.Review,
    stability: state.stability,
    difficulty: state.difficulty,
    last_review: noonOf(isReviewedOn(state, today) ? today : state.last_review),
    reps: state.reps,
    lapses: state.lapses,
  }
}
