const DAY_MS = 24 * 60 * 60 * 1000
const DAYS_A_WEEK = 7

/**
 * Returns the weekday of a day `YYYY-MM-DD`: 0 for Monday to 6 for Sunday.
 * @example weekdayOf('2026-11-28') // 5
 */
export function weekdayOf(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % DAYS_A_WEEK
}

export function mondayOf(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`) - weekdayOf(day) * DAY_MS
  return new Date(at).toISOString().slice(0, 10)
}

/** Groups consecutive days by week; `monday` is the first day of the week, even if it is not among `days`. */
export function groupByWeek<T extends { day: string }>(days: readonly T[]): { monday: string; days: T[] }[] {
  const weeks = new Map<string, T[]>()
  for (const day of days) {
    const monday = mondayOf(day.day)
    const week = weeks.get(monday)
    if (week === undefined) weeks.set(monday, [day])
    else week.push(day)
  }
  return [...weeks].map(([monday, of]) => ({ monday, days: of }))
}

/**
 * Returns a level from 1 to 4 for each positive value, by quartile, so that the levels have about the same number of
 * days. The level of other values is 0.
 * @example levelsOf([0, 5]) // [0, 1]
 */
export function levelsOf(values: readonly number[]): number[] {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b)
  const limits = [0.25, 0.5, 0.75].map((share) => sorted[Math.floor(share * sorted.length)] ?? 0)
  return values.map((value) => (value <= 0 ? 0 : 1 + limits.filter((limit) => value > limit).length))
}
