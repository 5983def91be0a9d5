import { posix } from 'node:path'
import { type Fields, hasControls, readTextField } from './front-matter.js'
import type { Fault, Report, SlugPlace } from './types.js'

const MAX_SLUG_LENGTH = 200

// A browser takes `.` and `..` out of a path before it asks.
const UNREACHABLE = ['.', '..']

/** The slug that the front matter gives or, by default, the file's name; undefined, with a fault, when it is unusable. */
export function readSlug(
  file: string,
  fields: Fields,
  reserved: readonly string[],
  report: Report,
): SlugPlace | undefined {
  const field = fields.get('slug')
  const line = field?.line ?? 1
  // File systems differ in how they compose umlauts; the identity of a deck must not.
  const slug = field ? readTextField(fields, 'slug', report) : posix.basename(file, '.md').normalize('NFC')
  if (slug === undefined) return undefined
  if (hasControls(slug)) report(line, '„slug“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten')
  else if (isLonger(slug, MAX_SLUG_LENGTH)) report(line, `„slug“ darf höchstens ${MAX_SLUG_LENGTH} Zeichen lang sein`)
  else if (reserved.includes(slug) || UNREACHABLE.includes(slug)) report(line, `Der Slug „${slug}“ ist reserviert`)
  else return { file, line, slug }
  return undefined
}

/** Counts code points, and no more of them than it must. */
function isLonger(text: string, limit: number): boolean {
  return text.length > limit && [...text.slice(0, 2 * limit + 2)].length > limit
}

/** A fault for each slug that an earlier file has already. All places are of one kind, decks or sheets. */
export function findDuplicateSlugs(places: readonly SlugPlace[]): Fault[] {
  const first = new Map<string, string>()
  const faults: Fault[] = []
  for (const { file, line, slug } of places) {
    const other = first.get(slug)
    if (other === undefined) first.set(slug, file)
    else faults.push({ file, line, message: `Der Slug „${slug}“ ist schon in ${other} vergeben` })
  }
  return faults
}
