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

/**
 * Returns the label of a value; the value itself if it is unknown.
 * @example labelOf(ACCESS, 'open') // 'Alle'
 */
export function labelOf(choices: readonly { value: string; label: string }[], value: string): string {
  return choices.find((choice) => choice.value === value)?.label ?? value
}
