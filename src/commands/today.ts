import type { Config } from '../config.js'
import { type Clock, calendarIn, type Moment } from '../domain/time/calendar.js'
import { clockFrom } from '../domain/time/clock.js'

/** Returns the clock of a command, which `SIMULATED_DATE` may move to another day. */
export function clockOf({ simulatedDate, timeZone }: Config): Clock & { timeZone: string } {
  const now = clockFrom(simulatedDate, timeZone)
  const dayOf = calendarIn(timeZone)
  return { moment: (at = now()) => ({ at, today: dayOf(at) }), timeZone }
}

export function momentOf(config: Config): Moment {
  return clockOf(config).moment()
}
