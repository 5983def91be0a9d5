import { countOf } from '../../../words/numbers.js'
import type { TestFields } from './test-desk.js'

type Choices<Key extends keyof TestFields> = { value: TestFields[Key] & string; label: string }[]

export const ACCESS: Choices<'access'> = [
  { value: 'open', label: 'Alle' },
  { value: 'assigned', label: 'Nur, wem er zugewiesen ist' },
]

export const PAGES: Choices<'pages'> = [
  { value: 'one', label: 'Eine Frage je Seite' },
  { value: 'all', label: 'Alle Fragen auf einer Seite' },
]

export const MULTIPLE: Choices<'multiple'> = [
  { value: 'partial', label: 'Teilpunkte, mit Abzug' },
  { value: 'all', label: 'Punkt nur, wenn alles stimmt' },
]

export const REVIEW: Choices<'review'> = [
  { value: 'explanations', label: 'Ergebnis und Lösungen mit Erklärung' },
  { value: 'result', label: 'Nur das Ergebnis' },
  { value: 'none', label: 'Nichts' },
]

export const WHEN: Choices<'review_when'> = [
  { value: 'passed_or_last', label: 'Wenn bestanden oder kein Versuch mehr übrig ist' },
  { value: 'now', label: 'Gleich nach dem Abgeben' },
  { value: 'closed', label: 'Nach dem letzten Tag' },
]

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

/**
 * Returns the label of a value; the value itself if it is unknown.
 * @example labelOf(ACCESS, 'open') // 'Alle'
 */
export function labelOf(choices: readonly { value: string; label: string }[], value: string): string {
  return choices.find((choice) => choice.value === value)?.label ?? value
}
