/** A function that returns the calendar day of an instant as `YYYY-MM-DD`. */
export type DayOf = (instant: Date) => string

/**
 * Returns the calendar of an IANA time zone.
 * @throws RangeError if the time zone is unknown
 * @example calendarIn('Europe/Berlin')(new Date('2026-11-21T23:30:00Z')) // '2026-11-22'
 */
export function calendarIn(timeZone: string): DayOf {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const dayIn = (second: number) => {
    const parts = new Map(format.formatToParts(second * 1000).map(({ type, value }) => [type, value]))
    return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
  }
  // Every request needs the current day, so the day of the last requested second is cached.
  let known = { second: 0, day: dayIn(0) }
  return (instant) => {
    const second = Math.floor(instant.getTime() / 1000)
    if (second !== known.second) known = { second, day: dayIn(second) }
    return known.day
  }
}

/** An instant with its calendar day in the service's time zone. */
export interface Moment {
  at: Date
  /** `YYYY-MM-DD` */
  today: string
}

/** Source of the current time, which is injected so that tests can set it. */
export interface Clock {
  moment: (at?: Date) => Moment
}

/**
 * Parses an instant in RFC 3339. The seconds may be absent, and also the minutes of the offset. Returns undefined for
 * text that `Date` cannot parse. Checks neither the format nor that the day exists.
 * @example parseInstant('2026-11-21T08:00Z') // 2026-11-21T08:00:00.000Z
 */
export function parseInstant(text: string): Date | undefined {
  // `Date` supports neither leap seconds nor offsets of hours only.
  const instant = new Date(text.replace(/:60(?=[.Z+-])/i, ':59').replace(/([+-]\d\d)$/, '$1:00'))
  return Number.isNaN(instant.getTime()) ? undefined : instant
}

/**
 * Returns whether the text is a calendar day of the years 1000 to 2999 as `YYYY-MM-DD`.
 * @example isDay('2026-02-29') // false
 */
export function isDay(text: string): boolean {
  if (!/^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text)) return false
  // `Date` turns a day that the month does not have into a day of the next month.
  return addDays(text, 0) === text
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Returns noon UTC of a calendar day. Consecutive days are exactly 24 hours apart. */
export function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00Z`)
}

/**
 * Adds days to a calendar day.
 * @example addDays('2026-12-31', 1) // '2027-01-01'
 */
export function addDays(day: string, days: number): string {
  return new Date(noonOf(day).getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

/**
 * Returns the first day of the week.
 * @example mondayOf('2026-12-06') // '2026-11-30'
 */
export function mondayOf(day: string): string {
  return addDays(day, -((noonOf(day).getUTCDay() + 6) % 7))
}

/** Returns the number of days between two calendar days; negative if `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((noonOf(to).getTime() - noonOf(from).getTime()) / DAY_MS)
}

/**
 * Returns the first instant of a calendar day in a time zone, and the offset of the zone from UTC at that instant, in
 * minutes, positive west of Greenwich.
 */
export function startOfDay(day: string, timeZone: string): { instant: Date; minutesWest: number } {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const minutesWestAt = (time: number) => {
    const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    // UTC itself is named GMT, without an offset.
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
    return sign === undefined ? 0 : (sign === '-' ? 1 : -1) * (Number(hours) * 60 + Number(minutes))
  }
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // The clock may change on this day, so this function tries the offsets of the day before and the day after.
  const starts = [midnight - DAY_MS, midnight + DAY_MS].map((time) => midnight + minutesWestAt(time) * 60_000)
  const dayOf = calendarIn(timeZone)
  const time = Math.min(...starts.filter((start) => dayOf(new Date(start)) >= day))
  return { instant: new Date(time), minutesWest: minutesWestAt(time) }
}

/**
 * Adds calendar months to a day. Returns the last day of the resulting month if that month is too short.
 * @param dayOfMonth intended day of the month; default: that of `day`, which an earlier addition may have reduced
 * @example addMonths('2027-01-31', 1) // '2027-02-28'
 */
export function addMonths(day: string, months: number, dayOfMonth = Number(day.slice(8))): string {
  const first = new Date(`${day.slice(0, 7)}-01T12:00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + months)
  const month = first.toISOString().slice(0, 7)
  first.setUTCMonth(first.getUTCMonth() + 1)
  const last = new Date(first.getTime() - DAY_MS).getUTCDate()
  return `${month}-${String(Math.min(dayOfMonth, last)).padStart(2, '0')}`
}

export function laterDay(one: string, other: string): string {
  return one > other ? one : other
}
