const QUESTION = /^(frage|vorderseite|front|question|begriff)$/i
const LEVEL = /^(level|stufe|niveau)$/i

export interface CellCard {
  question: string
  answer: string
  level?: string
}

/**
 * Parses tab-separated cells as Excel and LibreOffice copy them: a cell with a line break, tab or quote is quoted.
 * Returns undefined for text without tabs.
 * @example parseCells('a\t"b\nc"\r\n') // [['a', 'b\nc']]
 */
export function parseCells(text: string): string[][] | undefined {
  if (!text.includes('\t')) return undefined
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at <= text.length) {
    const [cell, end] = readCell(text, at)
    row.push(cell)
    at = end + 1
    if (text[end] === '\t') continue
    rows.push(row)
    row = []
    if (text[end] === '\r' && text[end + 1] === '\n') at += 1
  }
  return rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
}

function readCell(text: string, from: number): [cell: string, end: number] {
  const quoted = text[from] === '"' ? /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y : undefined
  if (quoted !== undefined) {
    quoted.lastIndex = from
    const match = quoted.exec(text)
    if (match !== null) return [(match[1] as string).replaceAll('""', '"').replaceAll('\r\n', '\n'), quoted.lastIndex]
  }
  let end = from
  while (end < text.length && !'\t\r\n'.includes(text[end] as string)) end++
  return [text.slice(from, end), end]
}

/**
 * Returns a Markdown table; the first row becomes the header.
 * @example toTable([['a', 'b'], ['1', '2']]) // '| a | b |\n| --- | --- |\n| 1 | 2 |'
 */
export function toTable(rows: string[][]): string {
  const width = Math.max(...rows.map((row) => row.length))
  const lineOf = (cells: string[]) =>
    `| ${Array.from({ length: width }, (_, at) => escapeCell(cells[at] ?? '')).join(' | ')} |`
  const [head = [], ...body] = rows
  return [lineOf(head), `|${' --- |'.repeat(width)}`, ...body.map(lineOf)].join('\n')
}

function escapeCell(cell: string): string {
  return cell
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
}

/**
 * Converts rows to cards: the first column is the question, the second the answer. A header row yields no card,
 * but can mark a later column as the level. `skipped` is the number of rows that lack a question or an answer.
 * @example toCards([['Frage', 'Antwort'], ['a', 'b']]) // { cards: [{ question: 'a', answer: 'b' }], skipped: 0 }
 */
export function toCards(rows: string[][]): { cards: CellCard[]; skipped: number } {
  const [head = []] = rows
  const hasHead = QUESTION.test(head[0]?.trim() ?? '')
  const level = hasHead ? head.findIndex((cell) => LEVEL.test(cell.trim())) : -1
  const body = hasHead ? rows.slice(1) : rows
  const cards = body.map((row) => {
    const [question = '', answer = ''] = row.map((cell) => cell.trim())
    const named = level > 1 ? (row[level]?.trim() ?? '') : ''
    return { question, answer, ...(named !== '' && { level: named }) }
  })
  const whole = cards.filter(({ question, answer }) => question !== '' && answer !== '')
  return { cards: whole, skipped: cards.length - whole.length }
}
