import type { PackageDeck } from './package-schema.js'

/** Name of the Anki deck that contains all exported decks */
const ROOT = 'svc-training'
/** First deck id. Anki uses timestamps in milliseconds as ids and refuses ids in the future. */
const FIRST_ID = 1_500_000_000_000

/**
 * The decks of a package, including all parent decks. Anki identifies decks by name, ignoring case, so a deck whose
 * name is taken gets its slug as a suffix.
 */
export class PackageDecks {
  readonly #byName = new Map<string, PackageDeck>()
  readonly #taken = new Set<number>()

  constructor() {
    this.idOf(ROOT)
  }

  /** Adds the deck `svc-training::<name>`, with ` (<slug>)` appended if that name is taken, and returns its id. */
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

/** Removes the parent deck that an export adds to the name of a deck; returns other names unchanged. */
export function withoutRootDeck(name: string): string {
  return name.startsWith(`${ROOT}::`) ? name.slice(ROOT.length + 2) : name
}

/** Replaces double quotes and control characters, which Anki removes; empty parts become `blank`, as in Anki. */
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
