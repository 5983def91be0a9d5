/** Tags by which Anki itself remembers something of a note. */
const OWN_TAGS = new Set(['marked', 'leech'])

/** What a card without any tag is. */
export const FALLBACK_LEVEL = 'import'

/** The level of a card: its first tag that is one already, else its first tag. */
export function levelOf(tags: string, levels: ReadonlySet<string>): string {
  const names = tags.split(/[\s\u3000\p{Cc}]+/u).filter((tag) => tag !== '' && !OWN_TAGS.has(tag.toLowerCase()))
  return names.find((tag) => levels.has(tag)) ?? names[0] ?? FALLBACK_LEVEL
}
