import { calendarIn, daysBetween } from './calendar.js'

const HOUR_MS = 60 * 60 * 1000

/**
 * Returns a clock that starts on the given day at the current time of day; without a day, the clock of the machine. The
 * time of day is an hour off if only the current day or only the given day has summer time.
 * @param day `YYYY-MM-DD` in the time zone
 */
export function clockFrom(day: string | undefined, timeZone: string, real = () => new Date()): () => Date {
  if (day === undefined) return real
  const dayOf = calendarIn(timeZone)
  const start = real()
  const days = daysBetween(dayOf(start), day) * 24 * HOUR_MS
  // Within an hour of midnight, a difference in summer time may shift the clock to a neighbouring day.
  const shift = [days, days - HOUR_MS, days + HOUR_MS].find(
    (milliseconds) => dayOf(new Date(start.getTime() + milliseconds)) === day,
  )
  return () => new Date(real().getTime() + (shift ?? days))
}
