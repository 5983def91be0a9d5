const MOMENT = new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeStyle: 'short' })

/** Formats an instant in the time zone of this device: `21.11.2026, 17:05`. */
export function moment(timestamp: string): string {
  return MOMENT.format(new Date(timestamp))
}
