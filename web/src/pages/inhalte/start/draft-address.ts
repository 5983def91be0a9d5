import { fieldsOf } from '../../../platform/fields.js'
import { nameOfObject } from '../../../storage/draft.js'

const PLACES: [RegExp, (...names: string[]) => string][] = [
  [/^card (\d+)$/, (id) => `inhalte/karten/${id}`],
  [/^new card (.+)$/, (slug) => `inhalte/decks/${encodeURIComponent(slug)}?karte=neu`],
  [/^sheet (.+)$/, (slug) => `inhalte/spickzettel/${encodeURIComponent(slug)}`],
  [/^new sheet (\d+)$/, (id) => `inhalte/spickzettel?quelle=${id}`],
  [/^deck (.+)$/, (slug) => `inhalte/decks/${encodeURIComponent(slug)}`],
  [/^team (\d+)$/, (id) => `teams/${id}`],
  [/^new (team)$/, () => 'teams'],
  [/^new (test)$/, () => 'inhalte/tests/neu'],
  [/^test (.+)$/, (slug) => `inhalte/tests/${encodeURIComponent(slug)}`],
  [/^new (assignment)$/, () => 'aufgaben/vergeben/neu'],
  [
    /^new assignment (\d+) after (\d+) of (.+)$/,
    (step = '', after, path = '') =>
      `aufgaben/vergeben/weg/${encodeURIComponent(path)}/${step}${after === '0' ? '' : `?nach=${after}`}`,
  ],
  [/^new assignment of (\d+)$/, (id) => `aufgaben/vergeben/neu?vorlage=${id}`],
  [/^assignment (\d+)$/, (id) => `aufgaben/vergeben/${id}/aendern`],
]

/**
 * Returns the address of the page that edits the draft with the given name; the address of the overview for an unknown
 * name.
 * @example addressOfDraft('card 7') // 'inhalte/karten/7'
 */
export function addressOfDraft(item: string): string {
  for (const [pattern, addressOf] of PLACES) {
    const found = pattern.exec(nameOfObject(item))
    if (found !== null) return addressOf(...found.slice(1))
  }
  return 'inhalte'
}

/**
 * Returns a text that identifies a draft in a list; an empty string if the draft contains no such text.
 * @example titleOfDraft({ title: 'Git', content_md: '' }) // 'Git'
 */
export function titleOfDraft(fields: unknown): string {
  const { question, title, name, answer } = fieldsOf(fields)
  return String(question || title || name || answer || '')
}
