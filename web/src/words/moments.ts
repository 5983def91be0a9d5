import { LOCALE } from './locale.js'

const MOMENT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })

/**
 * Formats an instant (ISO 8601) in the time zone of this device.
 * @example moment('2026-11-21T17:05:00') // '21.11.2026, 17:05'
 */
export function moment(timestamp: string): string {
  return MOMENT.format(new Date(timestamp))
}
