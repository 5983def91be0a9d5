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
 * Moves intervals that end on a free weekday to another day of their fuzz range, and keeps their order if possible.
 * The seed determines the choice, so each rating sets the date that was shown for it. An interval stays unchanged
 * if it has no fuzz range, or its fuzz range has only free weekdays.
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
  let least = 0
  for (const rating of RISING) {
    const range = isFree(intervals[rating]) ? rangeOf(rating) : null
    if (range !== null) intervals[rating] = choose(range, isFree, least, hash(`${seed}/${rating}`)) ?? intervals[rating]
    least = intervals[rating] + 1
  }
}

/**
 * Returns an interval of the range that does not end on a free weekday, preferably one of at least `least` days;
 * undefined if there is none.
 */
function choose(
  { first, last }: FuzzRange,
  isFree: (interval: number) => boolean,
  least: number,
  random: number,
): number | undefined {
  const days: number[] = []
  for (let day = first; day <= last; day++) if (!isFree(day)) days.push(day)
  const later = days.filter((day) => day >= least)
  const preferred = later.length > 0 ? later : days
  return preferred[random % preferred.length]
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
