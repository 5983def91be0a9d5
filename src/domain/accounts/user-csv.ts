import { CsvError, parse } from 'csv-parse/sync'
import { decodeText } from '../content/format/decode-text.js'
import type { Details } from '../refusal.js'
import { countLines } from '../text/text.js'
import type { RowFault } from './types.js'
import { faultAt, MAX_CHANGED_USERS, MAX_USERS, type UserRow } from './user-list.js'

type Column =
  | 'username'
  | 'display_name'
  | 'first_name'
  | 'last_name'
  | 'is_admin'
  | 'is_author'
  | 'is_auditor'
  | 'auditor_until'
  | 'password'
  | 'disabled_on'
  | 'email'
  | 'personnel_number'
  | 'external_id'
  | 'team'
  | 'teams'

/** Spellings of the headings, in lower case */
const HEADINGS: Readonly<Record<Column, readonly string[]>> = {
  username: ['username', 'user name', 'benutzername', 'benutzer', 'login'],
  display_name: ['display_name', 'display name', 'displayname', 'name', 'anzeigename'],
  first_name: ['first_name', 'first name', 'firstname', 'given name', 'vorname'],
  last_name: ['last_name', 'last name', 'lastname', 'surname', 'nachname', 'familienname'],
  is_admin: ['is_admin', 'administrator'],
  is_author: ['is_author', 'autor'],
  is_auditor: ['is_auditor', 'auditor', 'prüfer'],
  auditor_until: ['auditor_until', 'auditor bis', 'prüfer bis'],
  password: ['password', 'passwort'],
  disabled_on: ['disabled_on', 'deaktiviert ab'],
  email: ['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'e-mail-adresse', 'mailadresse'],
  personnel_number: [
    ...['personnel_number', 'personnel number', 'employee number', 'employee id', 'employeeid', 'employee_id'],
    ...['personalnummer', 'personal-nr.', 'personal-nr', 'personalnr.', 'personalnr', 'pers.-nr.', 'mitarbeiternummer'],
  ],
  external_id: ['external_id', 'external id', 'externe kennung'],
  team: ['team'],
  teams: ['teams'],
}

const COLUMNS: ReadonlyMap<string, Column> = new Map(
  Object.entries(HEADINGS).flatMap(([column, headings]) => headings.map((heading) => [heading, column as Column])),
)

const FLAGS: Readonly<Record<string, boolean>> = {
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

/** Maximum number of records with empty fields only; spreadsheets may save many of these */
const MAX_BLANK_RECORDS = 2_000
const ENOUGH = new Error('enough has been read')
/** Minimum number of UTF-16 code units that are parsed in one step; about a millisecond */
const BLOCK_LENGTH = 8_192

const NOT_UTF8 = 'Die Datei ist nicht in UTF-8 kodiert. In Excel hilft: Speichern unter, Dateityp „CSV UTF-8“'
const BROKEN_QUOTES = 'Die Anführungszeichen passen nicht zusammen'

/** A CSV record with the number of its first line; quoted fields may span several lines. */
interface CsvRecord {
  line: number
  fields: string[]
}

/**
 * Parses a CSV file of users. The first record contains the headings. The separator is a semicolon, comma or tab.
 * Empty lines and records with empty fields only are ignored. Yields after short steps, so that other work can run in
 * between.
 * @param isChange whether the list changes accounts: it may be longer, and may name them by personnel number only
 * @example runSteps(readCsvInSteps(Buffer.from('username\nerika'))).rows // [{ line: 2, username: 'erika' }]
 */
export function* readCsvInSteps(
  bytes: Uint8Array,
  isChange = false,
  blockLength = BLOCK_LENGTH,
): Generator<void, { rows: UserRow[]; faults: RowFault[] }> {
  const faults: RowFault[] = []
  const text = decodeCsv(bytes, faults)
  if (text === undefined) return { rows: [], faults }
  const maximum = isChange ? MAX_CHANGED_USERS : MAX_USERS
  const [header, ...records] = yield* readRecords(text, { maximum, blockLength }, faults)
  if (header === undefined) {
    if (faults.length === 0) faults.push(faultAt(1, null, 'empty_file', 'Die Datei ist leer'))
    return { rows: [], faults }
  }
  const columns = readHeader(header, isChange, faults)
  if (columns === undefined) return { rows: [], faults }
  if (records.length === 0 && faults.length === 0) {
    faults.push(faultAt(header.line, null, 'only_headings', 'Unter den Überschriften stehen keine Benutzer'))
  }
  const rows: UserRow[] = []
  for (const { line, fields } of records) {
    if (fields.length !== columns.length) {
      const message = `Die Zeile hat ${fields.length} statt ${columns.length} Felder`
      const details = { fields: fields.length, columns: columns.length }
      faults.push(faultAt(line, null, 'other_number_of_fields', message, details))
      continue
    }
    rows.push(readRow(line, new Map(columns.map((column, index) => [column, fields[index] ?? '']))))
    yield
  }
  return { rows, faults }
}

function readRow(line: number, cells: ReadonlyMap<Column, string>): UserRow {
  const row: UserRow = { line }
  for (const [column, field] of cells) {
    if (column === 'is_admin' || column === 'is_author' || column === 'is_auditor')
      row[column] = field.trim() === '' ? undefined : (FLAGS[field.trim().toLowerCase()] ?? field)
    else if (column === 'disabled_on' || column === 'auditor_until') row[column] = readGermanDay(field.trim())
    else if (column === 'teams')
      row.teams = field.trim() === '' ? undefined : field.split('|').filter((name) => name.trim() !== '')
    else if (column !== 'first_name' && column !== 'last_name') row[column] = field
  }
  const names = [cells.get('first_name'), cells.get('last_name')].flatMap((name) => name?.trim() || [])
  if (names.length > 0) row.display_name = names.join(' ')
  return row
}

function readGermanDay(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? []
  return year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/**
 * Decodes UTF-8 or Windows-1252, the default of Excel on Windows. Windows-1252 is assumed only if every byte beyond
 * ASCII is a letter from À to ÿ. Neither UTF-8 nor German umlauts in MacRoman or CP850 meet this condition.
 * Reports a fault and returns undefined for other encodings and for text that contains NUL.
 */
function decodeCsv(bytes: Uint8Array, faults: RowFault[]): string | undefined {
  let badLine: number | undefined
  const text = decodeText(bytes, (line, message) => {
    badLine = line
    faults.push(faultAt(line, null, 'nul_in_file', message))
  })
  if (text !== undefined) return badLine === undefined ? text : undefined
  faults.length = 0
  if (bytes.every(isLetterOrAscii)) return new TextDecoder('windows-1252').decode(bytes).replace(/\r\n?/g, '\n')
  faults.push(faultAt(badLine ?? 1, null, 'other_encoding', NOT_UTF8))
  return undefined
}

/**
 * Returns whether a byte is ASCII except NUL, which text does not contain, or a letter from À to ÿ in Windows-1252.
 * × and ÷ lie between these letters and are excluded.
 */
function isLetterOrAscii(byte: number): boolean {
  return (byte > 0 && byte < 0x80) || (byte >= 0xc0 && byte !== 0xd7 && byte !== 0xf7)
}

/**
 * Reads the records that are not empty. Stops when there are too many records. Also stops at a record with broken
 * quotes, because it is unclear whether the text after that record is quoted.
 */
function* readRecords(
  text: string,
  { maximum, blockLength }: { maximum: number; blockLength: number },
  faults: RowFault[],
): Generator<void, CsvRecord[]> {
  const delimiter = findSeparator(text)
  const records: CsvRecord[] = []
  let passed = 0
  let read = 0
  const readBlock = (block: string, linesBefore: number) =>
    parse(block, {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (fields: string[], { lines }) => {
        passed = linesBefore + lines
        const line = passed - fields.reduce((sum, field) => sum + countLines(field) - 1, 0)
        if (fields.some((field) => field.trim() !== '')) records.push({ line, fields })
        // The header and one user more than allowed suffice for `validateRows` to report too many users.
        if (records.length > maximum + 1) throw ENOUGH
        if (++read > records.length + MAX_BLANK_RECORDS) {
          faults.push(faultAt(line, null, 'too_many_blank_lines', 'Die Datei hat zu viele leere Zeilen'))
          throw ENOUGH
        }
        return null
      },
    })
  try {
    for (const { block, linesBefore } of blocksOf(text, blockLength)) {
      readBlock(block, linesBefore)
      yield
    }
  } catch (error) {
    if (error === ENOUGH) return records
    if (!(error instanceof CsvError)) throw error
    const lines = text.split('\n').slice(passed)
    const begin = lines.findIndex((line) => line.trim() !== '')
    faults.push(faultAt(passed + Math.max(begin, 0) + 1, null, 'broken_quotes', BROKEN_QUOTES))
  }
  return records
}

/**
 * Splits a text into blocks of whole records. Quotes within quoted fields are doubled, so that a line ends a record if
 * the number of quotes before its end is even. A record with broken quotes is in the block after the records before it.
 */
function* blocksOf(text: string, length: number): Generator<{ block: string; linesBefore: number }> {
  let isQuoted = false
  let start = 0
  let linesBefore = 0
  let lines = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '"') isQuoted = !isQuoted
    if (text[index] !== '\n') continue
    lines++
    if (isQuoted || index - start < length) continue
    yield { block: text.slice(start, index + 1), linesBefore }
    start = index + 1
    linesBefore = lines
  }
  yield { block: text.slice(start), linesBefore }
}

/** Returns the separator that occurs most often in the first line that is not blank; headings contain no separator. */
function findSeparator(text: string): string {
  const header = text.split('\n').find((line) => line.trim() !== '') ?? ''
  const countOf = (separator: string) => header.split(separator).length
  return SEPARATORS.toSorted((a, b) => countOf(b) - countOf(a))[0] as string
}

function readHeader({ line, fields }: CsvRecord, isChange: boolean, faults: RowFault[]): Column[] | undefined {
  const columns: Column[] = []
  let isSound = true
  const addFault = (field: string | null, code: string, message: string, details?: Details) => {
    isSound = false
    faults.push(faultAt(line, field, code, message, details))
  }
  const headings = fields.map((field) => field.trim())
  const hasFirstName = headings.some((heading) => COLUMNS.get(heading.toLowerCase()) === 'first_name')
  for (const [index, heading] of headings.entries()) {
    // Beside a first name, „Name“ is the family name.
    const isFamilyName = hasFirstName && heading.toLowerCase() === 'name'
    const column = isFamilyName ? 'last_name' : COLUMNS.get(heading.toLowerCase())
    if (heading === '') {
      const details = { column: index + 1 }
      addFault(null, 'heading_missing', `Die ${index + 1}. Spalte hat keine Überschrift`, details)
    } else if (column === undefined) {
      addFault(heading.slice(0, 50).toWellFormed(), 'unknown_column', 'Diese Spalte ist unbekannt')
    } else if (columns.includes(column)) {
      addFault(column, 'column_twice', `Die Spalte „${heading}“ gibt es zweimal`, { heading })
    } else columns.push(column)
  }
  if (!isSound) return undefined
  if (!columns.includes('username') && !(isChange && columns.includes('personnel_number')))
    addFault('username', 'username_column_missing', 'Die Spalte „username“ (Benutzername) fehlt')
  if (columns.includes('display_name') && (columns.includes('first_name') || columns.includes('last_name'))) {
    addFault('display_name', 'two_kinds_of_names', 'Entweder ein Name oder Vorname und Nachname, nicht beides')
  }
  if (columns.includes('team') && columns.includes('teams')) {
    addFault('team', 'team_and_teams', 'Entweder die Spalte „team“ oder die Spalte „teams“, nicht beide')
  }
  return isSound ? columns : undefined
}
