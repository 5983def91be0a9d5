import { decodeEscapes } from './escapes.js'
import { type NumberFormats, serialOf } from './number-formats.js'
import { TextCollector } from './parts.js'
import { isSet, XmlParser } from './xml.js'

/** A text, a number with its style, or the reason why the cell has no value. `isIso`: a date as days from 1900. */
export type Cell = string | { value: number; style: number; isIso?: boolean } | { problem: string }

export interface SheetRow {
  /** Row number, from 1 */
  line: number
  /** Cells from column A; an absent cell is an empty string. */
  cells: Cell[]
  /** Whether the row has cells to the right of the last column that is read */
  isCut: boolean
}

/** Rows of a merged block, and its first column (from 0) */
export interface Merge {
  column: number
  firstLine: number
  lastLine: number
}

/** Maximum number of columns; cells to their right are ignored. */
const MAX_COLUMNS = 256
const MAX_LINE = 1_048_576

/**
 * Parses the XML of a worksheet in chunks; skips empty rows.
 * @example new SheetParser([]).write('<row r="1"><c><v>1</v></c></row>')[0]?.cells // [{ value: 1, style: 0 }]
 */
export class SheetParser {
  readonly merges: Merge[] = []
  hiddenRows = 0
  readonly #sharedStrings: readonly string[]
  readonly #parser: XmlParser
  readonly #inline = new TextCollector()
  #rows: SheetRow[] = []
  #row: SheetRow | undefined
  #isHidden = false
  #line = 0
  #column = -1
  #type = 'n'
  #style = 0
  #value = ''
  #isInValue = false
  #hasValue = false
  #hasFormula = false

  constructor(sharedStrings: readonly string[]) {
    this.#sharedStrings = sharedStrings
    this.#parser = new XmlParser({
      open: (name, attributes) => this.#open(name, attributes),
      text: (data) => {
        if (this.#isInValue) this.#value += data
        else this.#inline.add(data)
      },
      close: (name) => this.#close(name),
    })
  }

  /** Parses the next chunk and returns the rows completed by it. */
  write(piece: string): SheetRow[] {
    this.#parser.write(piece)
    const rows = this.#rows
    if (rows.length > 0) this.#rows = []
    return rows
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') {
      const line = Number(attributes.r)
      this.#line = line > this.#line && line <= MAX_LINE ? line : this.#line + 1
      this.#row = { line: this.#line, cells: [], isCut: false }
      this.#isHidden = isSet(attributes.hidden)
      this.#column = -1
    } else if (name === 'c') this.#openCell(attributes)
    else if (name === 'v') {
      this.#isInValue = true
      this.#hasValue = true
    } else if (name === 'f') this.#hasFormula = true
    else if (name === 'mergeCell') this.#addMerge(attributes.ref ?? '')
    else this.#inline.open(name)
  }

  #openCell({ r = '', s = '0', t = 'n' }: Readonly<Record<string, string>>): void {
    this.#column = Math.max(parseColumn(r) ?? this.#column + 1, this.#column + 1)
    this.#type = t
    this.#style = Number(s)
    this.#value = ''
    this.#hasValue = false
    this.#hasFormula = false
    this.#inline.begin()
  }

  #close(name: string): void {
    if (name === 'v') this.#isInValue = false
    else if (name === 'c') this.#closeCell()
    else if (name === 'row') {
      const row = this.#row
      this.#row = undefined
      if (row === undefined || !row.cells.some((cell) => typeof cell !== 'string' || cell.trim() !== '')) return
      if (this.#isHidden) this.hiddenRows++
      this.#rows.push(row)
    } else this.#inline.close(name)
  }

  #closeCell(): void {
    const row = this.#row
    if (row === undefined) return
    const cell = this.#readCell()
    if (cell === '') return
    if (this.#column >= MAX_COLUMNS) {
      row.isCut = true
      return
    }
    while (row.cells.length < this.#column) row.cells.push('')
    row.cells.push(cell)
  }

  #readCell(): Cell {
    const value = this.#value
    switch (this.#type) {
      case 's':
        return this.#sharedStrings[Number(value)] ?? ''
      case 'inlineStr':
        return decodeEscapes(this.#inline.take())
      case 'b':
        return isSet(value) ? 'WAHR' : 'FALSCH'
      case 'e':
        return { problem: `steht der Fehler ${value.slice(0, 20)}` }
      case 'd': {
        const serial = serialOf(value)
        return serial === undefined ? value : { value: serial, style: this.#style, isIso: true }
      }
    }
    if (!this.#hasValue && this.#hasFormula) return { problem: NOT_CALCULATED }
    if (this.#type === 'str') return decodeEscapes(value)
    return value === '' || Number.isNaN(Number(value)) ? value : { value: Number(value), style: this.#style }
  }

  #addMerge(ref: string): void {
    const { from = '', first = '', last = '' } = MERGE.exec(ref)?.groups ?? {}
    const column = parseColumn(from)
    const merge = { firstLine: Number(first), lastLine: Math.min(Number(last), MAX_LINE) }
    if (column === undefined || column >= MAX_COLUMNS || merge.lastLine <= merge.firstLine) return
    this.merges.push({ column, ...merge })
  }
}

const MERGE = /^(?<from>[A-Z]{1,3})(?<first>\d{1,7}):[A-Z]{1,3}(?<last>\d{1,7})$/
const NOT_CALCULATED = 'steht eine Formel ohne gespeichertes Ergebnis; in Excel geöffnet und gespeichert, hat sie eines'

/** Parses the column of a reference such as `A` or `A1`. Returns its index, from 0; undefined without a column. */
function parseColumn(ref: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(ref)?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/**
 * Returns the name of a column (`A`, `B`, …) for its index from 0.
 * @example nameColumn(27) // 'AB'
 */
export function nameColumn(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : nameColumn(Math.floor(column / 26) - 1) + last
}

/** Returns the text of a cell as a spreadsheet shows it; empty if the cell has a problem. */
export function showCell(cell: Cell | undefined, formats: NumberFormats): string {
  if (cell === undefined || typeof cell === 'string') return cell ?? ''
  return 'problem' in cell ? '' : formats.show(cell.value, cell.style, cell.isIso)
}
