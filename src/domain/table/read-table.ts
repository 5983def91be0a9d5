import { FALLBACK_LEVEL, Levels, levelOf, normalizeDeckName } from '../anki/index.js'
import { type Converted, convertHtml } from '../markup/index.js'
import { escapePictures, parseMediaTarget, resolvePicture } from '../pictures/index.js'
import { type ColumnChoice, choiceOf, isOfLayout, type TableDescription, type TableLayout } from '../table-layout.js'
import { isLabelTooLong, MAX_LABEL_LENGTH } from '../text/limits.js'
import { toLine } from '../text/text.js'
import { type AnkiHeader, readAnkiHeader } from './anki-header.js'
import { unguardCell } from './cells.js'
import { type Columns, findColumns, namesBothSides, noteNaming, type Role } from './columns.js'
import { describeTable, HEAD_ROWS, usedColumns } from './describe-table.js'
import { findOptions } from './right-options.js'
import {
  guessSeparator,
  readRecords,
  SEPARATORS,
  splitRecords,
  type TableRecord,
  withoutOuterPipes,
} from './split-records.js'

/** Identity of a card across changes of its text or deck */
export type RowIdentity =
  /** Card with the guid of an Anki note */
  | { by: 'note'; guid: string; ord: number }
  /** Card with a value in the id column */
  | { by: 'id'; id: string }
  /** Card without a guid or an id, identified by its question within the deck */
  | { by: 'question' }

export interface TableOption {
  /** Markdown */
  text: string
  correct: boolean
}

export interface TableCard {
  identity: RowIdentity
  /** Markdown, like `answer` */
  question: string
  answer: string
  level: string
  /**
   * Wrong answers, preceded by the right answer if `answer` is an explanation. Absent if the row has no wrong answers:
   * the import then keeps the exercise of an existing card.
   */
  options?: TableOption[]
  /** Name of the table, with the name of the sheet if several sheets of a workbook are read */
  file: string
  /** Line, or row of a sheet, from 1 */
  line: number
}

/** A deck of a table; its name is unique within the table. */
export interface TableDeck {
  name: string
  cards: TableCard[]
}

/** A person's choice for a table. */
export interface TableChoice {
  columns?: ColumnChoice | undefined
  separator?: string | undefined
  /** Earlier choice for tables of the same source, used if nothing is chosen and the table has the same form */
  remembered?: TableLayout | undefined
}

/** The decks of a table and its description; no decks if the columns are unclear. */
export interface TableResult {
  decks: TableDeck[]
  table: TableDescription | null
}

export interface TableOptions {
  file: string
  /** Deck of the rows that name no deck, unless the header of the file names a deck */
  defaultDeck: string
  /** Overrides the deck of every row, as `level` overrides the level */
  deck: string | undefined
  level: string | undefined
  levels: readonly string[]
  /** Maximum length of a question or answer in UTF-16 code units */
  maxLength: number
  /** What a person has chosen for this table; overrides its headings and its separator */
  choice?: TableChoice | undefined
  fault(line: number, message: string): void
  warn(line: number, message: string): void
  /** Called for each card with the length of its texts in UTF-16 code units; throws if the import exceeds a limit */
  count(length: number): void
}

/** The first line that declares the separator for Excel, such as `sep=;` */
const EXCEL_SEPARATOR = /^"?sep=([^\n"])"?(?:\n|$)/i

/**
 * Reads the decks of a table in the order of their first cards.
 * @example readTable('Was?;Das.', options).decks[0]?.cards[0]?.answer // 'Das.'
 */
