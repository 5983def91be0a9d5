import type { SheetSource } from './types.js'
import { writeFrontMatter } from './write-front-matter.js'

const TOP_CATEGORY = 'Allgemein'

/** A cheat sheet as a file, from which `parseSheet` reads the same. @param slug undefined when the file's name says it */
export function writeSheet(
  { title, category, content_md }: Omit<SheetSource, 'slug'>,
  slug: string | undefined,
): string {
  const fields = {
    title: title.trim() === '' ? (slug ?? 'Spickzettel') : title,
    category: category.trim() === '' ? TOP_CATEGORY : category,
  }
  return writeFrontMatter({ ...(slug !== undefined && { slug }), ...fields }) + content_md
}
