import { parseCells } from './cells.js'

export interface PasteData {
  text: string
  html: string
  files: readonly File[]
}

export type Pasted =
  | { kind: 'cells'; rows: string[][] }
  | { kind: 'html'; html: string }
  | { kind: 'pictures'; files: File[] }
  /** Plain text that the browser inserts. An address can instead turn the selected text into a link. */
  | { kind: 'text' }

/** Pasted HTML is converted if it contains one of these elements; programs also wrap plain text in other elements. */
const MARKUP = /<(?:a|b|blockquote|code|em|h[1-6]|i|img|li|pre|strong|table)[\s>]/i
/** Item of a list of Word or Outlook, which is a paragraph with a style */
const WORD_LIST = /mso-list:\s*(?:l\d|ignore)/i
/** Start of the `b` element that wraps all content copied from Google Docs, without making the content bold */
const WRAPPER = /<b style="font-weight:\s*normal/i

/** List marker that Word copies as a separate cell, such as `1.` or `·` */
const MARKER = /^(?:[·•◦▪§o*–-]|\w{1,4}[.)])$/

/**
 * Chooses what to insert from the clipboard. A spreadsheet offers cells, markup and a picture of the same selection, so
 * cells take precedence and pictures come last. Word paragraphs with tabs are also cells; indented code stays text.
 * @example parsePaste({ text: 'a\tb', html: '', files: [] }) // { kind: 'cells', rows: [['a', 'b']] }
 */
export function parsePaste({ text, html, files }: PasteData): Pasted {
  const rows = parseCells(text)
  if (rows !== undefined && (/<table[\s>]/i.test(html) || (html === '' && isGrid(rows)) || isParagraphs(rows, html))) {
    return { kind: 'cells', rows }
  }
  if (MARKUP.test(html.replace(WRAPPER, '<span')) || WORD_LIST.test(html)) return { kind: 'html', html }
  const pictures = files.filter(({ type }) => type.startsWith('image/'))
  return text === '' && pictures.length > 0 ? { kind: 'pictures', files: pictures } : { kind: 'text' }
}

/** Returns whether the rows are a table. Lines of indented code start with a tab or differ in their number of tabs. */
function isGrid(rows: string[][]): boolean {
  const [width = 0] = rows.map((row) => row.length)
  return width > 1 && rows.every((row) => row.length === width && row[0] !== '')
}

function isParagraphs(rows: string[][], html: string): boolean {
  const isList = rows.every(([first = '']) => MARKER.test(first.trim()))
  return rows.length > 1 && /<p[\s>]/i.test(html) && isGrid(rows) && !isList
}
