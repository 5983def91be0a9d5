import type { ImportPlan, StoredDeck } from './import-plan.js'
import type { DeckSource } from './types.js'

/** Returns the ids of other imported decks whose slugs a deck has as aliases. */
export function planDecks(plan: ImportPlan, decks: readonly DeckSource[], stored: readonly StoredDeck[]) {
  const bySlug = new Map(stored.map((row) => [row.slug, row]))
  const kept = new Set<StoredDeck>()
  const aliased = new Map<DeckSource, number[]>()
  for (const deck of decks) {
    const former = deck.aliases
      .map((alias) => bySlug.get(alias))
      .filter((row): row is StoredDeck => row?.is_imported === true)
    const row = bySlug.get(deck.slug) ?? former.shift()
    aliased.set(
      deck,
      former.map(({ id }) => id),
    )
    if (row === undefined) {
      plan.newDecks.push(deck)
      plan.decks.created++
      continue
    }
    kept.add(row)
    plan.deckIds.set(deck, row.id)
    if (!row.is_imported || row.file !== deck.file) plan.describedDecks.push({ id: row.id, file: deck.file })
    if (isSameDeck(row, deck)) plan.decks.unchanged++
    else {
      plan.changedDecks.push({ id: row.id, deck })
      plan.decks.updated++
    }
  }
  plan.archivedDecks = stored.filter((row) => row.is_imported && row.is_live && !kept.has(row)).map(({ id }) => id)
  plan.decks.archived = plan.archivedDecks.length
  return aliased
}

function isSameDeck(row: StoredDeck, deck: DeckSource): boolean {
  return (
    row.is_live &&
    row.slug === deck.slug &&
    row.name === deck.name &&
    row.description === deck.description &&
    row.sort_order === deck.sort_order
  )
}
