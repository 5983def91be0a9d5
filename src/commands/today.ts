import type { Config } from '../config.js'
import { calendarIn, type Moment } from '../domain/time/calendar.js'
import { clockFrom } from '../domain/time/clock.js'

/** Returns the current moment of a command, which `SIMULATED_DATE` may move to another day. */
export function momentOf({ simulatedDate, timeZone }: Config): Moment {
  const at = clockFrom(simulatedDate, timeZone)()
  return { at, today: calendarIn(timeZone)(at) }
}
