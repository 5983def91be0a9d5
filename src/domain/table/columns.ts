import type { ChosenRole, ColumnChoice } from '../table-layout.js'
import type { AnkiHeader } from './anki-header.js'
import { TABLE_HEADINGS } from './cells.js'
import { findNaming, type Naming } from './right-options.js'

/** Roles of single columns. `correct` names the right ones among the columns of options, such as „B“ or „1, 3“. */
export type Role = Exclude<ChosenRole, 'wrong' | 'option'> | 'notetype'

/** The columns of a table, by index from 0. */
export interface Columns {
  places: Map<Role, number>
  /** Columns of wrong answers */
  wrong: number[]
  /** Columns of options; the column `correct` names the right options */
  options: number[]
  /** How the column `correct` names the right options, judged by the first rows */
  naming?: Naming | undefined
  ignored: string[]
  count: number
  hasHeadings: boolean
  /** Whether question and answer are the first two columns because nothing says what the columns are */
  isByPlace?: boolean
  /** First row, if it counts as headings although only one of its two words is a known heading */
  halfKnown?: readonly string[]
  /** Whether the table is an export of cards by this service; the cells of such a table are not trimmed */
  isOwn: boolean
}

/** `unclear`: the table has more than two columns, and its headings do not say what they are. */
export type FoundColumns = { columns: Columns } | { faults: string[] } | 'unclear'

const HEADINGS: Readonly<Record<string, Role>> = {
  frage: 'question',
  question: 'question',
  vorderseite: 'question',
  front: 'question',
  antwort: 'answer',
  answer: 'answer',
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
  schlagwoerter: 'tags',
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
  abkuerzung: 'question',
  befehl: 'question',
  aufgabe: 'question',
  vorne: 'question',
  term: 'question',
  word: 'question',
  prompt: 'question',
  'correct answer': 'answer',
  'right answer': 'answer',
  'richtige antwort': 'answer',
  definition: 'answer',
  erklaerung: 'answer',
  erlaeuterung: 'answer',
  beschreibung: 'answer',
  bedeutung: 'answer',
  uebersetzung: 'answer',
  loesung: 'answer',
  hinten: 'answer',
  description: 'answer',
  explanation: 'answer',
  meaning: 'answer',
  translation: 'answer',
  solution: 'answer',
  fragen: 'question',
  questions: 'question',
  begriffe: 'question',
  vokabeln: 'question',
  terms: 'question',
  words: 'question',
  antworten: 'answer',
  answers: 'answer',
  definitionen: 'answer',
  definitions: 'answer',
  uebersetzungen: 'answer',
  translations: 'answer',
  loesungen: 'answer',
  meanings: 'answer',
}
/** Two of these are the headings of a table of words: the first is the question. */
const LANGUAGES = new Set([
  ...['deutsch', 'englisch', 'franzoesisch', 'spanisch', 'italienisch', 'portugiesisch', 'niederlaendisch', 'polnisch'],
  ...['russisch', 'tuerkisch', 'arabisch', 'ukrainisch', 'latein', 'chinesisch', 'japanisch'],
  ...['german', 'english', 'french', 'spanish', 'italian', 'portuguese', 'dutch', 'polish'],
  ...['russian', 'turkish', 'arabic', 'ukrainian', 'latin', 'chinese', 'japanese'],
  ...['de', 'en', 'fr', 'es', 'it', 'la', 'jp', 'ger', 'deu', 'eng', 'fra', 'lat', 'spa'],
])
/** Headings of wrong answers, such as „Falsch 1“ */
const WRONG = /^(?:falsch|wrong)(?: ?\d{1,2})?$/
/** Headings of options, such as „Antwort A“, „Option 2“ or „C“ */
const OPTION =
  /^(?:(?:answer|antwort|antwortmoeglichkeit|antwortoption|option|choice|auswahl|alternative)[ -]?(?:\d{1,2}|[a-j])|[a-j])$/
