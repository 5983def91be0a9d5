/** Days and times in the language of the app. Days are `YYYY-MM-DD`; `today` is the service's current day. */

import { LOCALE } from './locale.js'

const DAY_MS = 24 * 60 * 60 * 1000
const DAYS_A_WEEK = 7
const DAYS_A_MONTH = 30.44
const DAYS_A_YEAR = 365.25

interface Unit {
  /** Number of days below which the unit is used */
  below: number
  days: number
  unit: Intl.RelativeTimeFormatUnit
  short: string
}

/** Each unit starts at a count of two or more, so no short singular is needed. */
const UNITS: Unit[] = [
  { below: 14, days: 1, unit: 'day', short: 'T.' },
  { below: 60, days: DAYS_A_WEEK, unit: 'week', short: 'Wo.' },
  { below: 730, days: DAYS_A_MONTH, unit: 'month', short: 'Mon.' },
  { below: Number.POSITIVE_INFINITY, days: DAYS_A_YEAR, unit: 'year', short: 'J.' },
]

/** Formats „heute“, „morgen“, „vorgestern“, „in 3 Tagen“. */
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })

const SHORT_DATE = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const WEEKDAY_DATE = new Intl.DateTimeFormat(LOCALE, {
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const LONG_DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeZone: 'UTC' })

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
  const { unit, count } = inUnits(days)
  return RELATIVE.format(days < 0 ? -count : count, unit.unit)
}

/**
 * Formats a day briefly, relative to today: „heute“, „morgen“, „3 T.“, „vor 2 Wo.“.
 * @example shortDay('2026-11-24', '2026-11-21') // '3\u00a0T.'
 */
export function shortDay(day: string, today: string): string {
  const days = daysBetween(today, day)
  if (days >= -1 && days <= 1) return RELATIVE.format(days, 'day')
  const { unit, count } = inUnits(days)
  const text = `${count}\u00a0${unit.short}`
  return days < 0 ? `vor ${text}` : text
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
  const time = at.toLocaleTimeString(LOCALE, { hour: '2-digit', minute: '2-digit' })
  const days = daysBetween(localDayOf(now), localDayOf(at))
  if (days === 0) return time
  if (days === -1) return `gestern, ${time}`
  const withYear = at.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  return `${at.toLocaleDateString(LOCALE, { day: 'numeric', month: 'long', ...withYear })}, ${time}`
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
