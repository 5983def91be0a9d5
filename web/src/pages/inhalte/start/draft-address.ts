const PLACES: [RegExp, (name: string) => string][] = [
  [/^card (\d+)$/, (id) => `inhalte/karten/${id}`],
  [/^new card (.+)$/, (slug) => `inhalte/decks/${encodeURIComponent(slug)}?karte=neu`],
  [/^sheet (.+)$/, (slug) => `inhalte/spickzettel/${encodeURIComponent(slug)}`],
  [/^new sheet (\d+)$/, (id) => `inhalte/spickzettel?quelle=${id}`],
]

/** Returns the page that shows the draft of an item. */
export function addressOfDraft(item: string): string {
  for (const [pattern, addressOf] of PLACES) {
    const [, name] = pattern.exec(item) ?? []
    if (name !== undefined) return addressOf(name)
  }
  return 'inhalte'
}

/** Returns the question of a card or the title of a sheet. */
export function titleOfDraft(fields: unknown): string {
  const { question, title, answer } = (fields ?? {}) as Record<string, unknown>
  return String(question || title || answer || '')
}
