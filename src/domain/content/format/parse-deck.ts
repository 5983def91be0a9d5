import { type Exercise, type ExerciseInput, parseExercise } from '../../questions/exercise.js'
import { HIGHEST_RETENTION, LOWEST_RETENTION } from '../../review/review.js'
import { runSteps } from '../../run-steps.js'
import { hasControls } from '../../text/text.js'
import { TEXT_RULES } from '../card-texts.js'
import type { CardSource, DeckSource, Fault, ReportFault, SlugPlace } from '../types.js'
import type { Block } from './blocks.js'
import { type CardComment, EMPTY_COMMENT_TEXTS, parseCardComment } from './card-comment.js'
import { decodeText } from './decode-text.js'
import {
  type Fields,
  readFlag,
  readInteger,
  readOptionalText,
  readTextField,
  splitFrontMatter,
} from './front-matter.js'
import { type Section, splitSections } from './sections.js'
import { RESERVED_DECKS, readAliases, readSlug } from './slug.js'
import { readTaskList } from './task-list.js'
import { readTranslation } from './translation.js'
import { readExerciseJson, readFence } from './verbatim.js'

const KEYS = [
  ...['slug', 'name', 'description', 'sort_order', 'aliases'],
  ...['tests_only', 'options', 'lang', 'translation_of', 'desired_retention'],
]

interface Ids {
  /** Line of each card by id */
  cards: Map<string, number>
  aliases: { alias: string; line: number }[]
}

/**
 * The deck, or faults of the file. Even for a faulty deck, `slug` is set if it is valid, and `aliases` contains the
 * aliases if the front matter is readable.
 */
export interface ParsedDeck {
  deck?: DeckSource
  slug?: SlugPlace | undefined
  aliases?: SlugPlace[]
  faults: Fault[]
}

/**
 * Parses a deck file. `file` is its path relative to the content folder, for faults and the default slug.
 * @example parseDeck('decks/git.md', Buffer.from('---\nname: Git\n---\n')).deck?.slug // 'git'
 */
export function parseDeck(file: string, bytes: Uint8Array): ParsedDeck {
  return runSteps(parseDeckInSteps(file, bytes))
}

/** Parses a deck file in short steps, so that other work can run in between. */
export function* parseDeckInSteps(file: string, bytes: Uint8Array): Generator<void, ParsedDeck> {
  const faults: Fault[] = []
  const report: ReportFault = (line, message) => faults.push({ file, line, message })
  const text = decodeText(bytes, report)
  yield
  const parts = text === undefined ? undefined : splitFrontMatter(text, KEYS, report)
  if (parts === undefined) return { faults }
  yield

  if (parts.fields === undefined && faults.length === 0) report(1, 'Das Front Matter fehlt')
  const place = parts.fields && readSlug(file, parts.fields, RESERVED_DECKS, report)
  const aliases = parts.fields ? readAliases(file, parts.fields, report) : []
  const head = parts.fields && readHead(file, parts.fields, report)
  const cards = yield* parseCards(parts.body, parts.bodyLine, head?.options_off === true, report)
  if (faults.length > 0 || head === undefined || place === undefined) {
    return { slug: place, aliases, faults: faults.sort((a, b) => a.line - b.line) }
  }
  const deck = { file, slug: place.slug, aliases: aliases.map(({ slug }) => slug), ...head, cards }
  return { deck, slug: place, aliases, faults }
}

/**
 * Parses the cards in the body of a deck file; returns undefined if there is any fault.
 * @example readCards('## F\n<!-- id: a; level: l -->\n### Antwort\nA')?.[0]?.answer // 'A'
 */
export function readCards(body: string, isOptionsOff = false): CardSource[] | undefined {
  let isFaulty = false
  const steps = parseCards(body, 1, isOptionsOff, () => {
    isFaulty = true
  })
  const cards = runSteps(steps)
  return isFaulty ? undefined : cards
}

type Head = Omit<DeckSource, 'file' | 'slug' | 'aliases' | 'cards'>

function readHead(file: string, fields: Fields, report: ReportFault): Head {
  const name = readTextField(fields, 'name', report) ?? ''
  if (!fields.has('name')) report(1, 'Im Front Matter fehlt „name“')
  if (hasControls(name)) {
    const line = fields.get('name')?.line ?? 1
    report(line, '„name“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten')
  }
  const translation = readTranslation(file, fields, report)
  return {
    name,
    description: readOptionalText(fields, 'description', report),
    sort_order: readInteger(fields, 'sort_order', 0, report),
    tests_only: readFlag(fields, 'tests_only', report),
    options_off: readOptionsOff(fields, report),
    lang: translation.lang,
    desired_retention: readRetention(fields, report),
    translation,
  }
}

function readOptionsOff(fields: Fields, report: ReportFault): boolean {
  const field = fields.get('options')
  if (field === undefined || field.value === undefined) return false
  if (field.text !== 'on' && field.text !== 'off') report(field.line, '„options“ muss on oder off sein')
  return field.text === 'off'
}

