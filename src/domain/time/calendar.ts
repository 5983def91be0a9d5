/** The calendar day of an instant, as `YYYY-MM-DD`. */
export type DayOf = (instant: Date) => string

/**
 * The calendar of an IANA time zone.
 * @throws RangeError when the time zone is unknown
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
  // Requests ask for the present again and again: the answer is kept for its second.
  let known = { second: 0, day: dayIn(0) }
  return (instant) => {
    const second = Math.floor(instant.getTime() / 1000)
    if (second !== known.second) known = { second, day: dayIn(second) }
    return known.day
  }
}

/** An instant and the calendar day on which it falls where the learners live. */
export interface Moment {
  at: Date
  /** As `YYYY-MM-DD`. */
  today: string
}

/** What plugins are given that need the present. */
export interface Clock {
  /** Of the present, or of another instant. */
  moment: (at?: Date) => Moment
}

/**
 * An instant as RFC 3339 writes it, or nearly so (without seconds, an offset of hours); undefined for any other text. Whether
 * the day exists is not looked at.
 */
export function parseInstant(text: string): Date | undefined {
  // `Date` knows neither leap seconds nor offsets of hours alone.
  const instant = new Date(text.replace(/:60(?=[.Z+-])/i, ':59').replace(/([+-]\d\d)$/, '$1:00'))
  return Number.isNaN(instant.getTime()) ? undefined : instant
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Noon UTC of a calendar day: the same distance from its neighbours on every day of the year. */
export function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00Z`)
}

/** The calendar day so many days later. */
export function addDays(day: string, days: number): string {
  return new Date(noonOf(day).getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

/** Whole days from one calendar day to another; negative when the second one is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((noonOf(to).getTime() - noonOf(from).getTime()) / DAY_MS)
}

/**
 * When a calendar day begins in a time zone, and how many minutes west of Greenwich its clocks are then. Where they are
 * put forward at midnight, the day begins an hour later than it should.
 */
export function startOfDay(day: string, timeZone: string): { instant: Date; minutesWest: number } {
  const midnight = new Date(`${day}T00:00:00Z`)
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const parts = new Map(format.formatToParts(midnight).map(({ type, value }) => [type, Number(value)]))
  const local = (parts.get('hour') ?? 0) * 60 + (parts.get('minute') ?? 0)
  const isDayBefore = parts.get('day') !== midnight.getUTCDate()
  const minutesWest = isDayBefore ? 24 * 60 - local : -local
  return { instant: new Date(midnight.getTime() + minutesWest * 60_000), minutesWest }
}