/** Headings of the column that names the right options */
const CORRECT = new Set([
  ...['richtig', 'richtige', 'richtige antwort', 'richtige antworten', 'richtige antwort(en)', 'richtige loesung'],
  ...['korrekt', 'korrekte antwort', 'korrekte antworten', 'loesung', 'loesungen', 'antwort', 'answer', 'key'],
  ...[
    'correct',
    'correct answer',
    'correct answers',
    'correct answer(s)',
    'correct option',
    'right answer',
    'solution',
  ],
])
/**
 * Finds the columns by the choice of a person, the header of Anki or the headings; a table of two columns without
 * headings has questions and answers. The faults refer to the first line.
 * @param used columns with text, in their order
 * @example findColumns(['Antwort', 'Frage'], { used: [0, 1] }) // { columns: { places: Map { 'answer' => 0, … }, … } }
 */
export function findColumns(
  first: readonly string[],
  {
    used,
    header,
    choice,
  }: { used: readonly number[]; header?: AnkiHeader | undefined; choice?: ColumnChoice | undefined },
): FoundColumns {
  if (choice !== undefined) return { columns: byChoice(first, choice) }
  if (header !== undefined) {
    const named = header.columns ?? (isHeading(first) ? first : undefined)
    const roles = named === undefined ? [] : rolesOf(named)
    if (named !== undefined && roles.some((role) => role !== undefined)) return byName(named, roles, header)
    return { columns: byPlace(named ?? first, header, named !== undefined) }
  }
  const quiz = findQuiz(first)
  if (quiz !== undefined) return { columns: quiz }
  const roles = rolesOf(first)
  const sides = (['question', 'answer'] as const).filter((role) => roles.includes(role))
  if (sides.length === 2) return byName(first, roles, header)
  if (used.length > 2) return 'unclear'
  if (used.length < 2) return { faults: [ONE_COLUMN] }
  const [place, second] = used.filter((place) => sideOf(first[place]) !== undefined)
  // Two words for the same side, such as „Frage; question“, are a card of a list of words.
  const isTwice = second !== undefined && normalise(first[place as number] ?? '') === normalise(first[second] ?? '')
  if (isTwice) return byName(first, roles, header)
  if (place === undefined || second !== undefined) return { columns: byPlace(first, header, false, used) }
  const known = sideOf(first[place]) as 'question' | 'answer'
  const other = known === 'question' ? 'answer' : 'question'
  const both = [...first.keys()].map((at) => (!used.includes(at) ? undefined : at === place ? known : other))
  const found = byName(first, both, header)
  if (typeof found === 'string' || 'faults' in found) return found
  return { columns: { ...found.columns, halfKnown: used.map((at) => first[at] ?? '') } }
}

/** Returns the side of a card that a heading names; undefined for an unknown heading. */
function sideOf(heading = ''): 'question' | 'answer' | undefined {
  const name = normalise(heading)
  const role = Object.hasOwn(HEADINGS, name) ? HEADINGS[name] : undefined
  if (role === 'question' || role === 'answer') return role
  return Object.hasOwn(PAIRED_HEADINGS, name) ? PAIRED_HEADINGS[name] : undefined
}

const ONE_COLUMN =
  'Die Tabelle hat nur eine Spalte; gebraucht werden Frage und Antwort, etwa durch Semikolon oder Tabulator getrennt'

/** Notes how the first rows below the headings name the right options. */
export function noteNaming(columns: Columns, rows: readonly (readonly string[])[]): void {
  const cell = (fields: readonly string[], place: number | undefined) => (fields[place ?? -1] ?? '').trim()
  columns.naming = findNaming(
    rows.map((fields) => ({
      cells: columns.options.map((place) => cell(fields, place)),
      correct: cell(fields, columns.places.get('correct')),
    })),
  )
}