function readRetention(fields: Fields, report: ReportFault): number | null {
  const field = fields.get('desired_retention')
  if (field === undefined || field.value === undefined) return null
  const { value, line } = field
  if (typeof value === 'number' && value >= LOWEST_RETENTION && value <= HIGHEST_RETENTION) return value
  report(line, '„desired_retention“ muss eine Zahl von 0.80 bis 0.97 sein')
  return null
}

function* parseCards(
  body: string,
  bodyLine: number,
  isOptionsOff: boolean,
  report: ReportFault,
): Generator<void, CardSource[]> {
  const cards: CardSource[] = []
  const ids: Ids = { cards: new Map(), aliases: [] }
  for (const section of splitSections(body)) {
    yield
    if (section === undefined) continue
    if (section.heading !== undefined) {
      cards.push(parseCard(section, section.heading, bodyLine + section.line, { ids, isOptionsOff }, report))
      continue
    }
    const text = section.lines.findIndex((line) => line.trim() !== '')
    if (text >= 0) report(bodyLine + text, 'Text außerhalb einer Karte: jede Karte beginnt mit einer Überschrift ##')
  }
  checkAliases(ids, report)
  return cards
}

/** Parses a card. If the card has faults, the returned card may be incomplete. */
function parseCard(
  section: Section,
  heading: string,
  line: number,
  { ids, isOptionsOff }: { ids: Ids; isOptionsOff: boolean },
  report: ReportFault,
): CardSource {
  const { lines, blocks } = section
  const mark = blocks.find(({ heading }) => heading?.depth === 3 && heading.text === 'Antwort')
  const deep = blocks.find(({ isTooDeep }) => isTooDeep)
  if (deep) report(line + 1 + deep.line, 'Listen oder Zitate sind zu tief verschachtelt')
  const { comment, rest, next } = readComment(section, line, report)

  if (comment?.id !== undefined) {
    const other = ids.cards.get(comment.id)
    if (other === undefined) ids.cards.set(comment.id, line)
    else report(line, `Die id „${comment.id}“ hat schon die Karte in Zeile ${other}`)
  }
  for (const alias of comment?.aliases ?? []) ids.aliases.push({ alias, line })

  const { id = '', aliases = [], texts = EMPTY_COMMENT_TEXTS, verbatim = false, draft = false } = comment ?? {}
  const readPart = verbatim ? readFenced : trimPart
  const from = mark?.end ?? lines.length
  const reportBelow: ReportFault = (below, message) => report(line + 1 + below, message)
  const found = verbatim
    ? findJson(section, from, reportBelow)
    : isOptionsOff
      ? undefined
      : findTaskList(section, from, reportBelow)
  const end = mark?.line ?? lines.length
  const more = rest === '' ? readPart(lines, blocks, next, end) : [rest, ...lines.slice(next, end)].join('\n').trimEnd()
  const question = [heading, more ?? ''].filter((part) => part !== '').join('\n\n')
  const answer = mark === undefined ? '' : readPart(lines, blocks, mark.end, found?.line ?? lines.length)
  if (mark === undefined) report(line, 'Der Karte fehlt die Zeile „### Antwort“')
  if (verbatim) {
    if (more === undefined || answer === undefined || rest !== '') report(line, FENCES_ONLY)
  } else {
    if (question === '') report(line, 'Die Frage der Karte ist leer')
    if (mark !== undefined && answer === '') report(line + 1 + mark.line, 'Die Antwort der Karte ist leer')
  }
  const [maxQuestion, maxAnswer] = [TEXT_RULES.question.maxLength, TEXT_RULES.answer.maxLength]
  if (question.length > maxQuestion) report(line, `Die Frage ist länger als ${maxQuestion} Zeichen`)
  if ((answer ?? '').length > maxAnswer) report(line, `Die Antwort ist länger als ${maxAnswer} Zeichen`)
  const exercise =
    comment === undefined || mark === undefined || answer === undefined
      ? null
      : readExercise(comment, answer, found ?? { line: mark.line, lines: [], hint: '', input: {} }, reportBelow)
  // Node.js builds an object much faster if the spread is its last part.
  return { key: id, aliases, draft, line, exercise, question, answer: answer ?? '', ...texts }
}

interface FoundExercise {
  /** Line of the exercise, or of `### Antwort` if there is none; 0 is the line below the heading of the card */
  line: number
  input: ExerciseInput
  /** Lines of the options, counted like `line`; empty for JSON */
  lines: number[]
  /** German text to append to the messages of faults; may be empty */
  hint: string
}

function findTaskList({ lines, blocks }: Section, from: number, report: ReportFault): FoundExercise | undefined {
  const list = readTaskList(lines, blocks, from)
  if (list === undefined) return undefined
  if (list.bare.length > 0) {
    for (const line of list.bare) report(line, BARE)
    return undefined
  }
  return { line: list.line, input: list, lines: list.options.map(({ line }) => line), hint: ` ${OR_TEXT}` }
}

