import type { SheetSource } from '../types.js'
import { TOP_CATEGORY } from './parse-sheet.js'
import { writeFrontMatter } from './write-front-matter.js'

/**
 * Writes a cheat sheet file from which `parseSheet` returns the same sheet. Replaces an empty title or category, which
 * the format does not allow.
 * @param slug undefined if the file name implies it
 * @example
 * writeSheet({ title: 'Log', category: 'Git', content_md: 'x', draft: false }, 'log')
 * // '---\nslug: log\ntitle: Log\ncategory: Git\n---\nx'
 */
export function writeSheet(
  { title, category, content_md, draft }: Omit<SheetSource, 'slug'>,
  slug: string | undefined,
): string {
  const fields = {
    title: title.trim() === '' ? (slug ?? 'Spickzettel') : title,
    category: category.trim() === '' ? TOP_CATEGORY : category,
    ...(draft && { draft }),
  }
  return writeFrontMatter({ ...(slug !== undefined && { slug }), ...fields }) + content_md
}
