/**
 * A record with the number of its first line, because fields may contain line breaks; or a fault with the line number
 * of the field
 */
export type TableRecord = { line: number; fields: string[] } | { line: number; fault: string }

const UNCLOSED = 'Anführungszeichen nicht geschlossen'
const TRAILING = 'hinter dem schließenden Anführungszeichen steht noch Text'

/**
 * Splits CSV text into records (RFC 4180). A quote inside of an unquoted field is literal, as spreadsheets read it.
 * Skips records without text. After a fault, continues on the next line, so that further faults are found.
 * @param line number of the first line, from 1
 * @example [...splitRecords('a;b', ';')] // [{ line: 1, fields: ['a', 'b'] }]
 */
export function* splitRecords(text: string, separator: string, line = 1): Generator<TableRecord> {
  let at = 0
  let now = line
  while (at < text.length) {
    const begin = now
    const fields: string[] = []
    let fault: string | undefined
    for (;;) {
      at = startOfField(text, at, separator)
      if (text[at] !== '"') {
        const end = endOfField(text, at, separator)
        fields.push(text.slice(at, end))
        at = end
      } else {
        const field = readQuoted(text, at)
        const end = field?.end ?? text.length
        const isWhole = field !== undefined && (end === text.length || text[end] === separator || text[end] === '\n')
        if (!isWhole) {
          const lineEnd = nextLine(text, at)
          // A quote on a later line most likely starts another field, so the field is treated as unclosed.
          fault = field !== undefined && end < lineEnd ? TRAILING : UNCLOSED
          yield { line: now, fault }
          at = lineEnd
          now++
          break
        }
        fields.push(field.text)
        now += field.lines
        at = end
      }
      if (text[at] !== separator) {
        at++
        now++
        break
      }
      at++
    }
    if (fault === undefined && fields.some((field) => field.trim() !== '')) yield { line: begin, fields }
  }
}

/**
 * Returns the start of a field; for a quoted field that follows spaces, such as `a, "b"`, its quote. Spaces before a
 * field that is not entirely quoted belong to it.
 */
function startOfField(text: string, from: number, separator: string): number {
  if (text[from] !== ' ') return from
  let at = from
  while (text[at] === ' ') at++
  const end = text[at] === '"' ? readQuoted(text, at)?.end : undefined
  return end !== undefined && (end === text.length || text[end] === separator || text[end] === '\n') ? at : from
}

function endOfField(text: string, from: number, separator: string): number {
  let at = from
  while (at < text.length && text[at] !== separator && text[at] !== '\n') at++
  return at
}

/** Parses a quoted field. Returns undefined if the quote is not closed. */
function readQuoted(text: string, from: number): { text: string; end: number; lines: number } | undefined {
  let field = ''
  let start = from + 1
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', start)) {
    field += text.slice(start, quote)
    if (text[quote + 1] !== '"') return { text: field, end: quote + 1, lines: field.split('\n').length - 1 }
    field += '"'
    start = quote + 2
  }
  return undefined
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end + 1
}

/** In order of preference: texts contain commas more often than semicolons, and hardly ever tabs. */
export const SEPARATORS = ['\t', ';', ',', '|'] as const
/** Maximum number of records, and their length in UTF-16 code units, that `guessSeparator` looks at */
const GUESSED_RECORDS = 20
const GUESSED_LENGTH = 2 ** 18

/**
 * Guesses the separator from the first records: the one with the highest share of records that have the same number of
 * columns, at least two; of several, the one that gives two; of these, the first of `SEPARATORS`. A tab in each record
 * wins. Compares shares, because a wrong separator also splits quoted fields into records at their line breaks.
 * @example guessSeparator('schnell, rasch;fast, quick') // ';'
 */