/** Returns whether the fields are headings for question and answer, or those of a quiz program. */
export function namesBothSides(fields: readonly string[]): boolean {
  if (findQuiz(fields) !== undefined) return true
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
  if (names.length === 2 && names[0] !== names[1] && names.every((name) => LANGUAGES.has(name))) {
    return ['question', 'answer']
  }
  const has = (role: Role) => roles.includes(role) || paired.includes(role as 'question' | 'answer')
  if (!has('question') || !has('answer')) return roles
  for (const role of ['question', 'answer'] as const) {
    const correct = role === 'answer' ? paired.findIndex((_, at) => CORRECT.has(names[at] as string)) : -1
    const place = correct >= 0 && paired[correct] === role ? correct : paired.indexOf(role)
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
    .replace(HINT, '')
    .replace(/\s*[:*]$/, '')
    .replaceAll('_', ' ')
    .replace(/[äöüß]/g, (letter) => TWO_LETTERS[letter] as string)
}

/** What some programs write behind a heading, such as „Question - max 120 characters“ or „Frage (optional)“ */
const HINT = /\s+(?:[-–]\s+|\()(?:max|min|up to|bis|höchstens|choose|optional|pflicht|required)\b.*$/

const TWO_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/** Returns whether the fields look like headings. */
export function isHeading(fields: readonly string[]): boolean {
  const roles = rolesOf(fields)
  return roles.includes('question') || roles.includes('answer')
}

/**
 * Returns the columns of a table of a quiz program: a question, at least two options and the right ones. A column
 * „Antwort“ may name the right options, or have the right answer, which is none of the options then.
 */
function findQuiz(headings: readonly string[]): Columns | undefined {
  const names = headings.map(normalise)
  const roles = rolesOf(headings)
  const options = [...names.keys()].filter((place) => OPTION.test(names[place] as string))
  const isFree = (place: number) => !options.includes(place)
  const correct = names.findIndex((name, place) => isFree(place) && CORRECT.has(name))
  const question = roles.findIndex((role, place) => role === 'question' && isFree(place))
  if (options.length < 2 || correct < 0 || question < 0) return undefined
  const mayBeAnswer = ['answer', 'antwort'].includes(names[correct] as string)
  const places = new Map<Role, number>([
    ['question', question],
    ['correct', correct],
    ...(mayBeAnswer ? [['answer', correct] as const] : []),
  ])
  const explanation = names.findIndex(
    (name) => PAIRED_HEADINGS[name] === 'answer' && /^(?:erklae|erlaeu|expl)/.test(name),
  )
  if (explanation >= 0 && explanation !== correct) places.set('explanation', explanation)
  for (const role of ['level', 'deck', 'id', 'tags'] as const) {
    const place = roles.indexOf(role)
    if (place >= 0) places.set(role, place)
  }
  const used = new Set([...places.values(), ...options])
  const ignored = headings.filter((heading, place) => !used.has(place) && heading.trim() !== '')
  return { places, wrong: [], options, ignored, count: names.length, hasHeadings: true, isOwn: false }
}

function byChoice(first: readonly string[], { columns, hasHeadings = isHeading(first) }: ColumnChoice): Columns {
  const places = new Map<Role, number>()
  const wrong: number[] = []
  const options: number[] = []
  for (const [place, role] of columns.entries()) {
    if (role === 'wrong') wrong.push(place)
    else if (role === 'option') options.push(place)
    else if (role !== null) places.set(role, place)
  }
  // Beside options, the answer says which of them is right, as in the table of a quiz program.
  const answer = places.get('answer')
  if (options.length > 0 && !places.has('correct') && answer !== undefined) places.set('correct', answer)
  const used = new Set([...places.values(), ...wrong, ...options])
  const ignored = [...first.keys()]
    .filter((place) => !used.has(place))
    .map((place) => (hasHeadings && first[place]?.trim()) || `Spalte ${place + 1}`)
  const count = Math.max(first.length, columns.length)
  return { places, wrong, options, ignored, count, hasHeadings, isOwn: false }
}

function byName(
  names: readonly string[],
  roles: readonly (Role | undefined)[],
  header: AnkiHeader | undefined,
): FoundColumns {
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
  if (faults.length > 0) return { faults }
  return { columns: { places, wrong, options: [], ignored, count: names.length, hasHeadings, isOwn } }
}

function byPlace(
  fields: readonly string[],
  header: AnkiHeader | undefined,
  isNamed: boolean,
  used: readonly number[] = [...fields.keys()],
): Columns {
  const places = new Map<Role, number>([...(header?.roles ?? [])].map(([place, role]) => [role, place]))
  const rest = used.filter((place) => !header?.roles.has(place))
  for (const role of ['question', 'answer'] as const) {
    const place = rest.shift()
    if (place !== undefined) places.set(role, place)
  }
  const ignored = rest.map((place) => (isNamed ? (fields[place] as string) : `Spalte ${place + 1}`))
  return {
    places,
    wrong: [],
    options: [],
    ignored,
    count: fields.length,
    hasHeadings: false,
    isByPlace: header === undefined,
    isOwn: false,
  }
}
