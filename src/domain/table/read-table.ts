import { tidyDeckName } from '../anki/deck-name.js'
import { MAX_LABEL_LENGTH } from '../anki/label.js'
import { FALLBACK_LEVEL, levelOf } from '../anki/level.js'
import { findPictures } from '../content/find-pictures.js'
import type { Identity, IncomingDeck } from '../content/incoming.js'
import { parseMediaTarget, resolvePicture } from '../content/pictures.js'
import { unguardCell } from '../content/table-cells.js'
import { type Converted, convertHtml } from '../markup/convert.js'
import { countCharacters } from '../text/text.js'
import { type AnkiHeader, readAnkiHeader } from './anki-header.js'
import { type Columns, findColumns, type Role } from './columns.js'
import { guessSeparator, splitRecords } from './split-records.js'

export interface TableOptions {
  /** Its name, for the cards. */
  file: string
  /** Of cards whose row names none. */
  defaultDeck: string
  /** For all cards, whatever their rows say. */
  deck: string | undefined
  level: string | undefined
  /** The levels in the store. */
  levels: readonly string[]
  /** Characters of a side at most. */
  maxLength: number
  fault(line: number, message: string): void
  warn(line: number, message: string): void
  /** Called for each card; throws when there are too many. */
  count(question: string, answer: string): void
}

/** The decks of a table, in the order in which its rows name them. */
export function readTable(text: string, options: TableOptions): IncomingDeck[] {
  const header = readAnkiHeader(text)
  const skipped = header?.lines ?? 0
  const body = skipped === 0 ? text : text.split('\n').slice(skipped).join('\n')
  const separator = header?.separator ?? guessSeparator(body)
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
  // A row that cannot be split has its own fault.
  if (hasFault) return reader.decks
  if (columns === undefined) options.fault(1, 'Die Tabelle ist leer')
  else if (reader.rows === 0) options.fault(1, 'Unter den Überschriften steht keine Karte')
  return reader.decks
}

function describe({ places, ignored }: Columns, line: number, { warn }: TableOptions): void {
  if (ignored.length > 0) warn(line, `Nicht übernommen: ${ignored.map((name) => `„${name}“`).join(', ')}`)
  if (!places.has('id') && !places.has('guid')) {
    warn(line, 'Ohne die Spalte „Id“ wird eine Karte an ihrer Frage wiedererkannt')
  }
}

class TableReader {
  readonly #header: AnkiHeader | undefined
  readonly #options: TableOptions
  readonly #levels: ReadonlySet<string>
  readonly #decks = new Map<string, IncomingDeck>()
  /** By its identity, where a card stands and what it says. */
  readonly #known = new Map<string, { line: number; answer: string }>()
  #count = 0

  constructor(header: AnkiHeader | undefined, options: TableOptions) {
    this.#header = header
    this.#options = options
    this.#levels = new Set(options.levels)
  }

  get rows(): number {
    return this.#count
  }

  get decks(): IncomingDeck[] {
    return [...this.#decks.values()]
  }

  addRow(line: number, fields: readonly string[], columns: Columns): void {
    const { fault } = this.#options
    this.#count++
    if (fields.slice(columns.count).some((field) => field.trim() !== '')) {
      fault(line, `Die Zeile hat ${fields.length} statt ${columns.count} Felder`)
      return
    }
    const read = (role: Role) => {
      const cell = fields[columns.places.get(role) ?? -1] ?? ''
      return columns.isOwn ? unguardCell(cell) : cell.trim()
    }
    const question = this.#readSide(read('question'), 'Frage', line)
    const answer = this.#readSide(read('answer'), 'Antwort', line)
    if (question === undefined || answer === undefined) return
    const identity = this.#identify(read('id'), read('guid'), line)
    if (identity === undefined) return
    const deck = tidyDeckName(this.#options.deck ?? (read('deck') || this.#header?.deck || this.#options.defaultDeck))
    const level = this.#readLevel(read('level'), `${read('tags')} ${this.#header?.tags ?? ''}`)
    if ([deck, level].some((label) => label.length > MAX_LABEL_LENGTH && countCharacters(label) > MAX_LABEL_LENGTH)) {
      fault(line, `Deck und Level dürfen höchstens ${MAX_LABEL_LENGTH} Zeichen haben`)
      return
    }
    if (this.#isRepeated(identity, deck, question, answer, line)) return
    this.#options.count(question, answer)
    this.#deck(deck).cards.push({ identity, question, answer, level, file: this.#options.file, line })
  }

  #deck(name: string): IncomingDeck {
    let deck = this.#decks.get(name)
    if (deck === undefined) {
      deck = { name, description: '', slug: null, sort_order: null, cards: [] }
      this.#decks.set(name, deck)
    }
    return deck
  }

  /** Undefined, with a fault, when it cannot be a side of a card. */
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
    if (converted === undefined) this.#warnOfPictures(text, line)
    return text
  }

  #convert(html: string, line: number): Converted {
    const { maxLength, warn } = this.#options
    const converted = convertHtml(html, { picture: () => undefined, maxLength })
    for (const name of converted.missing) warn(line, `Das Bild „${name}“ ist nicht in der Tabelle`)
    if (converted.sounds > 0) warn(line, 'Ein Ton oder Film wird nicht übernommen; sein Name steht im Text')
    return converted
  }

  #warnOfPictures(text: string, line: number): void {
    for (const { target } of findPictures(text)) {
      if (parseMediaTarget(target) !== undefined || resolvePicture(this.#options.file, target) === undefined) continue
      this.#options.warn(line, `Das Bild „${target}“ ist nicht in der Tabelle`)
    }
  }

  #readLevel(written: string, tags: string): string {
    const tidy = written.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
    if (this.#options.level !== undefined) return this.#options.level
    return tidy || levelOf(tags, this.#levels) || FALLBACK_LEVEL
  }

  #identify(id: string, guid: string, line: number): Identity | undefined {
    if (id.length > MAX_ID || guid.length > MAX_ID || /\p{Cc}/u.test(id + guid)) {
      this.#options.fault(line, `Die Id ist länger als ${MAX_ID} Zeichen oder hat Zeichen, die keiner sieht`)
      return undefined
    }
    if (id !== '') return { by: 'id', id }
    return guid === '' ? { by: 'question' } : { by: 'note', guid, ord: 0 }
  }

  /** A row that says the same again is left out, one that contradicts an earlier one is a fault. */
  #isRepeated(identity: Identity, deck: string, question: string, answer: string, line: number): boolean {
    const { fault, warn } = this.#options
    const name = identity.by === 'id' ? identity.id : identity.by === 'note' ? identity.guid : question
    const key = [identity.by, identity.by === 'question' ? deck : '', name].join('\0')
    const known = this.#known.get(key)
    if (known === undefined) {
      this.#known.set(key, { line, answer })
      return false
    }
    if (identity.by !== 'question') fault(line, `Die Id „${name}“ hat schon Zeile ${known.line}`)
    else if (known.answer === answer) warn(line, `Die Karte steht schon in Zeile ${known.line}`)
    else fault(line, `Die Frage steht schon in Zeile ${known.line}, mit einer anderen Antwort`)
    return true
  }
}

const MAX_ID = 200
