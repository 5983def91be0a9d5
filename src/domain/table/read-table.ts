import { FALLBACK_LEVEL, Levels, levelOf, normalizeDeckName } from '../anki/index.js'
import { type Converted, convertHtml } from '../markup/index.js'
import { escapePictures, parseMediaTarget, resolvePicture } from '../pictures/index.js'
import { isLabelTooLong, MAX_LABEL_LENGTH } from '../text/limits.js'
import { toLine } from '../text/text.js'
import { type AnkiHeader, readAnkiHeader } from './anki-header.js'
import { unguardCell } from './cells.js'
import { type Columns, findColumns, type Role } from './columns.js'
import { guessSeparator, splitRecords } from './split-records.js'

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
  fault(line: number, message: string): void
  warn(line: number, message: string): void
  /** Called for each card with the length of its texts in UTF-16 code units; throws if the import exceeds a limit */
  count(length: number): void
}

/** The first line that declares the separator for Excel, such as `sep=;` */
const EXCEL_SEPARATOR = /^"?sep=([^\n"])"?(?:\n|$)/i

/**
 * Reads the decks of a table in the order of their first cards.
 * @example readTable('Was?;Das.', options)[0]?.cards[0]?.answer // 'Das.'
 */
export function readTable(text: string, options: TableOptions): TableDeck[] {
  const header = readAnkiHeader(text)
  const declared = header === undefined ? EXCEL_SEPARATOR.exec(text) : null
  const skipped = header?.lines ?? (declared === null ? 0 : 1)
  const body = skipped === 0 ? text : text.split('\n').slice(skipped).join('\n')
  const separator = header?.separator ?? declared?.[1] ?? guessSeparator(body)
  const reader = new TableReader(header, options)
  let columns: Columns | undefined
  let hasFault = false
  for (const record of splitRecords(body, separator, skipped + 1)) {
    const { line } = record
    if ('fault' in record) {
      options.fault(line, record.fault)
      hasFault = true
      continue
    }
    if (columns !== undefined) {
      reader.addRow(line, record.fields, columns)
      continue
    }
    const found = findColumns(record.fields, header)
    for (const fault of found.faults) options.fault(line, fault)
    if (found.faults.length > 0) return []
    columns = found.columns
    describe(columns, line, options)
    if (!columns.hasHeadings) reader.addRow(line, record.fields, columns)
  }
  // The loop has already reported a fault, so an empty table needs no other message.
  if (hasFault) return reader.decks
  if (columns === undefined) options.fault(1, 'Die Tabelle ist leer')
  else if (reader.rows === 0) options.fault(1, 'Unter den Überschriften steht keine Karte')
  return reader.decks
}

export function describe({ places, ignored }: Columns, line: number, { warn }: Pick<TableOptions, 'warn'>): void {
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
    const isGuarded = columns.isOwn || columns.wrong.length > 0
    const readCell = (place: number | undefined) => {
      const cell = fields[place ?? -1] ?? ''
      const text = columns.isOwn ? cell : cell.trim()
      return isGuarded ? unguardCell(text) : text
    }
    const read = (role: Role) => readCell(columns.places.get(role))
    const wrong = columns.wrong.map(readCell).filter((text) => text !== '')
    const question = this.#readSide(read('question'), 'Frage', line)
    const written = toAnswer(read('answer'), wrong, read('explanation'))
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
    if (!columns.isOwn && [name, level].some(isLabelTooLong)) {
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

  /** Returns the Markdown of a cell; reports a fault and returns undefined if it is empty or too long. */
  #readSide(written: string, name: string, line: number): string | undefined {
    const { fault, maxLength } = this.#options
    const converted = this.#header?.isHtml ? this.#convert(written, line) : undefined
    const text = converted?.markdown ?? written
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
   * Returns whether an earlier row has the same identity. Reports the repetition as a warning if the cards have no id
   * and their answers are equal, otherwise as a fault.
   */
  #isRepeated(identity: RowIdentity, deck: string, question: string, answer: string, line: number): boolean {
    const { file, fault, warn } = this.#options
    const name = identity.by === 'id' ? identity.id : identity.by === 'note' ? identity.guid : question
    const key = [identity.by, identity.by === 'question' ? deck : '', name].join('\0')
    const known = this.#known.get(key)
    if (known === undefined) {
      this.#known.set(key, { file, line, answer })
      return false
    }
    const place = `Zeile ${known.line}${known.file === file ? '' : ` (${known.file})`}`
    if (identity.by !== 'question') fault(line, `Die Id „${name}“ hat schon ${place}`)
    else if (known.answer === answer) warn(line, `Die Karte steht schon in ${place}`)
    else fault(line, `Die Frage steht schon in ${place}, mit einer anderen Antwort`)
    return true
  }
}

/**
 * Returns the answer and the options of the flashcard. If there are wrong answers and an explanation, the explanation
 * is the answer, and the right answer is an option. Without wrong answers, the explanation follows the right answer.
 */
function toAnswer(right: string, wrong: readonly string[], explanation: string) {
  const options = wrong.map((text) => ({ text, correct: false }))
  if (explanation === '' || right === '') return { answer: right, options }
  if (options.length === 0) return { answer: `${right}\n\n${explanation}`, options }
  return { answer: explanation, options: [{ text: right, correct: true }, ...options] }
}

const MAX_ID = 200
