import { posix } from 'node:path'
import { hasControls } from '../../text/text.js'
import type { Fault, ReportFault, SlugPlace, Warning } from '../types.js'
import { type Fields, readList, readTextField } from './front-matter.js'

const MAX_SLUG_LENGTH = 200
/** Number of characters reserved for the suffix that makes a slug unique */
const SUFFIX_ROOM = 10

// `all` stands for all decks in stored results. A deck `export-anki` or a sheet `search` could not be addressed,
// because routes have these names.
export const RESERVED_DECKS = ['all', 'export-anki']
export const RESERVED_SHEETS = ['search']

// Browsers resolve `.` and `..` in a path before they send the request, so these slugs cannot be addressed.
const UNREACHABLE = ['.', '..']

/** Returns the slug, by default the file name. If the slug is invalid, reports a fault and returns undefined. */
export function readSlug(
  file: string,
  fields: Fields,
  reserved: readonly string[],
  report: ReportFault,
): SlugPlace | undefined {
  const field = fields.get('slug')
  const line = field?.line ?? 1
  // File systems compose umlauts differently, and a slug must not depend on the file system.
  const slug = field ? readTextField(fields, 'slug', report) : posix.basename(file, '.md').normalize('NFC')
  if (slug === undefined) return undefined
  if (hasControls(slug)) report(line, '„slug“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten')
  else if (isLonger(slug, MAX_SLUG_LENGTH)) report(line, `„slug“ darf höchstens ${MAX_SLUG_LENGTH} Zeichen lang sein`)
  else if (reserved.includes(slug) || UNREACHABLE.includes(slug)) report(line, `Der Slug „${slug}“ ist reserviert`)
  else return { file, line, slug }
  return undefined
}

const WRITTEN_OUT: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/**
 * Returns a slug for a name; an empty string if the name contains no letter or digit.
 * @example slugFrom('Netz::TCP/IP') // 'netz-tcp-ip'
 */
export function slugFrom(name: string): string {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => WRITTEN_OUT[letter] as string)
    .normalize('NFD')
    // Removes accents, as in é and й. Vowel signs of Indic scripts stay, because removing them would change the word.
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .match(/[\p{L}\p{M}\p{N}]+/gu)
  return (words ?? []).join('-')
}

/** Assigns slugs that are neither taken nor reserved, with a suffix `-2`, `-3` and so on if needed. */
export class FreeSlugs {
  readonly #taken: Set<string>
  readonly #reserved: readonly string[]
  readonly #fallback: string
  readonly #next = new Map<string, number>()

  constructor(taken: Iterable<string>, reserved: readonly string[], fallback: string) {
    this.#taken = new Set(taken)
    this.#reserved = [...reserved, ...UNREACHABLE]
    this.#fallback = fallback
  }

  take(wanted: string): string {
    const base = [...wanted].slice(0, MAX_SLUG_LENGTH - SUFFIX_ROOM).join('') || this.#fallback
    let slug = base
    for (let number = this.#next.get(base) ?? 2; this.#taken.has(slug) || this.#reserved.includes(slug); number++) {
      slug = `${base}-${number}`
      this.#next.set(base, number + 1)
    }
    this.#taken.add(slug)
    return slug
  }
}

/** Returns all aliases of a deck, which are its former slugs; reports a fault for each invalid alias. */
export function readAliases(file: string, fields: Fields, report: ReportFault): SlugPlace[] {
  const { texts, line } = readList(fields, 'aliases', report)
  for (const slug of texts) {
    if (slug === '' || hasControls(slug) || isLonger(slug, MAX_SLUG_LENGTH)) {
      report(line, `„aliases“: „${slug}“ ist kein Slug`)
    }
  }
  return texts.map((slug) => ({ file, line, slug }))
}

/** Returns whether the text has more than `limit` code points, without counting a long text to its end. */
function isLonger(text: string, limit: number): boolean {
  return text.length > limit && [...text.slice(0, 2 * limit + 2)].length > limit
}

/** Returns a fault for each slug that an earlier file uses. `places` contains one kind of content, such as decks. */
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

/**
 * Returns a warning for each file that is skipped because its slug belongs to a source.
 * @param item `Das Deck`, `Der Spickzettel` or `Der Test`
 * @param owners names of the sources by slug
 */
export function findForeignSlugs(
  item: string,
  places: readonly SlugPlace[],
  owners: ReadonlyMap<string, string>,
): Warning[] {
  return places.flatMap(({ file, line, slug }) => {
    const owner = owners.get(slug)
    if (owner === undefined) return []
    return { file, line, message: `${item} „${slug}“ gehört der Quelle „${owner}“; die Datei wird nicht gelesen` }
  })
}

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
