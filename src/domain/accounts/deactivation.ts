import { InvalidField } from '../refusal.js'
import { isDay } from '../time/calendar.js'

export interface Deactivation {
  /** Day from which the account is disabled, as `YYYY-MM-DD`; null if no deactivation is planned */
  disabled_on: string | null
}

/**
 * Returns whether an account is disabled on a day (`YYYY-MM-DD`). `isEnabled` is the same rule in SQL.
 * @example isDisabled({ disabled_on: '2026-11-21' }, '2026-11-21') // true
 */
export function isDisabled({ disabled_on }: Deactivation, today: string): boolean {
  return disabled_on !== null && disabled_on <= today
}

/**
 * Parses a day as `YYYY-MM-DD`.
 * @throws InvalidInput if the text is not a calendar day of the years 1000 to 2999
 * @example parseDisabledOn('2026-12-31') // '2026-12-31'
 */
export function parseDisabledOn(day: string): string {
  if (!isDay(day)) throw new InvalidField('disabled_on', 'muss ein Tag sein, etwa 2026-12-31')
  return day
}
