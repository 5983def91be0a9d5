import type { PackageDeck } from './package-schema.js'

/** All of ours lie below this one in Anki. */
const ROOT = 'svc-training'
/** Anki makes ids of milliseconds, and refuses those of the future. */
const FIRST_ID = 1_500_000_000_000

/**
 * The decks of a package, each with those above it. Anki knows decks by their names, case ignored: of decks that are
 * called the same it would make one in any case.
 */
export class PackageDecks {
  readonly #byName = new Map<string, PackageDeck>()

  constructor() {
    this.idOf(ROOT)
  }

  /** The id of the deck `svc-training::<name>`, which is made if there is none. */
  add(name: string): number {
    return this.idOf(`${ROOT}::${name}`)
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

/** The name of the deck that became this one in a package. */
export function withoutRoot(name: string): string {
  return name.startsWith(`${ROOT}::`) ? name.slice(ROOT.length + 2) : name
}

/** Anki takes quotes and control characters away, and names nothing `blank`. */
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
