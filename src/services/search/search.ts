import type { Kysely, Transaction } from 'kysely'
import {
  type FoundItem,
  findForms,
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
import { hasPair, neighboursOfAll, spellingsOf, splitWord, wordsOf } from '../../domain/search/words.js'

export interface SearchHit extends ItemText {
  marked: { title: Marked; excerpt: Marked }
}

export interface Search {
  hits: SearchHit[]
  /** Whether the hits match only if a typing error is assumed, because nothing matches the words as typed */
  isCorrected: boolean
}

const NOTHING: Search = { hits: [], isCorrected: false }

/** Maximum number of similar spellings per statement, so that other requests are served between two statements */
const NEIGHBOURS_AT_ONCE = 500

/** Maximum number of words of a query whose words are split */
const MAX_COMPOUND_TERMS = 4
/** Maximum length of a word that is split, in characters */
const MAX_COMPOUND_LENGTH = 40

/**
 * Searched columns with the accepted kinds of matches, best first: titles before whole items, and for each of them
 * exact words, then also word forms, then also parts of words
 */
const TIERS = (['title', 'words'] as const).flatMap((column) =>
  [['word'], ['word', 'form'], ['word', 'form', 'part']].map((matches) => ({ column, matches })),
)

type Step = <T>(work: (transaction: Transaction<Database>) => Promise<T>) => Promise<T>

/**
 * Returns at most `limit` live decks, sheets and cards that contain all words of `q` or, if there are none, words that
 * differ by one typing error; best matches first.
 * @param omitted decks, with their cards, and sheets to omit
 * @param pause called after each step with the start of the step (milliseconds of `performance.now`), so that other
 * requests can use the database between two steps
 */
export async function searchAll(
  db: Kysely<Database>,
  q: string,
  limit: number,
  omitted: readonly FoundItem[] = [],
  pause: (started: number) => Promise<void> = async () => {},
): Promise<Search> {
  const terms = [...wordsOf(q)]
  if (terms.length === 0) return NOTHING
  const step: Step = async (work) => {
    const started = performance.now()
    const result = await inSearch(db, work)
    await pause(started)
    return result
  }
  const given = terms.map((word) => ({ word, spellings: spellingsOf(word) }))
  const matching = await step((transaction) => findMatchingWords(transaction, given))
  const found = await findByTiers(step, terms, matching, omitted, limit)
  const hits = await show(step, terms, matching, found)
  hits.push(...(await findCompounds(step, terms, matching, found, omitted, limit)))
  if (hits.length > 0) return { hits, isCorrected: false }
  const neighbours = neighboursFor(terms, matching)
  if (neighbours.length === 0) return NOTHING
  const added = await findInParts(step, neighbours)
  if (added.length === 0) return NOTHING
  const corrected = [...matching, ...added]
  const like = await show(step, terms, corrected, await findByTiers(step, terms, corrected, omitted, limit))
  return { hits: like, isCorrected: like.length > 0 }
}

/** Runs the work in a read-only transaction whose planner settings prefer the word indexes. */
function inSearch<T>(db: Kysely<Database>, work: (transaction: Transaction<Database>) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(async (transaction) => {
      await preferIndexes(transaction)
      return work(transaction)
    })
}

async function findInParts(
  step: Step,
  neighbours: readonly { place: number; word: string }[],
): Promise<MatchingWord[]> {
  const found = new Map<string, MatchingWord>()
  for (let start = 0; start < neighbours.length; start += NEIGHBOURS_AT_ONCE) {
    const part = neighbours.slice(start, start + NEIGHBOURS_AT_ONCE)
    const words = await step((transaction) => findNeighbours(transaction, part))
    for (const word of words) found.set(`${word.place} ${word.id}`, word)
  }
  return [...found.values()]
}

async function findByTiers(
  step: Step,
  terms: readonly string[],
  matching: readonly MatchingWord[],
  omitted: readonly FoundItem[],
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
    found.push(
      ...(await step((transaction) =>
        findItems(transaction, column, lists, { known: found, omitted }, limit - found.length),
      )),
    )
  }
  return found
}

/**
 * Returns items that contain a term as two adjacent words, such as „Subnetz Maske“ for „Subnetzmaske“. Splits one term
 * at a time, at the position nearest to its middle where both parts are stored words; the other terms stay whole.
 */
async function findCompounds(
  step: Step,
  terms: readonly string[],
  matching: readonly MatchingWord[],
  known: readonly FoundItem[],
  omitted: readonly FoundItem[],
  limit: number,
): Promise<SearchHit[]> {
  if (known.length >= limit || terms.length > MAX_COMPOUND_TERMS) return []
  const cuts = terms.flatMap((term, place) =>
    term.length > MAX_COMPOUND_LENGTH ? [] : splitWord(term).map((parts) => ({ place, parts })),
  )
  if (cuts.length === 0) return []
  const parts = [...new Set(cuts.flatMap((cut) => cut.parts))]
  const forms = await step((transaction) => findForms(transaction, parts))
  const formsOf = (part: string) => forms.filter(({ place }) => parts[place] === part)
  const hits: SearchHit[] = []
  for (const at of terms.keys()) {
    const found = cuts
      .filter(({ place }) => place === at)
      .map(({ parts: [left, right] }) => ({ left: formsOf(left), right: formsOf(right) }))
      .find(({ left, right }) => left.length > 0 && right.length > 0)
    if (found === undefined) continue
    const others = [...terms.keys()].filter((place) => place !== at)
    const lists = [...others.map((place) => matching.filter((one) => one.place === place)), found.left, found.right]
    if (lists.some((list) => list.length === 0)) continue
    const ids = lists.map((list) => list.map(({ id }) => id))
    const room = limit - known.length - hits.length
    const items = await step((transaction) =>
      findItems(transaction, 'words', ids, { known: [...known, ...hits], omitted }, room),
    )
    const left = new Set(found.left.map(({ word }) => word))
    const right = new Set(found.right.map(({ word }) => word))
    const shown = await show(step, terms, [...matching, ...found.left, ...found.right], items)
    hits.push(...shown.filter(({ title, text }) => [title, text].some((source) => hasPair(source, left, right))))
  }
  return hits
}

/**
 * Returns the spellings within one typing error of the terms without a match, or of all terms if each has a match but
 * no item contains all of them. Returns an empty array if there are too many spellings.
 */
function neighboursFor(terms: readonly string[], matching: readonly MatchingWord[]) {
  const known = new Set(matching.map(({ place }) => place))
  const unknown = terms.flatMap((_, place) => (known.has(place) ? [] : [place]))
  const places = unknown.length > 0 ? unknown : [...terms.keys()]
  const neighbours = neighboursOfAll(places.map((place) => terms[place] ?? '')) ?? []
  return neighbours.map(({ place, word }) => ({ place: places[place] ?? 0, word }))
}

async function show(
  step: Step,
  terms: readonly string[],
  matching: readonly MatchingWord[],
  found: readonly FoundItem[],
): Promise<SearchHit[]> {
  const hits = toHits(terms, matching)
  if (found.length === 0) return []
  const read = await step((transaction) => readItems(transaction, found))
  const items = new Map(read.map((item) => [`${item.kind} ${item.id}`, item]))
  return found.flatMap(({ kind, id }) => {
    const item = items.get(`${kind} ${id}`)
    // The item may have been deleted in the meantime.
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
