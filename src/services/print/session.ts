import type { Language } from '../../domain/text/language.js'
import {
  createPdf,
  type Document,
  formatDay,
  heightOf,
  isPrintable,
  MUTED,
  SMALL,
  TEXT,
  writeText,
} from './document.js'
import { SESSION_WORDS, type SessionWords } from './session-words.js'

/** Content of an attendance list on which the participants sign. */
export interface PrintedSession {
  /** Language of the printed words; names and titles are printed as they are */
  language: Language
  title: string
  parts: string[]
  /** Day for which the list is current, as `YYYY-MM-DD` */
  day: string
  at: Date
  persons: { id: number; name: string }[]
}

const MARGIN = 48
/** Bottom margin in points, with space for the page number */
const BOTTOM = 64
const ROW = 34
const PADDING = 6
const NUMBER = 32
const NAME = 230
const LINE = '#888888'

export function printSession(session: PrintedSession): Promise<Buffer> {
  const words = SESSION_WORDS[session.language]
  const margins = { top: MARGIN, bottom: BOTTOM, left: MARGIN, right: MARGIN }
  const options = {
    title: `${words.list}: ${session.title}`,
    at: session.at,
    lang: words.tag,
    margins,
    bufferPages: true,
  }
  return createPdf(options, (document) => {
    const root = document.struct('Document')
    document.addStructure(root)
    writeHead(document, root, session)
    writeTable(document, root, session.persons, words)
    numberPages(document, session)
  })
}

function writeHead(
  document: Document,
  root: PDFKit.PDFStructureElement,
  { title, parts, persons, language }: PrintedSession,
): void {
  const words = SESSION_WORDS[language]
  const add = (type: string, write: () => void) => root.add(document.struct(type, {}, write))
  add('H1', () => writeText(document, words.list, { isBold: true, fontSize: 22 }))
  add('P', () => writeText(document, title, { isBold: true, fontSize: 14 }))
  document.y += 4
  add('P', () => writeText(document, words.content(parts.join(', ')), { fontSize: 10, color: MUTED }))
  document.y += 16
  const right = document.page.width - MARGIN
  const middle = MARGIN + 150
  writeField(document, root, words.day, { from: MARGIN, to: middle - 16 })
  writeField(document, root, words.place, { from: middle, to: right })
  document.y += 30
  writeField(document, root, words.instructor, { from: MARGIN, to: MARGIN + NUMBER + NAME })
  writeField(document, root, words.signature, { from: MARGIN + NUMBER + NAME + 16, to: right })
  document.x = MARGIN
  document.y += 26
  if (!persons.every(({ name }) => isPrintable(name))) {
    add('P', () => writeText(document, words.missingCharacters, { fontSize: SMALL }))
    document.y += 8
  }
}

function writeField(
  document: Document,
  root: PDFKit.PDFStructureElement,
  label: string,
  { from, to }: { from: number; to: number },
): void {
  const { y } = document
  const field = document.struct('P', {}, () =>
    writeText(document, label, { fontSize: SMALL, color: MUTED, x: from, y }),
  )
  root.add(field)
  const start = from + document.widthOfString(label) + 6
  drawLine(document, { from: start, to, y: y + SMALL + 3 })
  document.y = y
}

function writeTable(
  document: Document,
  root: PDFKit.PDFStructureElement,
  persons: readonly { id: number; name: string }[],
  words: SessionWords,
): void {
  const headings: Cells = ['', words.name, words.signature]
  const table = document.struct('Table')
  root.add(table)
  writeRow(document, table, { type: 'TH', cells: headings })
  for (const [index, { id, name }] of persons.entries()) {
    const text = isPrintable(name) ? name : words.numbered(name, id)
    const height = rowHeight(document, text)
    if (document.y + height > document.page.height - BOTTOM) {
      document.addPage()
      // The tagged table has a single header row; the repeated headers of further pages are artifacts.
      writeCells(document, headings, { isHead: true, asCell: (write) => asArtifact(document, write) })
    }
    writeRow(document, table, { type: 'TD', cells: [String(index + 1), text, ''] })
  }
  table.end()
}

type Cells = [number: string, name: string, signature: string]

function writeRow(
  document: Document,
  table: PDFKit.PDFStructureElement,
  { type, cells }: { type: 'TH' | 'TD'; cells: Cells },
): void {
  const row = document.struct('TR')
  table.add(row)
  const isHead = type === 'TH'
  writeCells(document, cells, { isHead, asCell: (write) => row.add(document.struct(type, {}, write)) })
  row.end()
}

const NAME_STYLE = { width: NAME - 12 }

function rowHeight(document: Document, name: string): number {
  return Math.max(ROW, heightOf(document, name, NAME_STYLE) + 2 * PADDING)
}

function writeCells(
  document: Document,
  cells: Cells,
  { isHead, asCell }: { isHead: boolean; asCell: (write: () => void) => unknown },
): void {
  const top = document.y
  const [, name] = cells
  const height = isHead ? TEXT + 2 * PADDING : rowHeight(document, name)
  const style = isHead ? { isBold: true, fontSize: SMALL, color: MUTED } : NAME_STYLE
  const y = isHead ? top + PADDING : top + height - PADDING - heightOf(document, name, NAME_STYLE)
  for (const [index, x] of [MARGIN, MARGIN + NUMBER, MARGIN + NUMBER + NAME].entries()) {
    const text = cells[index] as string
    asCell(() => {
      if (text !== '') writeText(document, text, { ...style, x, y })
    })
  }
  const end = document.page.width - MARGIN
  drawLine(document, { from: MARGIN, to: end, y: top + height })
  document.x = MARGIN
  document.y = top + height
}

function numberPages(document: Document, { title, day, language }: PrintedSession): void {
  const words = SESSION_WORDS[language]
  const { count } = document.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    document.switchToPage(page)
    const width = document.page.width - 2 * MARGIN
    const y = document.page.height - 40
    // PDFKit starts a new page for text in the bottom margin.
    document.page.margins.bottom = 0
    const style = { fontSize: SMALL, color: MUTED, x: MARGIN, y, lineBreak: false }
    asArtifact(document, () => {
      writeText(document, words.asOf(title, formatDay(day, language)), {
        ...style,
        width: width - 100,
        height: 12,
        ellipsis: true,
      })
      writeText(document, words.page(page + 1, count), { ...style, width, align: 'right' })
    })
  }
}

function drawLine(document: Document, { from, to, y }: { from: number; to: number; y: number }): void {
  asArtifact(document, () => document.moveTo(from, y).lineTo(to, y).lineWidth(0.5).strokeColor(LINE).stroke())
}

/** Writes content as an artifact, which screen readers skip. */
function asArtifact(document: Document, write: () => void): void {
  document.markContent('Artifact', { type: 'Layout' })
  write()
  document.endMarkedContent()
}
