import { posix } from 'node:path'
import { TextDecoder } from 'node:util'
import { DamagedPackage, NOT_A_PACKAGE } from '../../../../domain/content/refusals.js'
import { type Incoming, plainDeck } from '../../../../domain/content/upload/incoming.js'
import {
  collectRelationships,
  collectSharedStrings,
  collectStyles,
  collectWorkbook,
  findHeadings,
  HEADING_ROWS,
  NumberFormats,
  type Relationship,
  readSheets,
  type Sheet,
  type SheetEntry,
  SheetParser,
  type XmlHandler,
  XmlParser,
} from '../../../../domain/table/index.js'
import { MAX_SIDE_LENGTH } from '../../../../domain/text/limits.js'
import { Findings } from './findings.js'
import { LIMITS, TEXT_TOO_LONG, TOO_MANY_CARDS, TOO_MANY_SHEETS } from './limits.js'
import type { ReadOptions } from './options.js'
import type { Zip } from './zip.js'

const CONTENT_TYPES = '[Content_Types].xml'

/** Returns true if the zip is a Microsoft Office document of any program. */
export function isOfficeDocument(zip: Zip): boolean {
  return zip.has(CONTENT_TYPES)
}

/** The part that a document begins with, such as `xl/workbook.xml`; undefined when the package names none. */
export async function findMainPart(zip: Zip): Promise<string | undefined> {
  const parts = new WorkbookParts(zip)
  return (await parts.relationshipsOf('')).find(({ type }) => type === 'officeDocument')?.target
}

/**
 * Reads the sheets of an Excel workbook that have headings for question and answer, or else the first one. The sheets
 * are parsed while they are inflated; only the rows that become cards stay in memory.
 * @param main the part that describes the workbook
 * @throws FaultyContent with every fault; DamagedPackage, FileTooLarge
 */
export async function readWorkbook(zip: Zip, main: string, options: ReadOptions): Promise<Incoming> {
  const { fileName } = options
  const findings = new Findings()
  const warn = (message: string) => findings.warn(fileName, 1, message)
  const parts = new WorkbookParts(zip)
  const book = { sheets: [] as SheetEntry[], is1904: false }
  await parts.parse(main, collectWorkbook(book))
  if (book.sheets.length === 0) throw NOT_A_PACKAGE
  if (book.sheets.length > LIMITS.sheets) throw TOO_MANY_SHEETS
  const relationships = await parts.relationshipsOf(main)
  const reader = new SheetReader(parts, relationships, await readFormats(parts, relationships, book.is1904))

  const shown = book.sheets.filter(({ isHidden }) => !isHidden)
  const sheets: Sheet[] = []
  const others: SheetEntry[] = []
  for (const entry of shown) {
    const sheet = await reader.read(entry, true)
    if (sheet !== undefined) sheets.push(sheet)
    else if (!reader.isEmpty) others.push(entry)
  }
  if (sheets.length === 0) {
    const [first] = others.splice(0, 1)
    const sheet = first && (await reader.read(first, false))
    if (sheet !== undefined) sheets.push(sheet)
    if (others.length > 0) warn(`Nur das Blatt „${first?.name}“ ist gelesen; die anderen haben keine Überschriften`)
  } else {
    for (const { name } of others)
      warn(`Das Blatt „${name}“ bleibt weg: ihm fehlen die Überschriften Frage und Antwort`)
  }
  for (const { name, isHidden } of book.sheets) {
    if (isHidden) warn(`Das Blatt „${name}“ ist ausgeblendet und bleibt weg`)
  }
  if (zip.names.some((name) => name.startsWith('xl/media/'))) warn('Bilder der Mappe werden nicht übernommen')
  const decks = readSheets(sheets, reader.formats, {
    ...options,
    file: fileName,
    deck: options.deck,
    level: options.level,
    maxLength: MAX_SIDE_LENGTH,
    fault: (file, line, message) => findings.fault(file, line, message),
    warn: (file, line, message) => findings.warn(file, line, message),
    count: (question, answer) => findings.countCard(question, answer),
  })
  findings.throwFaults()
  const incoming = decks.map(({ name, cards }) => plainDeck(name, cards))
  return { kind: 'table', decks: incoming, sheets: [], pictures: [], ...findings.warnings }
}

