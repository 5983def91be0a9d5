import type { TableResult } from '../read-table.js'
import { NumberFormats } from './number-formats.js'
import { collectSharedStrings, collectStyles, collectWorkbook, type Relationship, type SheetEntry } from './parts.js'
import { findHeadings, HEADING_ROWS, readSheets, type Sheet, type SheetOptions } from './read-sheets.js'
import { SheetParser } from './sheet-parser.js'
import { type WorkbookPackage, WorkbookParts } from './workbook-parts.js'

export type WorkbookProblem = 'no_sheets' | 'too_many_sheets' | 'too_many_cards' | 'text_too_long'

export interface WorkbookOptions extends SheetOptions {
  /** Maximum numbers of sheets, of cards, and of UTF-16 code units of all shared strings */
  limits: { sheets: number; cards: number; totalLength: number }
  refusal(problem: WorkbookProblem): Error
}

/** Returns the name of the part that describes the document, such as `xl/workbook.xml`; undefined if there is none. */
export async function findMainPart(source: WorkbookPackage): Promise<string | undefined> {
  const relationships = await new WorkbookParts(source).relationshipsOf('')
  return relationships.find(({ type }) => type === 'officeDocument')?.target
}

/**
 * Reads the visible sheets that have headings for question and answer, or else the first visible sheet that is not
 * empty. Parses each sheet while it is decompressed, and drops empty rows.
 * @param main the part that describes the workbook
 * @throws the error of `options.refusal` if there is no sheet or a limit is exceeded, and errors of the package
 */
export async function readWorkbook(
  source: WorkbookPackage,
  main: string,
  options: WorkbookOptions,
): Promise<TableResult> {
  const { limits, refusal } = options
  const warn = (message: string) => options.warn(options.file, 1, message)
  const parts = new WorkbookParts(source)
  const book = { sheets: [] as SheetEntry[], is1904: false }
  await parts.parse(main, collectWorkbook(book))
  if (book.sheets.length === 0) throw refusal('no_sheets')
  if (book.sheets.length > limits.sheets) throw refusal('too_many_sheets')
  const relationships = await parts.relationshipsOf(main)
  const formats = await readFormats(parts, relationships, book.is1904)
  const reader = new SheetReader(parts, relationships, formats, options)

  const sheets: Sheet[] = []
  const others: SheetEntry[] = []
  for (const entry of book.sheets.filter(({ isHidden }) => !isHidden)) {
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
  if (source.names.some((name) => name.startsWith('xl/media/'))) warn('Bilder der Mappe werden nicht übernommen')
  return readSheets(sheets, formats, options)
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
  /** Whether the last sheet that was read has no rows or is not a worksheet */
  isEmpty = true
  readonly #parts: WorkbookParts
  readonly #relationships: readonly Relationship[]
  readonly #formats: NumberFormats
  readonly #options: WorkbookOptions
  #sharedStrings: string[] | undefined

  constructor(
    parts: WorkbookParts,
    relationships: readonly Relationship[],
    formats: NumberFormats,
    options: WorkbookOptions,
  ) {
    this.#parts = parts
    this.#relationships = relationships
    this.#formats = formats
    this.#options = options
  }

  /** Reads a sheet; returns undefined if it is empty, not a worksheet, or lacks required headings. */
  async read({ name, relationship }: SheetEntry, needsHeadings: boolean): Promise<Sheet | undefined> {
    const { limits, refusal } = this.#options
    this.isEmpty = true
    const part = this.#relationships.find(({ id }) => id === relationship)
    // Sheets of charts and macros have other types.
    if (part?.type !== 'worksheet') return undefined
    this.#sharedStrings ??= await this.#readSharedStrings()
    const parser = new SheetParser(this.#sharedStrings)
    const rows: Sheet['rows'] = []
    let isSearching = needsHeadings
    for await (const piece of this.#parts.read(part.target)) {
      for (const row of parser.write(piece)) rows.push(row)
      if (rows.length > limits.cards + HEADING_ROWS && !isSearching) throw refusal('too_many_cards')
      if (!isSearching || rows.length < HEADING_ROWS) continue
      if (findHeadings(rows, this.#formats) === undefined) break
      isSearching = false
    }
    this.isEmpty = rows.length === 0
    if (this.isEmpty || (needsHeadings && findHeadings(rows, this.#formats) === undefined)) return undefined
    return { name, rows, merges: parser.merges, hiddenRows: parser.hiddenRows }
  }

  async #readSharedStrings(): Promise<string[]> {
    const { limits, refusal } = this.#options
    const strings: string[] = []
    let length = 0
    const target = this.#relationships.find(({ type }) => type === 'sharedStrings')?.target
    const add = (text: string) => {
      length += text.length
      if (length > limits.totalLength) throw refusal('text_too_long')
      strings.push(text)
    }
    if (target !== undefined) await this.#parts.parse(target, collectSharedStrings(add))
    return strings
  }
}
