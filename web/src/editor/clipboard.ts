import { parseCells } from './cells.js'

/** Data of a paste */
export interface Offer {
  text: string
  html: string
  files: readonly File[]
}

export type Pasted =
  | { kind: 'cells'; rows: string[][] }
  | { kind: 'html'; html: string }
  | { kind: 'pictures'; files: File[] }
  /** Plain text, which the browser inserts itself */
  | { kind: 'text' }

/** Elements that Markdown can express. Other markup is ignored, because programs also wrap plain text in markup. */
const MEANING = /<(?:a|b|blockquote|code|em|h[1-6]|i|img|li|pre|strong|table)[\s>]/i
/** Google Docs wraps all content in an element `b` that does not mean bold text. */
const WRAPPER = /<b style="font-weight:\s*normal/i

/** Marker of a list that Word copies as a separate cell, such as `1.` or `·` */
const MARKER = /^(?:[·•◦▪§o*–-]|\w{1,4}[.)])$/

/**
 * Chooses what to insert. A spreadsheet offers cells, markup and a picture of the same selection, so cells take
 * precedence and pictures come last. Word paragraphs that are divided by tabs are cells as well; code with tabs stays
 * text.
 */
export function choosePasted({ text, html, files }: Offer): Pasted {
  const rows = parseCells(text)
  if (rows !== undefined && (/<table[\s>]/i.test(html) || (html === '' && isGrid(rows)) || isParagraphs(rows, html))) {
    return { kind: 'cells', rows }
  }
  if (MEANING.test(html.replace(WRAPPER, '<span'))) return { kind: 'html', html }
  const pictures = files.filter(({ type }) => type.startsWith('image/'))
  return text === '' && pictures.length > 0 ? { kind: 'pictures', files: pictures } : { kind: 'text' }
}

/**
 * Whether the rows are a table and not indented code, whose lines start with a tab or differ in their number of tabs
 */
function isGrid(rows: string[][]): boolean {
  const [width = 0] = rows.map((row) => row.length)
  return width > 1 && rows.every((row) => row.length === width && row[0] !== '')
}

function isParagraphs(rows: string[][], html: string): boolean {
  const isList = rows.every(([first = '']) => MARKER.test(first.trim()))
  return rows.length > 1 && /<p[\s>]/i.test(html) && isGrid(rows) && !isList
}
