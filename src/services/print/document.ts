import { createRequire } from 'node:module'
import path from 'node:path'
import { type Font, openSync } from 'fontkit'
import Pdf from 'pdfkit'

export type Document = InstanceType<typeof Pdf>

export const MARGIN = 64
export const SMALL = 9
export const TEXT = 11
export const MUTED = '#444444'
/** Ligatures would be one character for programs that read the text. */
const FEATURES: PDFKit.Mixins.OpenTypeFeatures[] = ['kern', 'mark', 'mkmk']
/** Stands for a character that the fonts lack. */
const MISSING = '\ufffd'

const FONTS = path.join(path.dirname(createRequire(import.meta.url).resolve('@embedpdf/fonts-latin')), '../fonts')
// PDFKit parses a file once per document if it is named by its path, but again for each use of a second name.
const REGULAR = path.join(FONTS, 'NotoSans-Regular.ttf')
const BOLD = path.join(FONTS, 'NotoSans-Bold.ttf')
/** Tells which characters the fonts have, which PDFKit does not. Regular and Bold have the same. */
const GLYPHS = openSync(REGULAR) as Font

/**
 * Returns the bytes of a PDF: A4, tagged, in German, with embedded fonts. The same content and moment give the same
 * bytes.
 * @param write writes the content
 */
export async function createPdf(
  { title, at, ...options }: { title: string; at: Date } & Pick<PDFKit.PDFDocumentOptions, 'margins' | 'bufferPages'>,
  write: (document: Document) => void,
): Promise<Buffer> {
  const document = new Pdf({
    ...{ size: 'A4', margins: { top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN }, ...options },
    ...{ pdfVersion: '1.7', tagged: true, lang: 'de-DE', displayTitle: true },
    font: REGULAR,
    info: { Title: title, CreationDate: at, ModDate: at },
  })
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const isFinished = new Promise((resolve) => document.once('end', resolve))
  write(document)
  document.end()
  await isFinished
  return Buffer.concat(chunks)
}

export interface TextStyle extends PDFKit.Mixins.TextOptions {
  isBold?: boolean
  /** In points */
  fontSize?: number
  color?: string
  /** Default: the position of the document */
  x?: number
  y?: number
}

/** Writes text at the position of the document. Characters that the fonts lack are replaced. */
export function writeText(document: Document, text: string, style: TextStyle = {}): void {
  const { x, y, ...options } = choose(document, style)
  document.text(printable(text), x, y, options)
}

/** Returns the height that `writeText` takes, in points. */
export function heightOf(document: Document, text: string, style: TextStyle): number {
  const { x: _x, y: _y, ...options } = choose(document, style)
  return document.heightOfString(printable(text), options)
}

/** Sets font and color, and returns the other options. */
function choose(document: Document, { isBold = false, fontSize = TEXT, color = 'black', ...options }: TextStyle) {
  document
    .font(isBold ? BOLD : REGULAR)
    .fontSize(fontSize)
    .fillColor(color)
  return { features: FEATURES, ...options }
}

/** Whether the fonts contain all characters of a text: they cover Latin, Greek and Cyrillic. */
export function isPrintable(text: string): boolean {
  return !printable(text).includes(MISSING)
}

function printable(text: string): string {
  // Programs that read the text often take combining marks for separate characters.
  return [...text.normalize('NFC')]
    .map((character) => (GLYPHS.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : MISSING))
    .join('')
}

/** @example inGerman('2026-12-31') // '31.12.2026' */
export function inGerman(day: string): string {
  return day.split('-').reverse().join('.')
}
