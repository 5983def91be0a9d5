import type { DeckSource, Fault } from '../types.js'
import type { StoredDeck, Visibility } from './types.js'

/** Returns the visibility of a card or sheet from a file. */
export function stateOf({ draft }: { draft: boolean }): Visibility {
  return draft ? 'draft' : 'live'
}

/**
 * Returns a fault if the file would turn a deck into a pool, or a pool into a deck: learners know the cards of a deck,
 * and must not see those of a pool. An archived deck without an owner may become a pool, because it may have been a
 * pool of a source that was removed.
 * @param isOwned whether a file of the folder or a source describes the deck
 */
export function faultOfPool(row: StoredDeck, deck: DeckSource, isOwned: boolean): Fault | undefined {
  if (row.tests_only === deck.tests_only || (!isOwned && !row.is_live && deck.tests_only)) return undefined
  const message = row.tests_only
    ? `Das Deck „${row.slug}“ ist ein Fragenpool und bleibt es: im Front Matter fehlt „tests_only: true“`
    : `Das Deck „${row.slug}“ gibt es schon für alle Lernenden; „tests_only: true“ geht nur bei einem neuen Deck`
  return { file: deck.file, line: 1, message }
}
