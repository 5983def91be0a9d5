import { CsvError, parse } from 'csv-parse/sync'
import { countLines, decodeText } from '../content/decode-text.js'
import type { RowFault } from './types.js'
import { MAX_USERS, type UserRow } from './user-list.js'

type Column = 'username' | 'display_name' | 'is_admin' | 'password'

/** The headings of the columns, in lower case. */
const COLUMNS: Readonly<Record<string, Column>> = {
  username: 'username',
  benutzername: 'username',
  display_name: 'display_name',
  name: 'display_name',
  anzeigename: 'display_name',
  is_admin: 'is_admin',
  administrator: 'is_admin',
  password: 'password',
  passwort: 'password',
}

/** What a table program writes for true and false, and what a person does. */
const FLAGS: Readonly<Record<string, boolean>> = {
  '': false,
  ja: true,
  nein: false,
  true: true,
  false: false,
  wahr: true,
  falsch: false,
  '1': true,
  '0': false,
}

const SEPARATORS = [';', ',', '\t']

/** Table programs may leave many lines without values; a file of nothing else is no work for the event loop. */
const MAX_RECORDS = 3 * MAX_USERS
const ENOUGH = new Error('enough has been read')

const NOT_UTF8 = 'Die Datei ist nicht in UTF-8 kodiert. In Excel hilft: Speichern unter, Dateityp „CSV UTF-8“'
const BROKEN_QUOTES = 'Die Anführungszeichen passen nicht zusammen'

/** A line of the file, or several when a field has line ends. */
interface CsvRecord {
  line: number
  fields: string[]
}

/**
 * The users of a CSV file, by the headings of its first line; separated by semicolons, commas or tabs. Lines without any
 * value are overlooked.
 */
export function readCsvRows(bytes: Uint8Array): { rows: UserRow[]; faults: RowFault[] } {
  const faults: RowFault[] = []
  const text = decodeCsv(bytes, faults)
  if (text === undefined) return { rows: [], faults }
  const [header, ...records] = readRecords(text, faults)
  if (header === undefined) {
    if (faults.length === 0) faults.push({ line: 1, field: null, message: 'Die Datei ist leer' })
    return { rows: [], faults }
  }
  const columns = readHeader(header, faults)
  if (columns === undefined) return { rows: [], faults }
  if (records.length === 0 && faults.length === 0) {
    faults.push({ line: header.line, field: null, message: 'Unter den Überschriften stehen keine Benutzer' })
  }
  const rows: UserRow[] = []
  for (const { line, fields } of records) {
    if (fields.length !== columns.length) {
      const message = `Die Zeile hat ${fields.length} statt ${columns.length} Felder`
      faults.push({ line, field: null, message })
      continue
    }
    const row: UserRow = { line }
    for (const [index, column] of columns.entries()) {
      const field = fields[index] ?? ''
      row[column] = column === 'is_admin' ? (FLAGS[field.trim().toLowerCase()] ?? field) : field
    }
    rows.push(row)
  }
  return { rows, faults }
}

/**
 * Excel writes Windows-1252 unless asked for UTF-8. Bytes do not say what they are, so it is taken for that only when all
 * of them beyond ASCII are letters in it: no text in UTF-8 looks like that, nor do German letters of a Mac or of DOS.
 */
function decodeCsv(bytes: Uint8Array, faults: RowFault[]): string | undefined {
  let badLine: number | undefined
  const text = decodeText(bytes, (line, message) => {
    badLine = line
    faults.push({ line, field: null, message })
  })
  if (text !== undefined) return badLine === undefined ? text : undefined
  faults.length = 0
  if (bytes.every(isLetterOrAscii)) return new TextDecoder('windows-1252').decode(bytes).replace(/\r\n?/g, '\n')
  faults.push({ line: badLine ?? 1, field: null, message: NOT_UTF8 })
  return undefined
}

/** × and ÷ stand among the letters; a NUL is in no text. */
function isLetterOrAscii(byte: number): boolean {
  return (byte > 0 && byte < 0x80) || (byte >= 0xc0 && byte !== 0xd7 && byte !== 0xf7)
}

/** The records up to the first one whose quotes are broken: what comes behind it may be inside of quotes or not. */
function readRecords(text: string, faults: RowFault[]): CsvRecord[] {
  const records: CsvRecord[] = []
  let passed = 0
  let read = 0
  try {
    parse(text, {
      delimiter: findSeparator(text),
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (fields: string[], { lines }) => {
        passed = lines
        const line = lines - fields.reduce((sum, field) => sum + countLines(field) - 1, 0)
        if (fields.some((field) => field.trim() !== '')) records.push({ line, fields })
        // One more than the headings and as many users as there may be tells that there are too many.
        if (records.length > MAX_USERS + 1) throw ENOUGH
        if (++read > MAX_RECORDS) {
          faults.push({ line, field: null, message: 'Die Datei hat zu viele leere Zeilen' })
          throw ENOUGH
        }
        return null
      },
    })
  } catch (error) {
    if (error === ENOUGH) return records
    if (!(error instanceof CsvError)) throw error
    const lines = text.split('\n').slice(passed)
    const begin = lines.findIndex((line) => line.trim() !== '')
    faults.push({ line: passed + Math.max(begin, 0) + 1, field: null, message: BROKEN_QUOTES })
  }
  return records
}

/** What separates the headings; they hold none of these characters. */
function findSeparator(text: string): string {
  const header = text.split('\n').find((line) => line.trim() !== '') ?? ''
  const countOf = (separator: string) => header.split(separator).length
  return SEPARATORS.toSorted((a, b) => countOf(b) - countOf(a))[0] as string
}

/** The columns in their order; undefined when they cannot be told. */
function readHeader({ line, fields }: CsvRecord, faults: RowFault[]): Column[] | undefined {
  const columns: Column[] = []
  let isSound = true
  const complain = (field: string | null, message: string) => {
    isSound = false
    faults.push({ line, field, message })
  }
  for (const [index, field] of fields.entries()) {
    const heading = field.trim()
    const column = COLUMNS[heading.toLowerCase()]
    if (heading === '') complain(null, `Die ${index + 1}. Spalte hat keine Überschrift`)
    else if (column === undefined || !Object.hasOwn(COLUMNS, heading.toLowerCase())) {
      complain(heading.slice(0, 50).toWellFormed(), 'Diese Spalte ist unbekannt')
    } else if (columns.includes(column)) complain(column, `Die Spalte "${heading}" gibt es zweimal`)
    else columns.push(column)
  }
  if (isSound && !columns.includes('username')) complain('username', 'Die Spalte "username" (Benutzername) fehlt')
  return isSound ? columns : undefined
}
