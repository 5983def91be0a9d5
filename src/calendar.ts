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
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]))
    return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
  }
}
