import { posix } from 'node:path'
import { hasControls } from '../../text/text.js'
import type { Fault, ReportFault, SheetSource, SlugPlace } from '../types.js'
import { findBlocks } from './blocks.js'
import { decodeText } from './decode-text.js'
import { type Fields, readFlag, readTextField, splitFrontMatter } from './front-matter.js'
import { RESERVED_SHEETS, readSlug } from './slug.js'
import { readTranslation, TRANSLATION_KEYS } from './translation.js'

const KEYS = ['slug', 'title', 'category', 'draft', ...TRANSLATION_KEYS]
export const TOP_CATEGORY = 'Allgemein'

/**
 * Parses a cheat sheet file. Front matter is optional: by default, the title is the first `#` heading, the category is
 * the folder, and the slug is the file name.
 * @param file path relative to the content folder, for faults and the default slug and category
 * @returns the sheet, or faults of the file; a valid `slug` is set even for a faulty sheet
 * @example parseSheet('cheatsheets/Git/log.md', Buffer.from('# Log\n')).sheet?.category // 'Git'
 */
export function parseSheet(
  file: string,
  bytes: Uint8Array,
): { sheet?: SheetSource; slug?: SlugPlace | undefined; faults: Fault[] } {
  const faults: Fault[] = []
  const report: ReportFault = (line, message) => faults.push({ file, line, message })
  const text = decodeText(bytes, report)
  const parts = text === undefined ? undefined : splitFrontMatter(text, KEYS, report)
  if (parts === undefined) return { faults }

  // Unreadable front matter may contain the title, so a missing title is not reported as a second fault.
  const isReadable = parts.fields !== undefined || parts.bodyLine === 1
  const fields: Fields = parts.fields ?? new Map()
  const place = isReadable ? readSlug(file, fields, RESERVED_SHEETS, report) : undefined
  const heading = fields.has('title') ? undefined : findTitle(parts.body)
  const title = fields.has('title') ? readTextField(fields, 'title', report) : heading?.text
  if (title === undefined && isReadable && !fields.has('title')) {
    report(1, 'Der Titel fehlt: weder „title“ im Front Matter noch eine Überschrift #')
  }
  const category = fields.has('category') ? readTextField(fields, 'category', report) : findCategory(file)
  const titleLine = heading === undefined ? fields.get('title')?.line : parts.bodyLine + heading.line
  requireLine('Der Titel', title, titleLine ?? 1, report)
  requireLine('Die Kategorie', category, fields.get('category')?.line ?? 1, report)
  const draft = readFlag(fields, 'draft', report)
  const translation = readTranslation(file, fields, report)
  if (faults.length > 0 || place === undefined || title === undefined || category === undefined) {
    return { slug: place, faults: faults.sort((a, b) => a.line - b.line) }
  }
  const sheet = { slug: place.slug, title, category, content_md: parts.body, draft, translation }
  return { sheet, slug: place, faults }
}

function requireLine(name: string, text: string | undefined, line: number, report: ReportFault): void {
  if (text === undefined || !hasControls(text)) return
  report(line, `${name} darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten`)
}

const WINDOW = 2 ** 14

/**
 * Returns the first `#` heading with text and its line, from 0; undefined if there is none. If the beginning of a long
 * sheet contains the heading, parses only the beginning, because later text cannot change the heading.
 */
function findTitle(body: string): { text: string; line: number } | undefined {
  for (let length = WINDOW; ; length *= 2) {
    const newline = body.indexOf('\n', length)
    const first = findBlocks(newline < 0 ? body : body.slice(0, newline)).find(
      ({ heading }) => heading?.depth === 1 && heading.text !== '',
    )
    if (first?.heading !== undefined) return { text: first.heading.text, line: first.line }
    if (newline < 0) return undefined
  }
}

/** Returns the folders between `cheatsheets/` and the file, such as `Git/Server`; `Allgemein` if there are none. */
function findCategory(file: string): string {
  return posix.dirname(file).split('/').slice(1).join('/').normalize('NFC') || TOP_CATEGORY
}
