import type { Kysely, Transaction } from 'kysely'
import {
  type FoundItem,
  findItems,
  findMatchingWords,
  findNeighbours,
  type ItemText,
  type MatchingWord,
  preferIndexes,
  readItems,
} from '../../../db/queries/search/find-items.js'
import type { Database } from '../../../db/types.js'
import { excerptOf, type Hits, type Marked, markTitle } from '../../domain/search/excerpt.js'
import { toPlainText } from '../../domain/search/plain-text.js'
import { neighboursOf, spellingsOf, wordsOf } from '../../domain/search/words.js'

export interface SearchHit extends ItemText {
  marked: { title: Marked; excerpt: Marked }
}

export interface Search {
  hits: SearchHit[]
  /** Whether nothing holds the words as they were given, so that one typing error in each was allowed. */
  isCorrected: boolean
}

/** What a search for nothing finds. */
const NOTHING: Search = { hits: [], isCorrected: false }

/** More words than that are not looked through for typing errors: it takes some hundred look-ups for each. */
const CORRECTED_WORDS = 8

/** Where all words must be and how they may match, best first. */
const TIERS = (['title', 'words'] as const).flatMap((column) =>
  [['word'], ['word', 'form'], ['word', 'form', 'part']].map((matches) => ({ column, matches })),
)

/** Live decks, sheets and cards that hold all words of `q`, at most `limit`. */
export async function searchAll(db: Kysely<Database>, q: string, limit: number): Promise<Search> {
  const terms = [...wordsOf(q)]
  if (terms.length === 0) return NOTHING
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(async (transaction) => {
      await preferIndexes(transaction)
      const matching = await findMatchingWords(
        transaction,
        terms.map((word) => ({ word, spellings: spellingsOf(word) })),
      )
      const found = await findByTiers(transaction, terms, matching, limit)
      if (found.length > 0) return { hits: await show(transaction, terms, matching, found), isCorrected: false }
      const corrected = await correct(transaction, terms, matching)
      if (corrected === undefined) return NOTHING
      const hits = await show(transaction, terms, corrected, await findByTiers(transaction, terms, corrected, limit))
      return { hits, isCorrected: hits.length > 0 }
    })
}

async function findByTiers(
  db: Kysely<Database>,
  terms: readonly string[],
  matching: readonly MatchingWord[],
  limit: number,
): Promise<FoundItem[]> {
  const found: FoundItem[] = []
  let last = ''
  for (const { column, matches } of TIERS) {
    if (found.length >= limit) break
    const lists = terms.map((_, place) =>
      matching.filter((one) => one.place === place && matches.includes(one.match)).map(({ id }) => id),
    )
    const size = column + lists.map((list) => list.length).join()
    if (size === last || lists.some((list) => list.length === 0)) continue
    last = size
    found.push(...(await findItems(db, column, lists, found, limit - found.length)))
  }
  return found
}

/**
 * Adds the words from which one typing error leads to the given ones: of those that nothing matches, or of all when each
 * matches something and no item has them together. Undefined when that cannot help.
 */
async function correct(
  db: Kysely<Database>,
  terms: readonly string[],
  matching: readonly MatchingWord[],
): Promise<MatchingWord[] | undefined> {
  const known = new Set(matching.map(({ place }) => place))
  const unknown = terms.flatMap((_, place) => (known.has(place) ? [] : [place]))
  const places = unknown.length > 0 ? unknown : terms.map((_, place) => place)
  if (places.length > CORRECTED_WORDS) return undefined
  const neighbours = places.flatMap((place) =>
    spellingsOf(terms[place] ?? '')
      .flatMap(neighboursOf)
      .map((word) => ({ place, word })),
  )
  if (neighbours.length === 0) return undefined
  const added = await findNeighbours(db, neighbours)
  return added.length === 0 ? undefined : [...matching, ...added]
}

async function show(
  transaction: Transaction<Database>,
  terms: readonly string[],
  matching: readonly MatchingWord[],
  found: readonly FoundItem[],
): Promise<SearchHit[]> {
  const hits = toHits(terms, matching)
  const items = new Map((await readItems(transaction, found)).map((item) => [`${item.kind} ${item.id}`, item]))
  return found.flatMap(({ kind, id }) => {
    const item = items.get(`${kind} ${id}`)
    // Deleted in between.
    if (item === undefined) return []
    const title = kind === 'card' ? toPlainText(item.title) : item.title
    return [{ ...item, marked: { title: markTitle(title, hits), excerpt: excerptOf(item.text, hits) } }]
  })
}

function toHits(terms: readonly string[], matching: readonly MatchingWord[]): Hits {
  const whole = new Set<string>()
  const parts = new Map<string, string[]>()
  for (const { place, word, match } of matching) {
    if (match === 'part') parts.set(word, [...(parts.get(word) ?? []), terms[place] ?? ''])
    else whole.add(word)
  }
  return { whole, parts }
}
