const PLACES: [RegExp, (name: string) => string][] = [
  [/^card (\d+)$/, (id) => `inhalte/karten/${id}`],
  [/^new card (.+)$/, (slug) => `inhalte/decks/${encodeURIComponent(slug)}?karte=neu`],
  [/^sheet (.+)$/, (slug) => `inhalte/spickzettel/${encodeURIComponent(slug)}`],
  [/^new sheet (\d+)$/, (id) => `inhalte/spickzettel?quelle=${id}`],
  [/^new (test)$/, () => 'inhalte/tests/neu'],
  [/^test (.+)$/, (slug) => `inhalte/tests/${encodeURIComponent(slug)}`],
]

/**
 * Returns the address of the page that edits a draft, from the name of the draft; for an unknown name, that of the
 * overview.
 */
export function addressOfDraft(item: string): string {
  for (const [pattern, addressOf] of PLACES) {
    const [, name] = pattern.exec(item) ?? []
    if (name !== undefined) return addressOf(name)
  }
  return 'inhalte'
}

/**
 * Returns the question of a card, the title of a sheet or the name of a test; if that is empty, the answer of a card or
 * an empty string.
 */
export function titleOfDraft(fields: unknown): string {
  const { question, title, name, answer } = (fields ?? {}) as Record<string, unknown>
  return String(question || title || name || answer || '')
}
