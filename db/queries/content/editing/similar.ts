import { type Kysely, sql } from 'kysely'
import type { Editable } from '../../../../src/domain/content/editing/rights.js'
import type { Database } from '../../../types.js'
import { isEditable } from './cards.js'
import { isArchived } from './state.js'

export interface SimilarCandidate {
  id: number
  question: string
  deck_slug: string
  deck_name: string
}

/** Returns the ids of those words that the search index contains; `words` must be in NFC and lower case. */
export async function findWordIds(db: Kysely<Database>, words: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('search_words')
    .select(['word', 'id'])
    .where('word', '=', ({ fn, val }) => fn.any(val(words)))
    .execute()
  return new Map(rows.map(({ word, id }) => [word, id]))
}

/**
 * Returns cards of editable sources whose question contains all words of at least one set. Omits archived cards and
 * the cards of archived decks, but includes drafts and the cards of pools.
 * @param sets sets of word ids
 * @param size required number of distinct words in the question; undefined for any
 * @param except id of a card to omit
 */
export async function findCardsWithWords(
  db: Kysely<Database>,
  editable: Editable,
  sets: readonly (readonly number[])[],
  size: number | undefined,
  except: number | undefined,
  limit: number,
): Promise<SimilarCandidate[]> {
  if (sets.length === 0) return []
  return db
    .selectFrom('search_cards')
    .innerJoin('cards', 'cards.id', 'item_id')
    .innerJoin('decks', 'decks.id', 'cards.deck_id')
    .leftJoin('imported_cards', 'imported_cards.card_id', 'cards.id')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'cards.deck_id')
    .select(['cards.id', 'question', 'decks.slug as deck_slug', 'decks.name as deck_name'])
    .where(({ or }) => or(sets.map((set) => sql<boolean>`title @> ${[...set]}::integer[]`)))
    .where(size === undefined ? sql<boolean>`true` : sql<boolean>`cardinality(title) = ${size}`)
    .where(isEditable(editable, 'source_id').$castTo<boolean>())
    .where('decks.archived_at', 'is', null)
    .where(sql<boolean>`not ${isArchived('cards')}`)
    .where(sql<boolean>`cards.id <> ${except ?? 0}::bigint`)
    .limit(limit)
    .execute()
}