export function guessSeparator(text: string): string {
  const head = text.slice(0, GUESSED_LENGTH)
  const found = SEPARATORS.map((separator) => {
    const counts = countFields(head, separator)
    const isInEach = counts.length > 0 && counts.every((count) => count > 1)
    return {
      separator,
      isTabInEach: separator === '\t' && isInEach,
      ...mostCommon(counts),
    }
  })
  const [best] = found.sort(
    (a, b) =>
      Number(b.isTabInEach) - Number(a.isTabInEach) ||
      b.share - a.share ||
      Number(b.fields === 2) - Number(a.fields === 2),
  )
  return best !== undefined && best.share > 0 ? best.separator : ';'
}

/**
 * Removes the pipes at both ends of the rows of a Markdown table, and its line of dashes.
 * @example [...withoutOuterPipes(splitRecords('| a | b |\n|---|---|', '|'))] // [{ line: 1, fields: [' a ', ' b '] }]
 */
export function* withoutOuterPipes(records: Iterable<TableRecord>): Generator<TableRecord> {
  for (const record of records) {
    if ('fault' in record) {
      yield record
      continue
    }
    const { line, fields } = record
    const hasPipes = fields.length > 2 && fields[0]?.trim() === '' && fields.at(-1)?.trim() === ''
    const inner = hasPipes ? fields.slice(1, -1) : fields
    if (!hasPipes || !inner.every((field) => DASHES.test(field))) yield { line, fields: inner }
  }
}

const DASHES = /^ *:?-+:? *$/

/**
 * Splits CSV text into records as `splitRecords` does, and also splits rows that a spreadsheet has quoted as a whole:
 * it does so if it opens a table with another separator, and saves it again.
 * @example [...readRecords('"a, b;c"\n"d, e;f"', ';')] // [{ line: 1, fields: ['a, b', 'c'] }, …]
 */
export function readRecords(text: string, separator: string, line = 1): Generator<TableRecord> {
  const records = splitRecords(text, separator, line)
  return hasWrappedRows(text, separator) ? unwrapRows(records, separator) : records
}

function* unwrapRows(records: Iterable<TableRecord>, separator: string): Generator<TableRecord> {
  for (const record of records) {
    const cell = wrappedRow(record, separator)
    const [inner] = cell === undefined ? [] : splitRecords(cell, separator)
    yield inner !== undefined && 'fields' in inner ? { line: record.line, fields: inner.fields } : record
  }
}

/** Minimum number of rows quoted as a whole; a single one may be a title above the table. */
const MIN_WRAPPED = 2

function hasWrappedRows(text: string, separator: string): boolean {
  let wrapped = 0
  let seen = 0
  for (const record of splitRecords(text, separator)) {
    if (wrappedRow(record, separator) !== undefined) wrapped++
    if (++seen === GUESSED_RECORDS || wrapped === MIN_WRAPPED) break
  }
  return wrapped === MIN_WRAPPED
}

/** Returns the only cell of a record if it contains the separator, and another separator or a quote. */
function wrappedRow(record: TableRecord, separator: string): string | undefined {
  const [cell = '', ...others] = 'fields' in record ? record.fields : []
  const isWrapped =
    others.length === 0 &&
    cell.includes(separator) &&
    !cell.includes('\n') &&
    [...SEPARATORS, '"'].some((sign) => sign !== separator && cell.includes(sign))
  return isWrapped ? cell : undefined
}

/** Returns the numbers of fields of the first records; 1 for a record with a fault. */
function countFields(text: string, separator: string): number[] {
  const counts: number[] = []
  for (const record of readRecords(text, separator)) {
    counts.push('fields' in record ? record.fields.length : 1)
    if (counts.length === GUESSED_RECORDS) break
  }
  return counts
}

/** Returns the most common number of fields above 1, and the share of records that have it, from 0 to 1. */
function mostCommon(counts: readonly number[]): { fields: number; share: number } {
  const records = new Map<number, number>()
  for (const count of counts) if (count > 1) records.set(count, (records.get(count) ?? 0) + 1)
  const [fields, most] = [...records].sort(([a, x], [b, y]) => y - x || a - b)[0] ?? [0, 0]
  return { fields, share: most === 0 ? 0 : most / counts.length }
}
