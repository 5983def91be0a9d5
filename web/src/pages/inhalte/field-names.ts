const NAMES = new Map(
  Object.entries({
    question: 'Frage',
    answer: 'Antwort',
    level: 'Level',
    options: 'Antwortmöglichkeiten',
    feedback: 'Rückmeldung',
    form: 'Fragetyp',
    tolerance: 'Erlaubte Abweichung',
    unit: 'Einheit',
    title: 'Titel',
    category: 'Kategorie',
    content_md: 'Text',
    text: 'Text',
    name: 'Name',
    description: 'Beschreibung',
    lang: 'Sprache',
    desired_retention: 'Wie sicher?',
    find: 'Suchen nach',
    with: 'Ersetzen durch',
    decline: 'Warum nicht?',
  }),
)

/**
 * Replaces field names in a message of the service with their German labels.
 * @example nameFields('Das Feld „answer“ darf nicht leer sein') // 'Das Feld „Antwort“ darf nicht leer sein'
 */
export function nameFields(message: string): string {
  return message.replaceAll(/Das Feld „([\w/]+)“/g, (whole, field: string) => {
    const last = field.split('/').findLast((part) => !/^\d+$/.test(part)) ?? ''
    const name = field.startsWith('options/') && last === 'text' ? NAMES.get('options') : NAMES.get(last)
    return name === undefined ? whole : `Das Feld „${name}“`
  })
}
