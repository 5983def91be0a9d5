import { hasControls, toLine } from '../../text/text.js'
import type { SheetSource, Translation } from '../types.js'
import { TOP_CATEGORY } from './parse-sheet.js'
import { writeTranslation } from './translation.js'
import { writeFrontMatter } from './write-front-matter.js'

type WrittenSheet = Omit<SheetSource, 'slug' | 'translation'> & Partial<Pick<Translation, 'lang' | 'translation_of'>>

/**
 * Writes a cheat sheet file from which `parseSheet` returns the same sheet. Replaces an empty title or category, and
 * control characters in them, which the format does not allow.
 * @param slug undefined if the file name implies it
 * @example
 * writeSheet({ title: 'Log', category: 'Git', content_md: 'x', draft: false }, 'log')
 * // '---\nslug: log\ntitle: Log\ncategory: Git\n---\nx'
 */
export function writeSheet(
  { title, category, content_md, draft, ...translation }: WrittenSheet,
  slug: string | undefined,
): string {
  const fields = {
    title: asLine(title) || (slug ?? 'Spickzettel'),
    category: asLine(category) || TOP_CATEGORY,
    ...writeTranslation(translation),
    ...(draft && { draft }),
  }
  return writeFrontMatter({ ...(slug !== undefined && { slug }), ...fields }) + content_md
}

/** Returns the text, on one line if it has control characters; an empty string if it is blank. */
function asLine(text: string): string {
  return hasControls(text) || text.trim() === '' ? toLine(text) : text
}
