import { TABLE_HEADINGS } from '../content/table-cells.js'
import type { AnkiHeader } from './anki-header.js'

export type Role = 'question' | 'answer' | 'level' | 'deck' | 'id' | 'guid' | 'tags' | 'notetype'

/** Where the parts of a card stand, from 0, and the columns that nobody asks for. */
export interface Columns {
  places: Map<Role, number>
  ignored: string[]
  count: number
  /** Whether the first record holds the headings. */
  hasHeadings: boolean
  /** Whether it is a table of our own, whose cells are texts to the letter. */
  isOwn: boolean
}

const HEADINGS: Readonly<Record<string, Role>> = {
  frage: 'question',
  question: 'question',
  vorderseite: 'question',
  front: 'question',
  antwort: 'answer',
  answer: 'answer',
  rückseite: 'answer',
  rueckseite: 'answer',
  back: 'answer',
  level: 'level',
  stufe: 'level',
  deck: 'deck',
  id: 'id',
  guid: 'guid',
  tags: 'tags',
  schlagwörter: 'tags',
  notetype: 'notetype',
}
/** Without headings. */
const PLACES: readonly Role[] = ['question', 'answer', 'level', 'deck', 'id']

/** The columns by their headings or else by place; faults are texts about the first line. */
export function findColumns(
  first: readonly string[],
  header: AnkiHeader | undefined,
): { columns: Columns; faults: string[] } {
  const named = header?.columns ?? (isHeading(first) ? first : undefined)
  if (named?.some((name) => roleOf(name) !== undefined)) {
    return byName(named, header, header?.columns === undefined)
  }
  return { columns: byPlace(named ?? first, header, named !== undefined), faults: [] }
}

function roleOf(heading: string): Role | undefined {
  const name = heading.trim().toLowerCase()
  return Object.hasOwn(HEADINGS, name) ? HEADINGS[name] : undefined
}

function isHeading(fields: readonly string[]): boolean {
  return fields.some((field) => ['question', 'answer'].includes(roleOf(field) ?? ''))
}

function byName(
  names: readonly string[],
  header: AnkiHeader | undefined,
  hasHeadings: boolean,
): { columns: Columns; faults: string[] } {
  const places = new Map<Role, number>([...(header?.roles ?? [])].map(([place, role]) => [role, place]))
  const faults: string[] = []
  const rest: number[] = []
  for (const [place, name] of names.entries()) {
    const role = roleOf(name)
    const taken = header?.roles.has(place) ?? false
    if (taken) continue
    if (role === undefined) rest.push(place)
    else if (places.has(role)) faults.push(`Die Spalte „${name.trim()}“ gibt es zweimal`)
    else places.set(role, place)
  }
  // Anki's note types call their fields what they like.
  for (const role of ['question', 'answer'] as const) {
    if (places.has(role) || header === undefined) continue
    const place = rest.shift()
    if (place !== undefined) places.set(role, place)
  }
  if (!places.has('question')) faults.push('Die Spalte „Frage“ fehlt')
  if (!places.has('answer')) faults.push('Die Spalte „Antwort“ fehlt')
  const isOwn = header === undefined && TABLE_HEADINGS.every((heading, at) => names[at] === heading)
  const ignored = rest.map((place) => (names[place] as string).trim()).filter((name) => name !== '')
  return { columns: { places, ignored, count: names.length, hasHeadings, isOwn }, faults }
}

function byPlace(fields: readonly string[], header: AnkiHeader | undefined, isNamed: boolean): Columns {
  const places = new Map<Role, number>([...(header?.roles ?? [])].map(([place, role]) => [role, place]))
  const roles = header === undefined ? PLACES : PLACES.slice(0, 2)
  const rest = [...fields.keys()].filter((place) => !header?.roles.has(place))
  for (const role of roles) {
    const place = rest.shift()
    if (place !== undefined) places.set(role, place)
  }
  const ignored = rest.map((place) => (isNamed ? (fields[place] as string) : `Spalte ${place + 1}`))
  return { places, ignored, count: fields.length, hasHeadings: false, isOwn: false }
}
