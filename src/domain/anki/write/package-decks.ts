import type { PackageDeck } from './package-schema.js'

/** Parent of all our decks in Anki */
const ROOT = 'svc-training'
/** Anki uses milliseconds as ids and refuses those of the future. */
const FIRST_ID = 1_500_000_000_000

/**
 * The decks of a package, each with those above it. Anki identifies decks by their names, ignoring case: of decks with
 * the same name, all but the first get their slug as a suffix.
 */
export class PackageDecks {
  readonly #byName = new Map<string, PackageDeck>()
  /** Ids of decks of ours; the others only hold them. */
  readonly #taken = new Set<number>()

  constructor() {
    this.idOf(ROOT)
  }

  /**
   * Adds a deck and returns its id. Its name is `svc-training::<name>`, with the slug behind it if that one is taken.
   */
  add(name: string, slug: string): number {
    let id = this.idOf(`${ROOT}::${name}`)
    for (let free = `${name} (${slug})`; this.#taken.has(id); free += ` (${slug})`) id = this.idOf(`${ROOT}::${free}`)
    this.#taken.add(id)
    return id
  }

  list(): PackageDeck[] {
    return [...this.#byName.values()]
  }

  private idOf(name: string): number {
    const clean = cleanName(name)
    const key = clean.toLowerCase()
    const known = this.#byName.get(key)
    if (known !== undefined) return known.id
    const end = clean.lastIndexOf('::')
    if (end >= 0) this.idOf(clean.slice(0, end))
    const deck = { id: FIRST_ID + this.#byName.size, name: clean }
    this.#byName.set(key, deck)
    return deck.id
  }
}

/** Removes the parent deck that our packages add. */
export function withoutRoot(name: string): string {
  return name.startsWith(`${ROOT}::`) ? name.slice(ROOT.length + 2) : name
}

/** Anki removes quotes and control characters and calls an empty name `blank`. */
function cleanName(name: string): string {
  return name
    .normalize('NFC')
    .split('::')
    .map(
      (part) =>
        part
          .replaceAll('"', "'")
          .replaceAll(/\p{Cc}+/gu, ' ')
          .trim() || 'blank',
    )
    .join('::')
}
