import { createRequire } from 'node:module'
import path from 'node:path'
import { type Font, openSync } from 'fontkit'
import Pdf from 'pdfkit'
import type { Language } from '../../domain/text/language.js'

export type Document = InstanceType<typeof Pdf>

export const MARGIN = 64
export const SMALL = 9
export const TEXT = 11
export const MUTED = '#444444'
/** OpenType features; naming them also lets PDFKit lay out a line as a whole, with the space between words */
const FEATURES: PDFKit.Mixins.OpenTypeFeatures[] = ['kern', 'mark', 'mkmk']
/** Replacement for characters that the fonts lack */
const MISSING = '\ufffd'

const FONTS = path.join(path.dirname(createRequire(import.meta.url).resolve('@embedpdf/fonts-latin')), '../fonts')
// All documents of a thread share the fonts, because parsing them takes 100 ms. Both have the same characters.
const REGULAR = openFont('NotoSans-Regular.ttf')
const BOLD = openFont('NotoSans-Bold.ttf')

/**
 * Parses a font and creates its glyphs. A glyph keeps the characters for which it was created, and they are the text of
 * the PDF; without this, „ẹ“ in one document, printed as „e“ with a dot, would change the text of „e“ in the next ones.
 * Ligatures come first, as their letters.
 */
function openFont(name: string): Font {
  const font = openSync(path.join(FONTS, name)) as Font
  font.layout('ff fi fl ffi ffl')
  for (const character of font.characterSet) font.glyphForCodePoint(character)
  return font
}

/**
 * Returns the bytes of a PDF: A4, tagged, with embedded fonts. The output is deterministic for the same
 * content and `at`.
 * @param lang language of the words (BCP 47), for screen readers
 * @param write writes the content
 */
export async function createPdf(
  {
    title,
    at,
    lang,
    ...options
  }: { title: string; at: Date; lang: string } & Pick<PDFKit.PDFDocumentOptions, 'margins' | 'bufferPages'>,
  write: (document: Document) => void,
): Promise<Buffer> {
  const document = new Pdf({
    size: 'A4',
    margins: { top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN },
    ...options,
    pdfVersion: '1.7',
    tagged: true,
    lang,
    displayTitle: true,
    // Otherwise PDFKit loads Helvetica.
    font: '',
    info: { Title: title, CreationDate: at, ModDate: at },
  })
  // PDFKit takes parsed fonts, but its types do not know that yet.
  document.registerFont('regular', REGULAR as unknown as PDFKit.Mixins.PDFFontSource)
  document.registerFont('bold', BOLD as unknown as PDFKit.Mixins.PDFFontSource)
  document.font('regular')
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
  fontSize?: number
  color?: string
  /** Horizontal position in points; default: the position of the document */
  x?: number
  /** Vertical position in points; default: the position of the document */
  y?: number
}

/** Writes text. Characters that the fonts lack are replaced with U+FFFD. */
export function writeText(document: Document, text: string, style: TextStyle = {}): void {
  const { x, y, ...options } = choose(document, style)
  document.text(printable(text), x, y, options)
}

/** Returns the height of the text as `writeText` writes it, in points. */
export function heightOf(document: Document, text: string, style: TextStyle): number {
  const { x: _x, y: _y, ...options } = choose(document, style)
  return document.heightOfString(printable(text), options)
}

function choose(document: Document, { isBold = false, fontSize = TEXT, color = 'black', ...options }: TextStyle) {
  document
    .font(isBold ? 'bold' : 'regular')
    .fontSize(fontSize)
    .fillColor(color)
  return { features: FEATURES, ...options }
}

/** Returns whether the fonts contain all characters of a text. They cover Latin, Greek and Cyrillic. */
export function isPrintable(text: string): boolean {
  return !printable(text).includes(MISSING)
}

function printable(text: string): string {
  // Composes characters, because screen readers often read combining marks as separate characters.
  return [...text.normalize('NFC')]
    .map((character) => (REGULAR.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : MISSING))
    .join('')
}

const ENGLISH_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/**
 * Formats a day (`YYYY-MM-DD`).
 * @example formatDay('2026-12-31', 'de') // '31.12.2026'
 * @example formatDay('2026-12-31', 'en') // '31 December 2026'
 */
export function formatDay(day: string, language: Language): string {
  return language === 'de' ? day.split('-').reverse().join('.') : ENGLISH_DAY.format(new Date(`${day}T00:00:00Z`))
}
