import { InvalidInput } from '../refusal.js'
import { isDay } from '../time/calendar.js'

/** The part of an account that decides whether it may be used. */
export interface Deactivation {
  /** Day from which the account is disabled, as `YYYY-MM-DD`; null if none is planned */
  disabled_on: string | null
}

/**
 * Returns whether an account is disabled on a day: no login, session or token of it is valid then.
 * `insertSession` states the same rule in SQL.
 * @example isDisabled({ disabled_on: '2026-11-21' }, '2026-11-21') // true
 */
export function isDisabled({ disabled_on }: Deactivation, today: string): boolean {
  return disabled_on !== null && disabled_on <= today
}

/** Returns the day. @throws InvalidInput if the text is no day of the years 1000 to 2999 */
export function parseDisabledOn(day: string): string {
  if (!isDay(day)) throw new InvalidInput('Das Feld „disabled_on“ muss ein Tag sein, etwa 2026-12-31')
  return day
}
