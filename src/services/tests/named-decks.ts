import type { Kysely } from 'kysely'
import { type CardRow, type DeckRow, listNamedDecks, listQuestionCards } from '../../../db/queries/tests/publish.js'
import type { Database } from '../../../db/types.js'
import { readStoredExercise } from '../../domain/questions/exercise.js'
import type { SectionDeck } from '../../domain/tests/sections.js'
import { runInTurns } from '../content/turns.js'

export type NamedDeck = DeckRow & SectionDeck

/**
 * Returns a map from slug to deck, with the cards of each deck that have an exercise or one of the keys.
 * @param keys keys of the cards that the sections list
 */
export async function findNamedDecks(
  db: Kysely<Database>,
  slugs: readonly string[],
  keys: readonly string[],
): Promise<Map<string, NamedDeck>> {
  if (slugs.length === 0) return new Map()
  const decks = await listNamedDecks(db, slugs)
  const cards = await listQuestionCards(
    db,
    decks.map(({ id }) => id),
    keys,
  )
  return runInTurns(groupInSteps(decks, cards))
}

/** Yields after each card, because a check of its exercise may parse Markdown. */
function* groupInSteps(decks: readonly DeckRow[], cards: readonly CardRow[]): Generator<void, Map<string, NamedDeck>> {
  const named = decks.map((deck): NamedDeck => ({ ...deck, cards: [] }))
  const byId = new Map(named.map((deck) => [deck.id, deck]))
  for (const { deck_id, archived_at, is_draft, exercise, ...card } of cards) {
    byId.get(deck_id)?.cards.push({
      ...card,
      exercise: readStoredExercise(exercise, card.answer),
      state: archived_at === null ? 'live' : is_draft ? 'draft' : 'archived',
    })
    yield
  }
  return new Map(named.map((deck) => [deck.slug, deck]))
}
