import { addDays, type DayOf } from '../time/calendar.js'

/** Time after the deadline during which answers still count, because they may have been sent in time */
export const GRACE_MS = 10_000

const MINUTE_MS = 60_000
/** Upper bound of the offset between a time zone and UTC */
const MAX_OFFSET_MS = 15 * 60 * MINUTE_MS

export interface TimeLimits {
  /** Null without a time limit */
  time_limit_minutes: number | null
  /** Last day of the test as `YYYY-MM-DD`; null without a last day */
  closes: string | null
}

/**
 * Returns the deadline of an attempt: the time limit or the end of the last day, whichever is earlier, plus the extra
 * time; null without limits.
 * @param extraPercent extra time in percent of the time limit
 */
export function deadlineOf(
  startedAt: Date,
  { time_limit_minutes, closes }: TimeLimits,
  extraPercent: number,
  dayOf: DayOf,
): Date | null {
  const limitMs = (time_limit_minutes ?? 0) * MINUTE_MS
  const extraMs = (limitMs * extraPercent) / 100
  const ends = [
    ...(time_limit_minutes === null ? [] : [startedAt.getTime() + limitMs]),
    ...(closes === null ? [] : [endOfDay(closes, dayOf).getTime()]),
  ]
  return ends.length === 0 ? null : new Date(Math.min(...ends) + extraMs)
}

/** Returns the first instant after a calendar day, to the second, also on days when the clock changes. */
export function endOfDay(day: string, dayOf: DayOf): Date {
  const midnight = new Date(`${addDays(day, 1)}T00:00:00Z`).getTime()
  let [inside, after] = [midnight - MAX_OFFSET_MS, midnight + MAX_OFFSET_MS]
  while (after - inside > 1_000) {
    const middle = inside + Math.floor((after - inside) / 2_000) * 1_000
    if (dayOf(new Date(middle)) > day) after = middle
    else inside = middle
  }
  return new Date(after)
}

/** Returns whether the deadline and its grace period are over. */
export function isOver(deadline: Date | null, now: Date): boolean {
  return deadline !== null && now.getTime() > deadline.getTime() + GRACE_MS
}

export function secondsLeft(deadline: Date | null, now: Date): number | null {
  return deadline === null ? null : Math.max(0, Math.floor((deadline.getTime() - now.getTime()) / 1_000))
}