/**
 * Returns the exercise of a verbatim card: the second fence of its answer. Returns undefined if there is no second
 * fence. If the fence is malformed or followed by text, reports a fault and returns an empty input.
 */
function findJson({ lines, blocks }: Section, from: number, report: ReportFault): FoundExercise | undefined {
  const [, json] = blocks.filter(({ type, line }) => type === 'fence' && line >= from)
  if (json === undefined) return undefined
  const text = readFenced(lines, blocks, json.line, lines.length)
  const input = text === undefined ? undefined : readExerciseJson(text)
  if (input === undefined)
    report(json.line, 'Mit „verbatim“ stehen die Antworten zur Auswahl als JSON im letzten Codeblock')
  return { line: json.line, input: input ?? {}, lines: [], hint: '' }
}

function readExercise(
  { form, tolerance, unit }: CardComment,
  answer: string,
  { line, input, lines, hint }: FoundExercise,
  report: ReportFault,
): Exercise | null {
  return parseExercise({ form, tolerance, unit, ...input }, answer, (message, option) =>
    report(lines[option ?? -1] ?? line, message + hint),
  )
}

const OR_TEXT = '(mit „options: off“ im Front Matter ist die Liste einfacher Text)'
const BARE = `In einer Liste mit Antworten zur Auswahl beginnt jeder Punkt mit [x] oder [ ] ${OR_TEXT}`

/**
 * Returns the comment, the text after the comment on its last line, and the line where the question continues. If the
 * comment is missing or not closed, reports a fault and returns no comment.
 */
function readComment(
  { lines, blocks }: Section,
  line: number,
  report: ReportFault,
): { comment?: CardComment; rest: string; next: number } {
  const [block] = blocks
  const isFirst = block?.type === 'html_block' && block.line === findText(lines, 0)
  const html = isFirst ? lines.slice(block.line, block.end).join('\n').trimStart() : ''
  if (!isFirst || !html.startsWith('<!--')) {
    report(line, 'Unter der Überschrift fehlt der Kommentar <!-- id: …; level: … -->')
    return { rest: '', next: 0 }
  }
  const commentLine = line + 1 + block.line
  const close = html.indexOf('-->', 4)
  if (close < 0) {
    report(commentLine, 'Der Kommentar ist nicht mit --> geschlossen')
    return { rest: '', next: block.end }
  }
  const comment = parseCardComment(html.slice(4, close), commentLine, report)
  return { comment, rest: html.slice(close + 3).trim(), next: block.end }
}

/** Types of blocks whose first line must keep its indentation */
const INDENTED = ['code_block', 'fence', 'bullet_list_open', 'ordered_list_open']

/** Returns the lines `from` to `to` - 1 as text, trimmed except for indentation that matters in Markdown. */
function trimPart(lines: string[], blocks: Block[], from: number, to: number): string {
  const text = findText(lines, from)
  const first = blocks.find((block) => block.line === text)
  if (first === undefined || !INDENTED.includes(first.type)) return lines.slice(from, to).join('\n').trim()
  return lines.slice(text, to).join('\n').trimEnd()
}

const FENCES_ONLY = 'Mit „verbatim“ stehen Frage und Antwort in je einem Codeblock, mit nichts davor und dahinter'
const CLOSING_FENCE = /^ {0,3}(?:`{3,}|~{3,})[ \t]*$/

/**
 * Returns the unchanged content of the only fence in the lines `from` to `to` - 1. Returns undefined if there is no
 * fence, the fence is not closed, or there is other text.
 */
function readFenced(lines: string[], blocks: Block[], from: number, to: number): string | undefined {
  const [fence, ...others] = blocks.filter(({ line }) => line >= from && line < to)
  if (fence?.type !== 'fence' || others.length > 0 || fence.end - fence.line < 2) return undefined
  const around = [...lines.slice(from, fence.line), ...lines.slice(fence.end, to)]
  if (around.some((line) => line.trim() !== '') || !CLOSING_FENCE.test(lines[fence.end - 1] ?? '')) return undefined
  return readFence(lines.slice(fence.line, fence.end))
}

function findText(lines: string[], from: number): number {
  return lines.findIndex((line, index) => index >= from && line.trim() !== '')
}

function checkAliases({ cards, aliases }: Ids, report: ReportFault): void {
  const used = new Map<string, number>()
  for (const { alias, line } of aliases) {
    const card = cards.get(alias)
    const other = used.get(alias)
    if (card !== undefined) report(line, `Der Alias „${alias}“ ist die id der Karte in Zeile ${card}`)
    else if (other !== undefined) report(line, `Den Alias „${alias}“ hat schon die Karte in Zeile ${other}`)
    used.set(alias, line)
  }
}
