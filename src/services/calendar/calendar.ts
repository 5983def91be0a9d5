import type { Kysely } from 'kysely'
import { findCalendar, putCalendarToken } from '../../../db/queries/calendar/calendars.js'
import type { Database } from '../../../db/types.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { createCalendarToken, hashCalendarToken } from '../../domain/calendar/address.js'
import { writeCalendar } from '../../domain/calendar/icalendar.js'
import { CALENDAR_NOT_FOUND } from '../../domain/calendar/refusals.js'

/** Makes or replaces the address of a person's calendar. Returns the token, which is known only now. */
export async function makeCalendar(db: Kysely<Database>, userId: number): Promise<string> {
  const token = createCalendarToken()
  await putCalendarToken(db, userId, hashCalendarToken(token) as Buffer)
  return token
}

/**
 * Returns the calendar of a token as iCalendar. Only reads: calendars ask every few hours, and the nightly job has planned.
 * @throws CALENDAR_NOT_FOUND, also for a disabled account
 */
export async function readCalendar(
  db: Kysely<Database>,
  token: string,
  { host, today }: { host: string; today: string },
): Promise<string> {
  const hash = hashCalendarToken(token)
  const calendar = hash === undefined ? undefined : await findCalendar(db, hash)
  if (calendar === undefined || isDisabled(calendar, today)) throw CALENDAR_NOT_FOUND
  return writeCalendar(calendar.events, { host, today })
}
