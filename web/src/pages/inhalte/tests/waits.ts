import { countOf } from '../../../words/numbers.js'

const HOUR = 60
const DAY = 24 * HOUR
const WAITS = [0, 15, HOUR, 4 * HOUR, DAY, 2 * DAY, 7 * DAY]

/**
 * Describes a number of minutes in the largest unit that divides it.
 * @example waitText(2880) // '2 Tage'
 */
export function waitText(minutes: number): string {
  if (minutes === 0) return 'Keine'
  if (minutes % DAY === 0) return countOf(minutes / DAY, 'Tag', 'Tage')
  return minutes % HOUR === 0 ? countOf(minutes / HOUR, 'Stunde', 'Stunden') : countOf(minutes, 'Minute', 'Minuten')
}

/** Returns the choices for the time between two attempts, including the present one, which a file may have set. */
export function waits(present: number): { value: string; label: string }[] {
  return [...new Set([...WAITS, present])]
    .sort((one, two) => one - two)
    .map((minutes) => ({ value: String(minutes), label: waitText(minutes) }))
}
