import { noonOf } from '../time/calendar.js'

/** Shortest and longest interval, in days, that fuzz (the random variation of intervals) may choose. */
export interface FuzzRange {
  first: number
  last: number
}

/** Intervals in days by rating, except `again`, which makes a card due on the same day */
type Intervals = Record<'hard' | 'medium' | 'easy', number>

const RISING = ['hard', 'medium', 'easy'] as const

/**
 * Moves intervals that end on a free weekday to another day of their fuzz range, without changing their order. The seed
 * determines the choice, so each rating sets the date that was shown for it. An interval stays unchanged if it has no
 * fuzz range, or if the range has no other day in the order.
 * @param intervals changed in place
 * @param free weekdays, Monday is 1
 */
export function avoidWeekdays(
  intervals: Intervals,
  rangeOf: (rating: keyof Intervals) => FuzzRange | null,
  today: string,
  free: readonly number[],
  seed: string,
): void {
  const weekday = weekdayOf(today)
  const isFree = (interval: number) => free.includes(((weekday - 1 + interval) % 7) + 1)
  for (const [index, rating] of RISING.entries()) {
    const range = isFree(intervals[rating]) ? rangeOf(rating) : null
    if (range === null) continue
    const [before, after] = [RISING[index - 1], RISING[index + 1]]
    const least = before === undefined ? 0 : intervals[before]
    const most = after === undefined ? Number.POSITIVE_INFINITY : intervals[after]
    const days = daysOf(range).filter((day) => !isFree(day) && day >= least && day <= most)
    const apart = days.filter((day) => day > least && day < most)
    const preferred = apart.length > 0 ? apart : days
    intervals[rating] = preferred[hash(`${seed}/${rating}`) % preferred.length] ?? intervals[rating]
  }
}

function daysOf({ first, last }: FuzzRange): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** Returns 1 for Monday to 7 for Sunday. */
function weekdayOf(day: string): number {
  return noonOf(day).getUTCDay() || 7
}

/** Returns the 32-bit FNV-1a hash of the code units, which spreads neighbouring card ids over the days. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value >>> 0
}
