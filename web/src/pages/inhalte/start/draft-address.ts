const PLACES: [RegExp, (name: string) => string][] = [
  [/^card (\d+)$/, (id) => `inhalte/karten/${id}`],
  [/^new card (.+)$/, (slug) => `inhalte/decks/${encodeURIComponent(slug)}?karte=neu`],
  [/^sheet (.+)$/, (slug) => `inhalte/spickzettel/${encodeURIComponent(slug)}`],
  [/^new sheet (\d+)$/, (id) => `inhalte/spickzettel?quelle=${id}`],
  [/^new (test)$/, () => 'inhalte/tests/neu'],
  [/^test (.+)$/, (slug) => `inhalte/tests/${encodeURIComponent(slug)}`],
]

/**
 * Returns the address of the page that edits the draft with the given name; the address of the overview for an unknown
 * name.
 */
export function addressOfDraft(item: string): string {
  for (const [pattern, addressOf] of PLACES) {
    const [, name] = pattern.exec(item) ?? []
    if (name !== undefined) return addressOf(name)
  }
  return 'inhalte'
}

/**
 * Returns the question of a card (its answer if the question is empty), the title of a sheet or the name of a test; an
 * empty string if there is none.
 */
export function titleOfDraft(fields: unknown): string {
  const { question, title, name, answer } = (fields ?? {}) as Record<string, unknown>
  return String(question || title || name || answer || '')
}
