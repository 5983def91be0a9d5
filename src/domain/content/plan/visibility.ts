import type { DeckSource, Fault } from '../types.js'
import type { StoredDeck, Visibility } from './types.js'

/** Returns how a card or sheet of a file is shown. */
export function stateOf({ draft }: { draft: boolean }): Visibility {
  return draft ? 'draft' : 'live'
}

/**
 * Returns a fault if the deck is to become a pool, or to stop being one: what was open or secret once stays so. A hidden
 * deck without an owner may be a pool that its source has released.
 */
export function faultOfPool(row: StoredDeck, deck: DeckSource, isOwned: boolean): Fault | undefined {
  if (row.tests_only === deck.tests_only || (!isOwned && !row.is_live && deck.tests_only)) return undefined
  const message = row.tests_only
    ? `Das Deck „${row.slug}“ ist ein Fragenpool und bleibt es: im Front Matter fehlt „tests_only: true“`
    : `Das Deck „${row.slug}“ gibt es schon für alle Lernenden; „tests_only: true“ geht nur bei einem neuen Deck`
  return { file: deck.file, line: 1, message }
}
