/** Tags that Anki itself sets on a note. */
const OWN_TAGS = new Set(['marked', 'leech'])

/** The level of a card without any tag. */
export const FALLBACK_LEVEL = 'import'

/**
 * The tag that stands for a level in a package; tags hold no spaces.
 * @example tagOfLevel('sehr schwer') // 'sehr_schwer'
 */
export function tagOfLevel(level: string): string {
  return level.trim().replaceAll(/[\s\u3000\p{Cc}]+/gu, '_')
}

/** The levels in the store, by the tags that stand for them. */
export class Levels {
  readonly #levels: ReadonlySet<string>
  readonly #byTag = new Map<string, string>()

  constructor(levels: Iterable<string>) {
    this.#levels = new Set(levels)
    for (const level of this.#levels) {
      const tag = fold(level)
      if (!this.#byTag.has(tag)) this.#byTag.set(tag, level)
    }
  }

  /** The level of exactly that name, else the one whose tag it is, ignoring case; undefined when there is none. */
  find(tag: string): string | undefined {
    return this.#levels.has(tag) ? tag : this.#byTag.get(fold(tag))
  }
}

/**
 * The level of a card: the level that its first tag with one stands for, else its first tag.
 * @example levelOf('marked Grundlagen', new Levels(['grundlagen'])) // 'grundlagen'
 */
export function levelOf(tags: string, levels: Levels): string {
  const names = tags.split(/[\s\u3000\p{Cc}]+/u).filter((tag) => tag !== '' && !OWN_TAGS.has(tag.toLowerCase()))
  for (const tag of names) {
    const level = levels.find(tag)
    if (level !== undefined) return level
  }
  return names[0] ?? FALLBACK_LEVEL
}

function fold(level: string): string {
  return tagOfLevel(level).normalize('NFC').toLowerCase()
}
