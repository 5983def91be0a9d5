import { posix } from 'node:path'
import { type Fields, hasControls, readList, readTextField } from './front-matter.js'
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

/** The slugs that a deck had before. */
export function readAliases(file: string, fields: Fields, report: Report): SlugPlace[] {
  const { texts, line } = readList(fields, 'aliases', report)
  for (const slug of texts) {
    if (slug === '' || hasControls(slug) || isLonger(slug, MAX_SLUG_LENGTH)) {
      report(line, `„aliases“: „${slug}“ ist kein Slug`)
    }
  }
  return texts.map((slug) => ({ file, line, slug }))
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

/** A fault for each slug that belongs to an uploaded source, whose names are given by slug. */
export function findForeignSlugs(places: readonly SlugPlace[], owners: ReadonlyMap<string, string>): Fault[] {
  return places.flatMap(({ file, line, slug }) => {
    const owner = owners.get(slug)
    if (owner === undefined) return []
    return { file, line, message: `Der Slug „${slug}“ gehört der Quelle „${owner}“` }
  })
}

/** A fault for each alias that is the slug of a file or that an earlier file has already. */
export function findTakenAliases(aliases: readonly SlugPlace[], slugs: readonly SlugPlace[]): Fault[] {
  const files = new Map(slugs.map(({ slug, file }) => [slug, file]))
  const first = new Map<string, string>()
  const faults: Fault[] = []
  for (const { file, line, slug } of aliases) {
    const taken = files.get(slug)
    const other = first.get(slug)
    if (taken !== undefined) faults.push({ file, line, message: `Der Alias „${slug}“ ist der Slug von ${taken}` })
    else if (other !== undefined) faults.push({ file, line, message: `Den Alias „${slug}“ hat schon ${other}` })
    else first.set(slug, file)
  }
  return faults
}
