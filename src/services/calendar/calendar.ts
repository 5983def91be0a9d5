import type { Kysely } from 'kysely'
import { findCalendar, putCalendarToken } from '../../../db/queries/calendar/calendars.js'
import type { Database } from '../../../db/types.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { writeCalendar } from '../../domain/calendar/icalendar.js'
import { CALENDAR_NOT_FOUND } from '../../domain/calendar/refusals.js'
import { type Language, languageOf } from '../../domain/text/language.js'
import { createSecret, hashSecret, isSecret } from '../../domain/text/secrets.js'

/** Creates or replaces the secret token of a person's calendar address and returns it. Only its hash is stored. */
export async function makeCalendar(db: Kysely<Database>, userId: number): Promise<string> {
  const token = createSecret()
  await putCalendarToken(db, userId, hashSecret(token))
  return token
}

/**
 * Returns the calendar of a token in iCalendar format, and the language of its owner, in which it is written. Does not plan occurrences, because calendar programs poll often
 * and the nightly job plans them.
 * @throws CALENDAR_NOT_FOUND if the token is unknown or the account is disabled
 */
export async function readCalendar(
  db: Kysely<Database>,
  token: string,
  { host, today, defaultLanguage }: { host: string; today: string; defaultLanguage: Language },
): Promise<{ file: string; language: Language }> {
  const calendar = isSecret(token) ? await findCalendar(db, hashSecret(token)) : undefined
  if (calendar === undefined || isDisabled(calendar, today)) throw CALENDAR_NOT_FOUND
  const language = languageOf(calendar, defaultLanguage)
  return { file: writeCalendar(calendar.events, { host, language, today }), language }
}
