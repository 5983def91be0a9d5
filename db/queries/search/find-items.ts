import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'
import { SEARCH_TABLES, type SearchKind } from './index-words.js'

/** How a word of the store matches one that is looked for: it is it, it is a form of it, or it contains it. */
export type Match = 'word' | 'form' | 'part'

export interface MatchingWord {
  /** Which of the words that are looked for, from 0. */
  place: number
  id: number
  word: string
  match: Match
}

/** Words with a common stem, or with a common part, that count at most; the latter for all words together. */
const FORMS = 100
const PARTS = 400
/** With more words beside them, one or two letters must be a word: what begins with them is in every row. */
const FEW_TERMS = 3
/** Shorter ones are parts of most words, so that only beginnings are looked for; trigrams need three letters. */
const SHORTEST_PART = 3
/** Behind every letter, in the order of code points. */
const LAST = '\u{10ffff}'

/** Hits of a kind that are ranked among each other. */
const CANDIDATES = 500

export interface FoundItem {
  kind: SearchKind
  id: number
}

/** A found item with what is shown of it. */
export interface ItemText extends FoundItem {
  slug: string | null
  category: string | null
  title: string
  text: string
  deck_slug: string | null
  deck_name: string | null
}

/**
 * For this transaction: all statements collect rows by the indexes of words and look up the others by their ids. What the
 * planner knows of arrays is little, and nothing of a table that was just filled: it would rather read one item after
 * another until it has enough.
 */
export async function preferIndexes(transaction: Transaction<Database>): Promise<void> {
  await sql`
    select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_indexscan', 'enable_mergejoin', 'enable_hashjoin', 'jit']) as name
  `.execute(transaction)
}

/**
 * The words of the store that match each of the given words, of which `spellings` are other ways to write it. A word
 * comes with its best match.
 */
export async function findMatchingWords(
  db: Kysely<Database>,
  terms: readonly { word: string; spellings: readonly string[] }[],
): Promise<MatchingWord[]> {
  const spellings = terms.flatMap((term, place) => term.spellings.map((word) => ({ place, word })))
  const long = terms.flatMap(({ word }, place) => ([...word].length >= SHORTEST_PART ? [{ place, word }] : []))
  const short = terms.flatMap(({ word }, place) =>
    terms.length <= FEW_TERMS && [...word].length < SHORTEST_PART ? [{ place, word }] : [],
  )
  const parts = Math.ceil(PARTS / terms.length)
  // `lower(word)` is the word, and what the index of the parts lies on (0013_rebuild_search_indexes).
  const { rows } = await sql<MatchingWord>`
    select distinct on (place, id) place, id, word, match from (
      select given.place, search_words.id, search_words.word, 1 as rank, 'word' as match
      from ${unnest(terms.map(({ word }, place) => ({ place, word })))} join search_words on search_words.word = given.word
      union all
      select given.place, form.*, 2, 'form'
      from ${unnest(spellings)} cross join lateral (
        select id, word from search_words where word = given.word or stem = stem_of_word(given.word) limit ${FORMS}
      ) as form
      union all
      select given.place, form.*, 2, 'form'
      from ${unnest(terms.map(({ word }, place) => ({ place, word })))}
      join search_words as known on known.word = given.word
      cross join lateral (select id, word from search_words where stem = known.stem limit ${FORMS}) as form
      union all
      select given.place, longer.*, 3, 'part'
      from ${unnest(long)} cross join lateral (
        select id, word from search_words where lower(word) like '%' || given.word || '%'
        order by length(word), word limit ${parts}
      ) as longer
      union all
      select given.place, longer.*, 3, 'part'
      from ${unnest(short)} cross join lateral (
        select id, word from search_words where word > given.word and word < given.word || ${LAST}
        order by word limit ${parts}
      ) as longer
    ) as matching
    order by place, id, rank`.execute(db)
  return rows
}

/** The words of the store that are one of the given neighbours of a word, or a form of one. */
export async function findNeighbours(
  db: Kysely<Database>,
  neighbours: readonly { place: number; word: string }[],
): Promise<MatchingWord[]> {
  const { rows } = await sql<MatchingWord>`
    select distinct place, id, word, 'form' as match from (
      select given.place, search_words.id, search_words.word
      from ${unnest(neighbours)} join search_words on search_words.word = given.word
      union all
      select given.place, search_words.id, search_words.word
      from ${unnest(neighbours)} join search_words on search_words.stem = given.word
    ) as matching`.execute(db)
  return rows
}

/** The given words as `given (place, word)`. */
function unnest(words: readonly { place: number; word: string }[]): RawBuilder<unknown> {
  return sql`(
    select place, word collate "C" as word
    from unnest(${words.map(({ place }) => place)}::integer[], ${words.map(({ word }) => word)}::text[]) as raw (place, word)
  ) as given`
}

/**
 * Live items in which each of the lists has a word: decks, then sheets, then cards, those with short titles first.
 * @param column where the words must be: in the title or anywhere
 * @param lists the numbers of words
 * @param known items that are not wanted again
 */
export async function findItems(
  db: Kysely<Database>,
  column: 'title' | 'words',
  lists: readonly (readonly number[])[],
  known: readonly FoundItem[],
  limit: number,
): Promise<FoundItem[]> {
  const found = (kind: SearchKind, rank: number) => {
    const { table, words, title } = SEARCH_TABLES[kind]
    const ids = known.filter((item) => item.kind === kind).map(({ id }) => id)
    const inDeck = kind === 'card' ? sql`join decks on decks.id = deck_id and decks.archived_at is null` : sql``
    const holds = lists.map((list) => sql`${sql.ref(`${words}.${column}`)} && ${list}::integer[]`)
    return sql`(
      select ${sql.lit(kind)} as kind, ${sql.lit(rank)} as rank, item_id as id, length(${sql.ref(`subject.${title}`)}) as length
      from ${sql.table(words)} join ${sql.table(table)} as subject on subject.id = item_id ${inDeck}
      where ${sql.join(holds, sql` and `)} and subject.archived_at is null and item_id <> all (${ids}::integer[])
      limit ${sql.lit(CANDIDATES)})`
  }
  const { rows } = await sql<FoundItem>`
    select kind, id
    from (${found('deck', 1)} union all ${found('cheatsheet', 2)} union all ${found('card', 3)}) as found
    order by rank, length, id limit ${limit}`.execute(db)
  return rows
}

/** What is shown of the items, in no particular order. */
export async function readItems(db: Kysely<Database>, items: readonly FoundItem[]): Promise<ItemText[]> {
  const idsOf = (kind: SearchKind) => items.filter((item) => item.kind === kind).map(({ id }) => id)
  const { rows } = await sql<ItemText>`
    select 'deck' as kind, id, slug, null as category, name as title, description as text,
      null as deck_slug, null as deck_name
    from decks where id = any (${idsOf('deck')}::integer[])
    union all
    select 'cheatsheet', id, slug, category, title, content_md, null, null
    from cheatsheets where id = any (${idsOf('cheatsheet')}::integer[])
    union all
    select 'card', cards.id, null, null, question, answer, decks.slug, decks.name
    from cards join decks on decks.id = deck_id where cards.id = any (${idsOf('card')}::integer[])`.execute(db)
  return rows
}