export function readTable(text: string, options: TableOptions): TableResult {
  const header = readAnkiHeader(text)
  const declared = header === undefined ? EXCEL_SEPARATOR.exec(text) : null
  const skipped = header?.lines ?? (declared === null ? 0 : 1)
  const body = skipped === 0 ? text : text.split('\n').slice(skipped).join('\n')
  const remembered = header === undefined ? recall(body, options.choice) : undefined
  const chosen = remembered ?? options.choice
  const separator = chosen?.separator ?? header?.separator ?? declared?.[1] ?? findSeparator(body)
  const split = readRecords(body, separator, skipped + 1)
  const records = separator === '|' ? withoutOuterPipes(split) : split
  const head = takeHead(records)
  const rows = head.flatMap((record) => ('fields' in record ? [record] : []))
  const titles = header === undefined ? countTitles(rows.map(({ fields }) => fields)) : 0
  const [top] = rows.slice(titles)
  for (const { line } of rows.slice(0, titles)) options.warn(line, 'Die Zeile über der Tabelle wird nicht übernommen')
  const reader = new TableReader(header, options)
  // Other faults of the first rows, such as an unclosed quote, are reported first.
  for (const record of head) if ('fault' in record) options.fault(record.line, record.fault)
  if (top === undefined) {
    for (const record of records) if ('fault' in record) options.fault(record.line, record.fault)
    if (head.length === 0) options.fault(1, 'Die Tabelle ist leer')
    return { decks: [], table: null }
  }
  const sample = rows.slice(titles).map(({ fields }) => fields)
  const found = findColumns(top.fields, { used: usedColumns(sample), header, choice: chosen?.columns })
  const table = describeTable(sample, found, separator)
  if (found === 'unclear') return { decks: [], table }
  if ('faults' in found) {
    for (const fault of found.faults) options.fault(top.line, fault)
    return { decks: [], table }
  }
  const { columns } = found
  noteNaming(columns, sample.slice(columns.hasHeadings ? 1 : 0))
  describe(columns, top.line, options)
  for (const { line, fields } of rows.slice(columns.hasHeadings ? titles + 1 : titles))
    reader.addRow(line, fields, columns)
  let hasFault = head.length > rows.length
  for (const record of records) {
    if ('fields' in record) reader.addRow(record.line, record.fields, columns)
    else {
      options.fault(record.line, record.fault)
      hasFault = true
    }
  }
  if (reader.rows === 0 && !hasFault) options.fault(top.line, 'Unter den Überschriften steht keine Karte')
  warnOfManyDecks(reader.decks, top.line, options)
  return { decks: reader.decks, table }
}

/** Returns the remembered choice if nothing is chosen now and one of the first rows has the form of the earlier table. */
function recall(text: string, choice: TableChoice | undefined): TableChoice | undefined {
  const { columns, separator, remembered } = choice ?? {}
  if (columns !== undefined || separator !== undefined || remembered?.separator == null) return undefined
  const rows = takeHead(readRecords(text, remembered.separator))
  const isSame = rows.some((record) => 'fields' in record && isOfLayout(remembered, record.fields))
  return isSame ? { separator: remembered.separator, columns: choiceOf(remembered) } : undefined
}

/** Returns the separator that gives the first line headings for both sides of a card; otherwise guesses it. */
function findSeparator(text: string): string {
  const named = SEPARATORS.find((separator) => {
    const [first] = splitRecords(text, separator)
    return first !== undefined && 'fields' in first && namesBothSides(first.fields)
  })
  return named ?? guessSeparator(text)
}

/** Takes the first records, which decide what the columns are. */
function takeHead(records: Iterator<TableRecord>): TableRecord[] {
  const head: TableRecord[] = []
  while (head.length < HEAD_ROWS) {
    const { done, value } = records.next()
    if (done) break
    head.push(value)
  }
  return head
}

/**
 * Returns the number of rows above a table, such as its title: rows of one cell above rows of several cells, or above
 * headings.
 */
function countTitles(rows: readonly (readonly string[])[]): number {
  const isTitle = (fields: readonly string[]) => fields.slice(1).every((field) => field.trim() === '')
  const first = rows.findIndex((fields) => !isTitle(fields))
  if (first <= 0) return 0
  const areTitles =
    rows.slice(0, first).every((fields) => fields.length === 1) || namesBothSides(rows[first] as string[])
  return areTitles ? first : 0
}

const MANY_DECKS = 4