async function readFormats(
  parts: WorkbookParts,
  relationships: readonly Relationship[],
  is1904: boolean,
): Promise<NumberFormats> {
  const styles = { codes: new Map<number, string>(), styles: [] as number[] }
  const target = relationships.find(({ type }) => type === 'styles')?.target
  if (target !== undefined) await parts.parse(target, collectStyles(styles))
  return new NumberFormats(styles, is1904)
}

class SheetReader {
  readonly formats: NumberFormats
  /** Whether the sheet that was read last has no text at all. */
  isEmpty = true
  readonly #parts: WorkbookParts
  readonly #relationships: readonly Relationship[]
  #sharedStrings: string[] | undefined

  constructor(parts: WorkbookParts, relationships: readonly Relationship[], formats: NumberFormats) {
    this.#parts = parts
    this.#relationships = relationships
    this.formats = formats
  }

  /** Undefined when the sheet is empty, or has no headings and needs them. @throws FileTooLarge */
  async read({ name, relationship }: SheetEntry, needsHeadings: boolean): Promise<Sheet | undefined> {
    this.isEmpty = true
    const part = this.#relationships.find(({ id }) => id === relationship)
    // Charts and macros have sheets of their own.
    if (part?.type !== 'worksheet') return undefined
    this.#sharedStrings ??= await this.#readSharedStrings()
    const parser = new SheetParser(this.#sharedStrings)
    const rows: Sheet['rows'] = []
    let isSearching = needsHeadings
    for await (const piece of this.#parts.read(part.target)) {
      for (const row of parser.write(piece)) rows.push(row)
      if (rows.length > LIMITS.cards + HEADING_ROWS && !isSearching) throw TOO_MANY_CARDS
      if (!isSearching || rows.length < HEADING_ROWS) continue
      if (findHeadings(rows, this.formats) === undefined) break
      isSearching = false
    }
    this.isEmpty = rows.length === 0
    if (this.isEmpty || (needsHeadings && findHeadings(rows, this.formats) === undefined)) return undefined
    return { name, rows, merges: parser.merges, hiddenRows: parser.hiddenRows }
  }

  async #readSharedStrings(): Promise<string[]> {
    const strings: string[] = []
    let length = 0
    const target = this.#relationships.find(({ type }) => type === 'sharedStrings')?.target
    const add = (text: string) => {
      length += text.length
      if (length > LIMITS.totalLength) throw TEXT_TOO_LONG
      strings.push(text)
    }
    if (target !== undefined) await this.#parts.parse(target, collectSharedStrings(add))
    return strings
  }
}

/** The XML parts of a package, which may not exceed `LIMITS.workbookBytes` together. */
class WorkbookParts {
  readonly #zip: Zip
  /** Some programs write other letters than their references have. */
  readonly #names: ReadonlyMap<string, string>
  #bytes = 0

  constructor(zip: Zip) {
    this.#zip = zip
    this.#names = new Map(zip.names.map((name) => [name.toLowerCase(), name]))
  }

  /** The text of a part, piece by piece. @throws DamagedPackage, FileTooLarge */
  async *read(part: string): AsyncGenerator<string> {
    const name = this.#zip.has(part) ? part : this.#names.get(part.toLowerCase())
    if (name === undefined) throw new DamagedPackage(`der Eintrag „${part}“ fehlt`)
    let decoder: TextDecoder | undefined
    for await (const piece of this.#zip.read(name, LIMITS.workbookBytes - this.#bytes)) {
      this.#bytes += piece.length
      decoder ??= new TextDecoder(piece[0] === 0xff ? 'utf-16le' : piece[0] === 0xfe ? 'utf-16be' : 'utf-8')
      yield decoder.decode(piece, { stream: true })
    }
  }

  async parse(part: string, handler: XmlHandler): Promise<void> {
    const parser = new XmlParser(handler)
    for await (const piece of this.read(part)) parser.write(piece)
    parser.end()
  }

  /** Relationships of a part; `''` is the package itself. */
  async relationshipsOf(part: string): Promise<Relationship[]> {
    const folder = posix.dirname(part || '.')
    const file = posix.join(folder, '_rels', `${posix.basename(part)}.rels`)
    const relationships: Relationship[] = []
    if (!this.#zip.has(file) && !this.#names.has(file.toLowerCase())) return relationships
    await this.parse(file, collectRelationships(folder, relationships))
    return relationships
  }
}
