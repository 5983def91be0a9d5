import type { AnkiHeader } from './anki-header.js'
import { TABLE_HEADINGS } from './cells.js'

export type Role = 'question' | 'answer' | 'explanation' | 'level' | 'deck' | 'id' | 'guid' | 'tags' | 'notetype'

/** The columns of a table, by index from 0. */
export interface Columns {
  places: Map<Role, number>
  /** Columns of wrong answers */
  wrong: number[]
  ignored: string[]
  count: number
  hasHeadings: boolean
  /** Whether the table is an export of cards by this service; the cells of such a table are not trimmed */
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
  stapel: 'deck',
  tag: 'tags',
  tags: 'tags',
  schlagwort: 'tags',
  schlagwörter: 'tags',
  schlagworte: 'tags',
  notetype: 'notetype',
}
/** Words that are headings only if the other side has a heading too; alone, such a word may be part of a card. */
const PAIRED_HEADINGS: Readonly<Record<string, 'question' | 'answer'>> = {
  begriff: 'question',
  fachbegriff: 'question',
  stichwort: 'question',
  wort: 'question',
  vokabel: 'question',
  abkürzung: 'question',
  befehl: 'question',
  aufgabe: 'question',
  vorne: 'question',
  term: 'question',
  word: 'question',
  prompt: 'question',
  definition: 'answer',
  erklärung: 'answer',
  erläuterung: 'answer',
  beschreibung: 'answer',
  bedeutung: 'answer',
  übersetzung: 'answer',
  lösung: 'answer',
  hinten: 'answer',
  description: 'answer',
  explanation: 'answer',
  meaning: 'answer',
  translation: 'answer',
  solution: 'answer',
}
/** Headings of wrong answers, such as „Falsch 1“ */
const WRONG = /^(?:falsch|wrong)(?: ?\d{1,2})?$/
/** Column order without headings */
const PLACES: readonly Role[] = ['question', 'answer', 'level', 'deck', 'id']

/**
 * Finds the columns by their headings, or by position if there are no headings. The faults refer to the first line.
 * @example findColumns(['Antwort', 'Frage'], undefined).columns.places.get('question') // 1
 */
export function findColumns(
  first: readonly string[],
  header: AnkiHeader | undefined,
): { columns: Columns; faults: string[] } {
  const named = header?.columns ?? (isHeading(first) ? first : undefined)
  const roles = named === undefined ? [] : rolesOf(named)
  if (named !== undefined && roles.some((role) => role !== undefined)) {
    return byName(named, roles, header)
  }
  return { columns: byPlace(named ?? first, header, named !== undefined), faults: [] }
}

export function namesBothSides(fields: readonly string[]): boolean {
  const roles = rolesOf(fields)
  return roles.includes('question') && roles.includes('answer')
}

/**
 * Returns the role of each heading. Ignores `PAIRED_HEADINGS` unless both question and answer have a heading. A paired
 * heading gets its role only if it is the first one for this role, and no heading of `HEADINGS` has the role.
 */
function rolesOf(headings: readonly string[]): (Role | undefined)[] {
  const names = headings.map(normalise)
  const roles: (Role | undefined)[] = names.map((name) => (Object.hasOwn(HEADINGS, name) ? HEADINGS[name] : undefined))
  const paired = names.map((name) => (Object.hasOwn(PAIRED_HEADINGS, name) ? PAIRED_HEADINGS[name] : undefined))
  const has = (role: Role) => roles.includes(role) || paired.includes(role as 'question' | 'answer')
  if (!has('question') || !has('answer')) return roles
  for (const role of ['question', 'answer'] as const) {
    const place = paired.indexOf(role)
    if (place >= 0 && !roles.includes(role)) roles[place] = role
  }
  // In a table with wrong answers, `answer` is the right answer, and another answer heading is the explanation.
  const explanation = paired.findIndex((role, at) => role === 'answer' && roles[at] === undefined)
  if (explanation >= 0 && names.some((name) => WRONG.test(name))) roles[explanation] = 'explanation'
  return roles
}

function normalise(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .normalize('NFC')
    .replace(/\s*[:*]$/, '')
}

function isHeading(fields: readonly string[]): boolean {
  const roles = rolesOf(fields)
  return roles.includes('question') || roles.includes('answer')
}

function byName(
  names: readonly string[],
  roles: readonly (Role | undefined)[],
  header: AnkiHeader | undefined,
): { columns: Columns; faults: string[] } {
  const places = new Map<Role, number>([...(header?.roles ?? [])].map(([place, role]) => [role, place]))
  const faults: string[] = []
  const wrong: number[] = []
  const rest: number[] = []
  for (const [place, name] of names.entries()) {
    const role = roles[place]
    const taken = header?.roles.has(place) ?? false
    if (taken) continue
    if (role === undefined && header === undefined && WRONG.test(normalise(name))) wrong.push(place)
    else if (role === undefined) rest.push(place)
    else if (places.has(role)) faults.push(`Die Spalte „${name.trim()}“ gibt es zweimal`)
    else places.set(role, place)
  }
  // Fields of Anki note types have arbitrary names, so the first unknown fields are question and answer.
  for (const role of ['question', 'answer'] as const) {
    if (places.has(role) || header === undefined) continue
    const place = rest.shift()
    if (place !== undefined) places.set(role, place)
  }
  if (!places.has('question')) faults.push('Die Spalte „Frage“ fehlt')
  if (!places.has('answer')) faults.push('Die Spalte „Antwort“ fehlt')
  const isOwn = header === undefined && TABLE_HEADINGS.every((heading, at) => names[at] === heading)
  const hasHeadings = header?.columns === undefined
  const ignored = rest.map((place) => (names[place] as string).trim()).filter((name) => name !== '')
  return { columns: { places, wrong, ignored, count: names.length, hasHeadings, isOwn }, faults }
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
  return { places, wrong: [], ignored, count: fields.length, hasHeadings: false, isOwn: false }
}
