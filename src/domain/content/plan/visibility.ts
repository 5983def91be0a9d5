import type { DeckSource, Fault } from '../types.js'
import type { StoredDeck, Visibility } from './types.js'

export function stateOf({ draft }: { draft: boolean }): Visibility {
  return draft ? 'draft' : 'live'
}

/**
 * Returns a fault if the file would change `tests_only` of a deck. Learners know the cards of an ordinary deck, and
 * must not see cards that only tests use. An archived deck without an owner may become `tests_only`, because earlier
 * versions cleared this setting when the source of the deck was deleted.
 * @param isOwned whether a file of the folder or a source describes the deck
 */
export function findPoolFault(row: StoredDeck, deck: DeckSource, isOwned: boolean): Fault | undefined {
  if (row.tests_only === deck.tests_only || (!isOwned && !row.is_live && deck.tests_only)) return undefined
  const message = row.tests_only
    ? `Das Deck „${row.slug}“ ist ein Fragenpool und bleibt es: im Front Matter fehlt „tests_only: true“`
    : `Das Deck „${row.slug}“ gibt es schon für alle Lernenden; „tests_only: true“ geht nur bei einem neuen Deck`
  return { file: deck.file, line: 1, message }
}
