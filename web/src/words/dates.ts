/** Days and times in German. Days are `YYYY-MM-DD`; `today` is the service's current day. */

const DAY_MS = 24 * 60 * 60 * 1000
const DAYS_A_WEEK = 7
const DAYS_A_MONTH = 30.44
const DAYS_A_YEAR = 365.25

interface Unit {
  /** Number of days below which the unit is used */
  below: number
  days: number
  name: string
  short: string
}

/** Each unit starts at a count of two or more, so no singular is needed. */
const UNITS: Unit[] = [
  { below: 14, days: 1, name: 'Tagen', short: 'T.' },
  { below: 60, days: DAYS_A_WEEK, name: 'Wochen', short: 'Wo.' },
  { below: 730, days: DAYS_A_MONTH, name: 'Monaten', short: 'Mon.' },
  { below: Number.POSITIVE_INFINITY, days: DAYS_A_YEAR, name: 'Jahren', short: 'J.' },
]

const NEAR: Record<number, string> = {
  [-2]: 'vorgestern',
  [-1]: 'gestern',
  0: 'heute',
  1: 'morgen',
  2: 'übermorgen',
}

const SHORT_DATE = new Intl.DateTimeFormat('de-DE', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const WEEKDAY_DATE = new Intl.DateTimeFormat('de-DE', {
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const LONG_DAY = new Intl.DateTimeFormat('de-DE', { dateStyle: 'full', timeZone: 'UTC' })

/** Returns the number of days between two days; negative if `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((noonOf(to).getTime() - noonOf(from).getTime()) / DAY_MS)
}

/**
 * Formats a day relative to today: „heute“, „morgen“, „in 3 Tagen“, „vor 2 Wochen“.
 * @example relativeDay('2026-11-24', '2026-11-21') // 'in 3 Tagen'
 */
export function relativeDay(day: string, today: string): string {
  const days = daysBetween(today, day)
  const near = NEAR[days]
  if (near !== undefined) return near
  const { unit, count } = inUnits(days)
  return `${days < 0 ? 'vor' : 'in'} ${count} ${unit.name}`
}

/**
 * Formats a day briefly, relative to today: „heute“, „morgen“, „3 T.“, „vor 2 Wo.“.
 * @example shortDay('2026-11-24', '2026-11-21') // '3\u00a0T.'
 */
export function shortDay(day: string, today: string): string {
  const days = daysBetween(today, day)
  if (days >= -1 && days <= 1) return NEAR[days] as string
  const { unit, count } = inUnits(days)
  return `${days < 0 ? 'vor ' : ''}${count}\u00a0${unit.short}`
}

/**
 * Formats a day with weekday and year.
 * @example absoluteDay('2026-11-28') // 'Samstag, 28. November 2026'
 */
export function absoluteDay(day: string): string {
  return LONG_DAY.format(noonOf(day))
}

/**
 * Formats a day without its year.
 * @example shortDate('2026-11-28') // '28. Nov.'
 */
export function shortDate(day: string): string {
  return SHORT_DATE.format(noonOf(day))
}

/**
 * Formats a day with abbreviated weekday and year.
 * @example weekdayDate('2026-11-28') // 'Sa., 28. November 2026'
 */
export function weekdayDate(day: string): string {
  return WEEKDAY_DATE.format(noonOf(day))
}

/**
 * Formats an instant in the time zone of this device: „14:05“, „gestern, 14:05“, „18. November, 14:05“; with the year
 * unless it is the current year.
 * @example momentText(new Date(2026, 10, 18, 14, 5), new Date(2026, 10, 21)) // '18. November, 14:05'
 */
export function momentText(at: Date, now: Date): string {
  const time = at.toLocaleTimeString('de-DE', { hour: '2-digit', minute: '2-digit' })
  const days = daysBetween(localDayOf(now), localDayOf(at))
  if (days === 0) return time
  if (days === -1) return `gestern, ${time}`
  const withYear = at.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  return `${at.toLocaleDateString('de-DE', { day: 'numeric', month: 'long', ...withYear })}, ${time}`
}

function inUnits(days: number): { unit: Unit; count: number } {
  const distance = Math.abs(days)
  const unit = UNITS.find(({ below }) => distance < below) as Unit
  return { unit, count: Math.round(distance / unit.days) }
}

function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00Z`)
}

/**
 * Returns the day of an instant in the time zone of this device, as `YYYY-MM-DD`.
 * @example localDayOf(new Date(2026, 10, 21)) // '2026-11-21'
 */
export function localDayOf(at: Date): string {
  const part = (value: number, length = 2) => String(value).padStart(length, '0')
  return `${part(at.getFullYear(), 4)}-${part(at.getMonth() + 1)}-${part(at.getDate())}`
}
