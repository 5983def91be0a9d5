import { type ColumnChoice, choiceOf, isOfLayout, type TableDescription, type TableLayout } from '../../table-layout.js'
import { isStorable } from '../../text/text.js'
import { type Columns, findColumns, namesBothSides, noteNaming, type Role } from '../columns.js'
import { describeTable, HEAD_ROWS, usedColumns } from '../describe-table.js'
import { describe, type TableOptions, TableReader, type TableResult, warnOfManyDecks } from '../read-table.js'
import type { NumberFormats } from './number-formats.js'
import { type Merge, nameColumn, type SheetRow, showCell } from './sheet-parser.js'

export interface Sheet {
  name: string
  rows: SheetRow[]
  merges: readonly Merge[]
  hiddenRows: number
}

export interface SheetOptions extends Omit<TableOptions, 'fault' | 'warn'> {
  fault(file: string, line: number, message: string): void
  warn(file: string, line: number, message: string): void
}

/** Number of rows, from the top, that are searched for headings; a title may precede the headings. */
export const HEADING_ROWS = 10
/** Maximum number of cells of merged blocks that are visited, in all sheets together */
const MAX_FILLED = 1_000_000

/** Returns the index of the first row with headings for both sides of a card, searching the first ten rows. */
export function findHeadings(rows: readonly SheetRow[], formats: NumberFormats): number | undefined {
  const place = rows.slice(0, HEADING_ROWS).findIndex((row) => namesBothSides(textsOf(row, formats)))
  return place < 0 ? undefined : place
}

/** Reads the cards of the sheets. The description is that of the first sheet whose columns are unclear, or else of the first. */
export function readSheets(sheets: readonly Sheet[], formats: NumberFormats, options: SheetOptions): TableResult {
  const place = (sheet: Sheet) => {
    const file = sheets.length === 1 ? options.file : `${options.file}, Blatt „${sheet.name}“`
    return {
      file,
      fault: (line: number, message: string) => options.fault(file, line, message),
      warn: (line: number, message: string) => options.warn(file, line, message),
    }
  }
  const reader = new TableReader(undefined, { ...options, fault: () => {}, warn: () => {} })
  const budget = { filled: 0 }
  const tables: TableDescription[] = []
  for (const sheet of sheets) {
    const { file, fault, warn } = place(sheet)
    reader.begin({ file, fault, warn })
    fillMerged(sheet, budget)
    const table = readSheet(sheet, formats, reader, { fault, warn }, options)
    if (table !== null) tables.push(table)
  }
  const unclear = tables.find(({ isUnclear }) => isUnclear)
  if (unclear !== undefined) return { decks: [], table: unclear }
  if (reader.rows === 0) options.fault(options.file, 1, 'In der Mappe steht keine Karte')
  warnOfManyDecks(reader.decks, 1, { warn: (line, message) => options.warn(options.file, line, message) })
  return { decks: reader.decks, table: tables[0] ?? null }
}

function readSheet(
  { rows, hiddenRows }: Sheet,
  formats: NumberFormats,
  reader: TableReader,
  { fault, warn }: Pick<TableOptions, 'fault' | 'warn'>,
  { choice }: Pick<TableOptions, 'choice'>,
): TableDescription | null {
  const top = findHeadings(rows, formats) ?? 0
  const first = rows[top]
  if (first === undefined) return null
  const headings = textsOf(first, formats)
  // Without headings, the longest row determines the number of columns.
  const isNamed = namesBothSides(headings)
  const width = isNamed ? headings.length : rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  while (headings.length < width) headings.push('')
  const sample = [headings, ...rows.slice(top + 1, top + HEAD_ROWS).map((row) => textsOf(row, formats))]
  const found = findColumns(headings, {
    used: usedColumns(sample),
    choice: choice?.columns ?? recall(choice?.remembered, headings),
  })
  const table = describeTable(sample, found, null)
  if (found === 'unclear') return table
  if ('faults' in found) {
    for (const message of found.faults) fault(first.line, message)
    return table
  }
  const { columns } = found
  noteNaming(columns, sample.slice(columns.hasHeadings ? 1 : 0))
  const above = rows[0]
  if (above !== undefined && top > 0) warn(above.line, 'Was über den Überschriften steht, wird nicht übernommen')
  describe(columns, first.line, { warn })
  if (hiddenRows > 0) warn(first.line, `${hiddenRows} ausgeblendete Zeilen sind dabei`)
  const lacks = (role: Role, { cells }: SheetRow) => {
    const cell = cells[columns.places.get(role) ?? -1] ?? ''
    return typeof cell === 'string' && cell.trim() === ''
  }
  let isReported = false
  let blank = 0
  for (const row of rows.slice(columns.hasHeadings ? top + 1 : top)) {
    if (!isReported && (row.isCut || row.cells.slice(width).some((cell) => cell !== ''))) {
      isReported = true
      warn(row.line, 'Rechts neben der Tabelle steht noch etwas; es wird nicht übernommen')
    }
    // Columns such as the deck are often filled in below the last card, so rows with neither question nor answer cause
    // a warning instead of faults.
    if (lacks('question', row) && lacks('answer', row) && lacks('correct', row)) blank++
    else addRow(row, columns, formats, reader, fault)
  }
  if (blank > 0) warn(first.line, `${blank} Zeilen ohne Frage und Antwort bleiben weg`)
  return table
}

function recall(remembered: TableLayout | undefined, headings: readonly string[]): ColumnChoice | undefined {
  return remembered !== undefined && isOfLayout(remembered, headings) ? choiceOf(remembered) : undefined
}

function addRow(
  { line, cells }: SheetRow,
  columns: Columns,
  formats: NumberFormats,
  reader: TableReader,
  fault: TableOptions['fault'],
): void {
  const fields: string[] = []
  let hasProblem = false
  for (const column of [...columns.places.values(), ...columns.wrong, ...columns.options]) {
    const cell = cells[column]
    const text = showCell(cell, formats)
    const problem = typeof cell === 'object' && 'problem' in cell ? cell.problem : undefined
    const reason = problem ?? (isStorable(text) ? undefined : 'steht ein Zeichen, das sich nicht speichern lässt')
    if (reason !== undefined) {
      hasProblem = true
      fault(line, `In ${nameColumn(column)}${line} ${reason}`)
    }
    fields[column] = text
  }
  if (!hasProblem) reader.addRow(line, fields, columns)
}

function textsOf({ cells }: SheetRow, formats: NumberFormats): string[] {
  return cells.map((cell) => showCell(cell, formats))
}

/** Copies the first cell of a merged block to the empty cells below it in the block. */
function fillMerged({ rows, merges }: Sheet, budget: { filled: number }): void {
  if (merges.length === 0) return
  const byLine = new Map(rows.map((row) => [row.line, row]))
  for (const { column, firstLine, lastLine } of merges) {
    const cell = byLine.get(firstLine)?.cells[column]
    if (cell === undefined || cell === '') continue
    for (let line = firstLine + 1; line <= lastLine && budget.filled < MAX_FILLED; line++) {
      budget.filled++
      const row = byLine.get(line)
      if (row === undefined) continue
      while (row.cells.length <= column) row.cells.push('')
      if (row.cells[column] === '') row.cells[column] = cell
    }
  }
}
