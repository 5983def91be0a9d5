import { addDays } from '../time/calendar.js'
import { RATINGS, type Rating } from './review.js'

/** Minimum interval of a mature card in days */
export const MATURE_DAYS = 21
export const FORECAST_DAYS = 30

export interface DayOfReviews {
  day: string
  reviews: number
  /** Number of reviews rated `easy` or `medium` */
  correct: number
  /** Number of first reviews of new or reset cards */
  introduced: number
  /** Milliseconds, as reported by the clients */
  duration_ms: number
}

/** Recalls with the same ratings and maturity. A recall is the first review on a day of a card seen before that day. */
export interface RecallGroup {
  previous_rating: Rating | null
  rating: Rating
  is_mature: boolean
  reviews: number
}

export interface ForecastDay {
  day: string
  due: number
}

export interface DeckMaturity {
  slug: string
  name: string
  new: number
  young: number
  mature: number
  suspended: number
}

export interface Retention {
  reviews: number
  /** Reviews not rated `again` */
  remembered: number
  /** remembered / reviews with four decimals; null without reviews */
  rate: number | null
}

/** Returns the last `count` days up to today, ascending and without gaps. */
export function lastDays(studied: DayOfReviews[], today: string, count: number): DayOfReviews[] {
  const byDay = new Map(studied.map((entry) => [entry.day, entry]))
  return Array.from({ length: count }, (_, index) => {
    const day = addDays(today, index + 1 - count)
    return byDay.get(day) ?? { day, reviews: 0, correct: 0, introduced: 0, duration_ms: 0 }
  })
}

/**
 * Returns the number of due cards for each of 30 days, starting today, without gaps.
 * @param forecast days from today on; overdue cards are counted on today
 */
export function nextDays(forecast: ForecastDay[], today: string): ForecastDay[] {
  const byDay = new Map(forecast.map(({ day, due }) => [day, due]))
  return Array.from({ length: FORECAST_DAYS }, (_, index) => {
    const day = addDays(today, index)
    return { day, due: byDay.get(day) ?? 0 }
  })
}

/**
 * Returns the current and longest run of days with reviews. The current run ends today, or yesterday if today has
 * no reviews yet.
 * @param days ascending
 */
export function findStreaks(days: readonly string[], today: string): { current: number; longest: number } {
  let longest = 0
  let length = 0
  let previous: string | undefined
  for (const day of days) {
    length = previous !== undefined && addDays(previous, 1) === day ? length + 1 : 1
    longest = Math.max(longest, length)
    previous = day
  }
  // After a change of the time zone, the last day may lie in the future.
  const isAlive = previous !== undefined && previous >= addDays(today, -1)
  return { current: isAlive ? length : 0, longest }
}

export function summarizeRetention(groups: RecallGroup[]) {
  const of = (condition: (group: RecallGroup) => boolean) => retentionOf(groups.filter(condition))
  const byRating = RATINGS.map((rating) => [rating, of((group) => group.previous_rating === rating)])
  return {
    total: retentionOf(groups),
    by_previous_rating: Object.fromEntries(byRating) as Record<Rating, Retention>,
    by_maturity: { young: of((group) => !group.is_mature), mature: of((group) => group.is_mature) },
  }
}

function retentionOf(groups: RecallGroup[]): Retention {
  const count = (some: RecallGroup[]) => some.reduce((sum, { reviews }) => sum + reviews, 0)
  const reviews = count(groups)
  const remembered = count(groups.filter(({ rating }) => rating !== 'again'))
  return { reviews, remembered, rate: reviews === 0 ? null : Math.round((remembered / reviews) * 10_000) / 10_000 }
}
