import { withoutBidiControls } from '../text/text.js'

/** Tags that Anki sets on notes */
const OWN_TAGS = new Set(['marked', 'leech'])

export const FALLBACK_LEVEL = 'import'

/**
 * Returns the tag for a level in an Anki package. Tags contain no white space, so each run of white space becomes `_`.
 * @example tagOfLevel('sehr schwer') // 'sehr_schwer'
 */
export function tagOfLevel(level: string): string {
  return level.trim().replaceAll(/[\s\u3000\p{Cc}]+/gu, '_')
}

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

  /**
   * Returns the level with exactly this name, otherwise the first level whose tag equals `tag`, ignoring case;
   * undefined if there is none.
   */
  find(tag: string): string | undefined {
    return this.#levels.has(tag) ? tag : this.#byTag.get(fold(tag))
  }
}

/**
 * Returns the level of a card: the level of the first tag for which a level exists, otherwise the first tag, otherwise
 * `import`. Ignores the tags that Anki sets.
 * @param tags separated by spaces
 * @example levelOf('marked Grundlagen', new Levels(['grundlagen'])) // 'grundlagen'
 */
export function levelOf(tags: string, levels: Levels): string {
  return levelOfTags(withoutBidiControls(tags).split(/[\s\u3000\p{Cc}]+/u), levels)
}

/**
 * Returns the level of a card that this service has exported: empty without a tag; spaces instead of `_` if the level is
 * unknown, because tags contain no spaces.
 * @example ownLevelOf('sehr_schwer', new Levels([])) // 'sehr schwer'
 */
export function ownLevelOf(tags: string, levels: Levels): string {
  const level = levelOf(tags, levels)
  if (level === FALLBACK_LEVEL && !tags.includes(FALLBACK_LEVEL)) return ''
  return levels.find(level) ?? level.replaceAll('_', ' ')
}

/** Returns the level of a card as `levelOf` does; the tags may contain spaces, such as those of Moodle. */
export function levelOfTags(tags: readonly string[], levels: Levels): string {
  const names = tags.filter((tag) => tag !== '' && !OWN_TAGS.has(tag.toLowerCase()))
  for (const tag of names) {
    const level = levels.find(tag)
    if (level !== undefined) return level
  }
  return names[0] ?? FALLBACK_LEVEL
}

function fold(level: string): string {
  return tagOfLevel(level).normalize('NFC').toLowerCase()
}
