import {
  type Card,
  createEmptyCard,
  type FSRS,
  type FSRSParameters,
  fsrs,
  GenSeedStrategyWithCardId,
  type Grade,
  get_fuzz_range,
  State,
  StrategyMode,
  Rating as TsFsrsRating,
} from 'ts-fsrs'
import { addDays, daysBetween, noonOf } from '../time/calendar.js'
import { avoidWeekdays, type FuzzRange } from './free-weekdays.js'
import { type CardState, isReviewedOn, type Rating, type SchedulerSettings } from './review.js'

const GRADES: Record<Rating, Grade> = {
  again: TsFsrsRating.Again,
  hard: TsFsrsRating.Hard,
  medium: TsFsrsRating.Good,
  easy: TsFsrsRating.Easy,
}

/** Minimum interval with fuzz, in days */
const MIN_FUZZY_INTERVAL = 2.5

/** State after a review, before the log entry has an id */
export type NextState = Omit<CardState, 'last_review_id'> & { next_review: string }

export type Preview = (cardId: number, state: CardState | null, today: string) => Record<Rating, NextState>

/**
 * Returns a function that creates and caches the scheduler for the desired retention of a deck. Null stands for the
 * desired retention of the learner.
 */
export function createSchedulers(settings: SchedulerSettings): (deckRetention: number | null) => Preview {
  const schedulers = new Map<number, Preview>()
  return (deckRetention) => {
    const desired_retention = deckRetention ?? settings.desired_retention
    const known = schedulers.get(desired_retention) ?? createScheduler({ ...settings, desired_retention })
    schedulers.set(desired_retention, known)
    return known
  }
}

export function nextReviewsOf({ again, hard, medium, easy }: ReturnType<Preview>): Record<Rating, string> {
  return {
    again: again.next_review,
    hard: hard.next_review,
    medium: medium.next_review,
    easy: easy.next_review,
  }
}

/**
 * Creates the FSRS-6 scheduler in whole days. The first review of a card on a day uses the long-term formulas. Later
 * reviews on that day use the same-day formula, as for a card in relearning, so that a lapse counts once
 * (docs/decisions/0022-same-day-reviews.md), and `medium` and `easy` never bring the date forward. After `again`, a
 * card is due on the same day; after any other rating, the interval is at least one day. A card without a stability, a difficulty or the day of its last review starts as new.
 * @example
 * const preview = createScheduler({ ...DEFAULT_SETTINGS, weights: null })
 * preview(1, null, '2026-11-21').medium.next_review // '2026-11-24'
 */
export function createScheduler(settings: SchedulerSettings): Preview {
  const longTerm = createFsrs(settings, { enable_short_term: false })
  const sameDay = createFsrs(settings, { enable_short_term: true, learning_steps: [], relearning_steps: [] })
  return (cardId, state, today) => {
    const card = toFsrsCard(cardId, state, today)
    const isSameDay = card.last_review !== undefined && card.last_review.getTime() === noonOf(today).getTime()
    const now = noonOf(today)
    const outcomes = isSameDay ? sameDay.repeat({ ...card, state: State.Relearning }, now) : longTerm.repeat(card, now)
    // To keep the intervals of the ratings apart, the library may exceed the maximum interval.
    const intervalOf = (rating: Rating) =>
      Math.min(outcomes[GRADES[rating]].card.scheduled_days, settings.maximum_interval)
    const intervals = { hard: intervalOf('hard'), medium: intervalOf('medium'), easy: intervalOf('easy') }
    if (settings.free_weekdays.length > 0) {
      const formulas = isSameDay ? sameDay : longTerm
      const elapsed =
        isSameDay || card.last_review === undefined
          ? 0
          : daysBetween(card.last_review.toISOString().slice(0, 10), today)
      const rangeOf = (rating: Rating) =>
        fuzzRange(formulas, outcomes[GRADES[rating]].card.stability, elapsed, settings.maximum_interval)
      avoidWeekdays(intervals, rangeOf, today, settings.free_weekdays, `${cardId}/${card.reps}`)
    }
    if (isSameDay && state?.next_review != null) {
      // The formulas of the day's first review keep the ratings a day apart, the same-day formula does not.
      const set = Math.min(daysBetween(today, state.next_review), settings.maximum_interval)
      intervals.medium = Math.max(intervals.medium, set)
      intervals.easy = Math.max(intervals.easy, set)
    }
    const stateAfter = (rating: Rating): NextState => {
      const next = outcomes[GRADES[rating]].card
      return {
        last_rating: rating,
        next_review: rating === 'again' ? today : addDays(today, intervals[rating]),
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

/** Returns the range of intervals that the library's fuzz may choose; null for short intervals, which have no fuzz. */
function fuzzRange(formulas: FSRS, stability: number, elapsed: number, maximum: number): FuzzRange | null {
  const interval = Math.min(Math.max(1, Math.round(stability * formulas.interval_modifier)), maximum)
  if (interval < MIN_FUZZY_INTERVAL) return null
  const { min_ivl, max_ivl } = get_fuzz_range(interval, elapsed, maximum)
  return { first: min_ivl, last: max_ivl }
}

/**
 * Creates FSRS with fuzz that depends on the card and its number of reviews. Each rating therefore sets the
 * date that was shown for it, and cards learned together are spread over several days.
 */
function createFsrs(settings: SchedulerSettings, parameters: Partial<FSRSParameters>): FSRS {
  const scheduler = fsrs({
    ...(settings.weights !== null && { w: settings.weights }),
    request_retention: settings.desired_retention,
    maximum_interval: settings.maximum_interval,
    enable_fuzz: true,
    ...parameters,
  })
  return scheduler.useStrategy(StrategyMode.SEED, GenSeedStrategyWithCardId('fuzz_seed'))
}

function toFsrsCard(cardId: number, state: CardState | null, today: string): Card & { fuzz_seed: string } {
  // The seed is a string: the library adds the number of reviews to a numeric seed, so similar ids would share seeds.
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
