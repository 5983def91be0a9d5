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

/** State after a review, before the log entry has an id */
export type NextState = Omit<CardState, 'last_review_id'> & { next_review: string }

/** Returns the states that the four ratings would lead to. */
export type Preview = (cardId: number, state: CardState | null, today: string) => Record<Rating, NextState>

/** Returns the next review date for each rating. */
export function nextReviewsOf({ again, hard, medium, easy }: ReturnType<Preview>): Record<Rating, string> {
  return {
    again: again.next_review,
    hard: hard.next_review,
    medium: medium.next_review,
    easy: easy.next_review,
  }
}

/**
 * Creates the FSRS-6 scheduler in whole days. The first review of a card on a day uses the long-term formulas, later
 * ones on that day the same-day formula (docs/decisions/0022-same-day-reviews.md), as for a card in relearning: each
 * rating leads to its own interval of at least one day, and a lapse counts once. A card that was never rated through
 * the service starts as new, whatever a script has stored.
 * @example createScheduler(DEFAULT_SETTINGS)(1, null, '2026-11-21').medium.next_review // '2026-11-24'
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
      // The library extends even the maximum interval to keep the ratings apart.
      const interval = Math.min(next.scheduled_days, settings.maximum_interval)
      return {
        last_rating: rating,
        // A forgotten card is due again today.
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

/**
 * Creates FSRS with fuzz that depends on card and number of reviews, so that the shown dates hold and cards learned
 * together spread out.
 */
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
  // As text: the library adds the number of reviews to a numeric seed, so neighbouring cards would share fuzz.
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