/** Elements that texts of other programs contain; `<b>` alone may be the subject of a card. */
const HTML = /<br ?\/?>|<img\s|<\/(?:a|b|div|em|font|i|li|p|span|strong|sub|sup|td|u|ul)>/i
const CODE = /`[^`]*`/g

/** Gap of a note in Anki's text export, which contains the note, not its cards */
const CLOZE = /\{\{c\d{1,4}(?:,\d{1,4})*::/
const WITH_GAPS = 'Eine Notiz mit Lücken wird nicht übernommen; exportiere sie in Anki als .apkg'

/** Warns if a column with other contents was probably taken for that of the decks. */
export function warnOfManyDecks(decks: readonly TableDeck[], line: number, { warn }: Pick<TableOptions, 'warn'>): void {
  const cards = decks.reduce((sum, deck) => sum + deck.cards.length, 0)
  if (decks.length < MANY_DECKS || decks.length * 10 <= cards) return
  warn(line, `${cards} Karten verteilen sich auf ${decks.length} Decks; ist die Spalte „Deck“ die richtige?`)
}

export function describe(
  { places, ignored, isByPlace = false, halfKnown }: Columns,
  line: number,
  { warn }: Pick<TableOptions, 'warn'>,
): void {
  if (halfKnown !== undefined) {
    warn(line, `${halfKnown.map((name) => `„${name.trim()}“`).join(' und ')} gelten als Überschriften, nicht als Karte`)
  }
  if (isByPlace) warn(line, 'Ohne bekannte Überschriften ist auch die erste Zeile eine Karte')
  if (ignored.length > 0) warn(line, `Nicht übernommen: ${ignored.map((name) => `„${name}“`).join(', ')}`)
  if (!places.has('id') && !places.has('guid')) {
    warn(line, 'Ohne die Spalte „Id“ wird eine Karte an ihrer Frage wiedererkannt')
  }
}

export class TableReader {
  readonly #header: AnkiHeader | undefined
  #options: TableOptions
  readonly #levels: Levels
  readonly #decks = new Map<string, TableDeck>()
  readonly #known = new Map<string, { file: string; line: number; answer: string }>()
  #count = 0
  #hasHtml = false

  constructor(header: AnkiHeader | undefined, options: TableOptions) {
    this.#header = header
    this.#options = options
    this.#levels = new Levels(options.levels)
  }

  get rows(): number {
    return this.#count
  }

  get decks(): TableDeck[] {
    return [...this.#decks.values()]
  }

  /** Continues with the rows of another sheet of the same file. */
  begin(place: Pick<TableOptions, 'file' | 'fault' | 'warn'>): void {
    this.#options = { ...this.#options, ...place }
  }

  addRow(line: number, fields: readonly string[], columns: Columns): void {
    const { fault } = this.#options
    this.#count++
    if (fields.slice(columns.count).some((field) => field.trim() !== '')) {
      fault(line, `Die Zeile hat ${fields.length} statt ${columns.count} Felder`)
      return
    }
    const isGuarded = columns.isOwn || columns.wrong.length > 0 || columns.options.length > 0
    const readCell = (place: number | undefined) => {
      const cell = fields[place ?? -1] ?? ''
      const text = columns.isOwn ? cell : cell.trim()
      return isGuarded ? unguardCell(text) : text
    }
    const read = (role: Role) => readCell(columns.places.get(role))
    const wrong = columns.wrong.map(readCell).filter((text) => text !== '')
    if (this.#header !== undefined && CLOZE.test(read('question'))) {
      this.#options.warn(line, WITH_GAPS)
      return
    }
    const question = this.#readSide(read('question'), 'Frage', line)
    const cells = columns.options.map(readCell)
    const named =
      cells.length === 0
        ? undefined
        : findOptions(cells, read('correct'), { mayBeAnother: columns.places.has('answer'), naming: columns.naming })
    if (named !== undefined && 'fault' in named) {
      fault(line, named.fault)
      return
    }
    const right = named?.right ?? [read('answer')]
    const written = toAnswer(right, [...(named?.wrong ?? []), ...wrong], read('explanation'))
    const answer = this.#readSide(written.answer, 'Antwort', line)
    if (question === undefined || answer === undefined) return
    const options = written.options.map((option) => ({ ...option, text: this.#escapePictures(option.text, line) }))
    const identity = this.#identify(read('id'), read('guid'), line)
    if (identity === undefined) return
    const name = normalizeDeckName(
      this.#options.deck ?? (read('deck') || this.#header?.deck || this.#options.defaultDeck),
    )
    const level = this.#readLevel(read('level'), `${read('tags')} ${this.#header?.tags ?? ''}`)
    // An export of this service may contain longer labels: content files allow them.
    if (!columns.isOwn && [name, level].some((text) => isLabelTooLong(text))) {
      fault(line, `Deck und Level dürfen höchstens ${MAX_LABEL_LENGTH} Zeichen haben`)
      return
    }
    if (this.#isRepeated(identity, name, question, answer, line)) return
    const texts = [question, answer, ...options.map(({ text }) => text)]
    this.#options.count(texts.reduce((sum, { length }) => sum + length, 0))
    const deck = this.#decks.get(name) ?? { name, cards: [] }
    this.#decks.set(name, deck)
    const card = { identity, question, answer, level, file: this.#options.file, line }
    deck.cards.push(options.length === 0 ? card : { ...card, options })
  }

  /** Warns once of HTML in the cells of a table that does not declare it. */
  #noteHtml(written: string, line: number): void {
    if (this.#hasHtml || !written.includes('<')) return
    const [tag] = HTML.exec(written.replaceAll(CODE, '')) ?? []
    if (tag === undefined) return
    this.#hasHtml = true
    this.#options.warn(
      line,
      `In den Zellen steht HTML wie „${tag.trim()}“; es bleibt als Text stehen. ` +
        'Als HTML liest der Dienst eine CSV- oder Textdatei, deren erste Zeile „#html:true“ ist',
    )
  }

  /** Returns the Markdown of a cell; reports a fault and returns undefined if it is empty or too long. */
  #readSide(written: string, name: string, line: number): string | undefined {
    const { fault, maxLength } = this.#options
    const converted = this.#header?.isHtml ? this.#convert(written, line) : undefined
    const text = converted?.markdown ?? written
    if (converted === undefined) this.#noteHtml(written, line)
    if (converted?.isTooLong || text.length > maxLength) {
      fault(line, `Die ${name} ist länger als ${maxLength} Zeichen`)
      return undefined
    }
    if (text.trim() === '') {
      fault(line, `Die ${name} ist leer`)
      return undefined
    }
    if (converted !== undefined) return text
    const placed = this.#escapePictures(text, line)
    if (placed.length <= maxLength) return placed
    fault(line, `Die ${name} ist länger als ${maxLength} Zeichen`)
    return undefined
  }

  #convert(html: string, line: number): Converted {
    const { maxLength, warn } = this.#options
    const converted = convertHtml(html, { picture: () => undefined, maxLength })
    for (const name of converted.missing) warn(line, `Das Bild „${name}“ ist nicht in der Tabelle`)
    if (converted.sounds > 0) warn(line, 'Ein Ton oder Film wird nicht übernommen; sein Name steht im Text')
    return converted
  }

  /** Turns pictures of unknown files into text. Stored pictures and URLs stay, so that an export can be imported. */
  #escapePictures(text: string, line: number): string {
    return escapePictures(text, ({ target }) => {
      if (parseMediaTarget(target) !== undefined || resolvePicture(this.#options.file, target) === undefined)
        return false
      this.#options.warn(line, `Das Bild „${target}“ ist nicht in der Tabelle`)
      return true
    })
  }

  #readLevel(written: string, tags: string): string {
    const tidy = toLine(written)
    if (this.#options.level !== undefined) return this.#options.level
    return tidy || levelOf(tags, this.#levels) || FALLBACK_LEVEL
  }

  #identify(id: string, guid: string, line: number): RowIdentity | undefined {
    if (id.length > MAX_ID || guid.length > MAX_ID || /\p{Cc}/u.test(id + guid)) {
      this.#options.fault(line, `Die Id ist länger als ${MAX_ID} Zeichen oder hat Zeichen, die keiner sieht`)
      return undefined
    }
    if (id !== '') return { by: 'id', id }
    return guid === '' ? { by: 'question' } : { by: 'note', guid, ord: 0 }
  }

  /**
   * Returns whether an earlier row has the same identity, with a warning that this one is left out.
   */
  #isRepeated(identity: RowIdentity, deck: string, question: string, answer: string, line: number): boolean {
    const { file, warn } = this.#options
    const name = identity.by === 'id' ? identity.id : identity.by === 'note' ? identity.guid : question
    const key = [identity.by, identity.by === 'question' ? deck : '', name].join('\0')
    const known = this.#known.get(key)
    if (known === undefined) {
      this.#known.set(key, { file, line, answer })
      return false
    }
    const place = `Zeile ${known.line}${known.file === file ? '' : ` (${known.file})`}`
    if (identity.by !== 'question') warn(line, `Die Id „${name}“ hat schon ${place}; diese Zeile bleibt weg`)
    else if (known.answer === answer) warn(line, `Die Karte steht schon in ${place}`)
    else warn(line, `Die Frage steht schon in ${place}, mit einer anderen Antwort; diese Zeile bleibt weg`)
    return true
  }
}

/**
 * Returns the answer and the options of the flashcard. If there are wrong answers and an explanation, or several right
 * answers, all answers are options; the explanation or else a list of the right answers is the answer of the card.
 * Without wrong answers, the explanation follows the right answer.
 */
function toAnswer(right: readonly string[], wrong: readonly string[], explanation: string) {
  const [first = ''] = right
  const options = wrong.map((text) => ({ text, correct: false }))
  const all = [...right.map((text) => ({ text, correct: true })), ...options]
  if (right.length > 1) return { answer: explanation || right.map((text) => `- ${text}`).join('\n'), options: all }
  if (explanation === '' || first === '') return { answer: first, options }
  if (options.length === 0) return { answer: `${first}\n\n${explanation}`, options }
  return { answer: explanation, options: all }
}

const MAX_ID = 200
