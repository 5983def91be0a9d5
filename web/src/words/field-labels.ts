/** The texts of a card with their labels, in the order of the form and of comparisons */
export const CARD_TEXT_LABELS = { question: 'Frage', answer: 'Antwort', level: 'Level' } as const

/** Labels of the forms, by the last name in the path of a field */
const LABELS: Readonly<Record<string, string>> = {
  ...CARD_TEXT_LABELS,
  attempts: 'Versuche',
  audience: 'Für wen',
  category: 'Kategorie',
  closes: 'Letzter Tag',
  content_md: 'Text',
  days_after_start: 'Tage Zeit',
  deck: 'Deck',
  decline: 'Warum nicht?',
  description: 'Beschreibung',
  desired_retention: 'Wie sicher?',
  draw: 'Fragen je Versuch',
  due: 'Fällig',
  events: 'Ereignisse',
  every_months: 'Monate',
  feedback: 'Rückmeldung',
  find: 'Suchen nach',
  form: 'Fragetyp',
  held_on: 'Tag der Unterweisung',
  introduction: 'Einleitung',
  lang: 'Sprache',
  name: 'Name',
  note: 'Notiz',
  opens: 'Erster Tag',
  opens_days_before: 'Öffnet sich vorher',
  options: 'Antwortmöglichkeiten',
  parts: 'Was zu tun ist',
  pass_percent: 'Bestanden ab',
  reason: 'Grund',
  responsible_id: 'Verantwortlich',
  retention_years: 'Nachweis aufbewahren',
  review_when: 'Lösungen',
  sections: 'Fragen',
  starts: 'Beginn',
  text: 'Text',
  time_limit_minutes: 'Zeit je Versuch',
  title: 'Titel',
  tolerance: 'Erlaubte Abweichung',
  translation_of: 'Übersetzung von',
  unit: 'Einheit',
  until: 'Tag',
  url: 'Adresse',
  wait_minutes: 'Wartezeit',
  window_end: 'Letzter Tag im Jahr',
  with: 'Ersetzen durch',
}

/**
 * Returns the label that a form shows for a field of a request; undefined if no form has the field.
 * @param field path of the field, as in `X-Error-Field`
 * @example labelOf('parts/1/title') // 'Teil 2'
 */
export function labelOf(field: string): string | undefined {
  const [first, position, ...rest] = field.split('/')
  if (first === 'parts' && position !== undefined) return `Teil ${Number(position) + 1}`
  if (first === 'options') return LABELS.options
  const name = rest.at(-1) ?? position ?? first ?? ''
  return Object.hasOwn(LABELS, name) ? LABELS[name] : undefined
}

/**
 * Replaces the name of the faulty field in a message of the service with the label of the form.
 * @example nameField('Das Feld „question“ darf nicht leer sein', 'question') // 'Das Feld „Frage“ darf nicht leer sein'
 */
export function nameField(message: string, field: string): string {
  const label = labelOf(field)
  if (label === undefined) return message
  const name = field.split('/').at(-1) ?? field
  return message.replace(`„${field}“`, `„${label}“`).replace(`„${name}“`, `„${label}“`)
}
