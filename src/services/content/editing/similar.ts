import type { Kysely } from 'kysely'
import {
  findCardsWithWords,
  findWordIds,
  type SimilarCandidate,
} from '../../../../db/queries/content/editing/similar.js'
import { preferIndexes } from '../../../../db/queries/search/find-items.js'
import type { Database } from '../../../../db/types.js'
import type { Editable } from '../../../domain/content/editing/rights.js'
import { questionWords, similarityOf, wordPairs } from '../../../domain/content/editing/similar.js'

export interface SimilarCard extends SimilarCandidate {
  /** Whether the questions consist of the same words */
  same: boolean
}

const RESULTS = 5
const CANDIDATES = 200

/**
 * Returns at most 5 cards of editable sources: first those whose question consists of the same words, then those with
 * the most similar questions. Compares the words as the search index stores them.
 * @param except id of a card to leave out
 */
export function findSimilarCards(
  db: Kysely<Database>,
  editable: Editable,
  question: string,
  except: number | undefined,
): Promise<SimilarCard[]> {
  const words = questionWords(question)
  return db.transaction().execute(async (transaction) => {
    const ids = await findWordIds(transaction, [...words])
    if (ids.size === 0) return []
    await preferIndexes(transaction)
    const toIds = (set: Iterable<string>) => [...set].flatMap((word) => ids.get(word) ?? [])
    // A word without an id is in no indexed text, so no other question can consist of the same words.
    const whole = ids.size === words.size ? [toIds(words)] : []
    const equal = await findCardsWithWords(transaction, editable, whole, words.size, except, RESULTS)
    if (equal.length >= RESULTS) return equal.map((card) => ({ ...card, same: true }))
    const pairs = wordPairs(new Set([...words].filter((word) => ids.has(word)))).map(toIds)
    const others = await findCardsWithWords(transaction, editable, pairs, undefined, except, CANDIDATES)
    const known = new Set(equal.map(({ id }) => id))
    const similar = others
      .filter(({ id }) => !known.has(id))
      .map((card) => ({ card, similarity: similarityOf(words, questionWords(card.question)) }))
      .filter(({ similarity }) => similarity > 0)
      .sort((a, b) => b.similarity - a.similarity)
    return [
      ...equal.map((card) => ({ ...card, same: true })),
      ...similar.map(({ card, similarity }) => ({ ...card, same: similarity === 1 })),
    ].slice(0, RESULTS)
  })
}
