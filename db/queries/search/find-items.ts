import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { showGaps } from '../../../src/domain/questions/exercise.js'
import type { Database } from '../../types.js'
import { SEARCH_TABLES, type SearchKind } from './index-words.js'

// Raw SQL: the plans depend on the form of the conditions on arrays and on `set local`.

/**
 * How a stored word matches a search term. `word`: equals the term. `form`: is another form or spelling of the term, or
 * a similar word. `part`: contains the term.
 */
export type Match = 'word' | 'form' | 'part'

export interface MatchingWord {
  /** Index of the search term, from 0 */
  place: number
  id: number
  word: string
  match: Match
}

/** Maximum number of forms to look up per spelling */
const FORMS = 100
/** Maximum number of words that contain a term or start with it, for all terms together */
const PARTS = 400
/**
 * Maximum number of terms in a query whose terms of one or two letters match prefixes. It is small, because words with
 * such a prefix occur in almost every row.
 */
const FEW_TERMS = 3
/** Minimum length of a term that matches inside words; trigrams need three letters. Shorter terms match prefixes. */
const MIN_INFIX_LENGTH = 3
/**
 * Number of letters of a term that the trigram index looks up; the other letters are compared afterwards, because
 * looking up 24 letters takes ten times as long.
 */
const INDEXED_LETTERS = 5
/** The last code point, which sorts after every letter */
const LAST = '\u{10ffff}'

/** Maximum number of hits per kind that are read and ranked; if there are more, the selection is arbitrary. */
const CANDIDATES = 500

export interface FoundItem {
  kind: SearchKind
  id: number
}

export interface ItemText extends FoundItem {
  slug: string | null
  lang: string
  category: string | null
  title: string
  text: string
  deck_slug: string | null
  deck_name: string | null
}

/**
 * Discourages sequential and plain index scans for this transaction, so that the planner prefers bitmap scans of the
 * word indexes. The planner cannot estimate conditions on arrays or freshly filled tables, and would scan all items:
 * with 100,000 cards, frequent words took 106 ms instead of 30 ms, and without statistics most words took 164 ms
 * instead of 56 ms.
 */
export async function preferIndexes(transaction: Transaction<Database>): Promise<void> {
  await sql`
    select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_indexscan']) as name
  `.execute(transaction)
}

/**
 * Returns the stored words that match each search term or one of its other spellings. A word occurs once per term, with
 * its best match.
 */
export async function findMatchingWords(
  db: Kysely<Database>,
  terms: readonly { word: string; spellings: readonly string[] }[],
): Promise<MatchingWord[]> {
  const spellings = terms.flatMap((term, place) => term.spellings.map((word) => ({ place, word })))
  const long = terms.flatMap(({ word }, place) => ([...word].length >= MIN_INFIX_LENGTH ? [{ place, word }] : []))
  const short = terms.flatMap(({ word }, place) =>
    terms.length <= FEW_TERMS && [...word].length < MIN_INFIX_LENGTH ? [{ place, word }] : [],
  )
  const parts = Math.ceil(PARTS / terms.length)
  // `lower(word)` equals the word and is the indexed expression of the part search.
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
        select id, word from search_words
        where lower(word) like '%' || left(given.word, ${INDEXED_LETTERS}::integer) || '%' and strpos(word, given.word) > 0
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

/** Returns the stored words whose spelling or stem equals one of the similar words `neighbours`. */
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

/** Returns the stored words that equal a given word or are a form of it; `place` is the index of the given word. */
export async function findForms(db: Kysely<Database>, words: readonly string[]): Promise<MatchingWord[]> {
  const { rows } = await sql<MatchingWord>`
    select place, form.*, 'form' as match
    from ${unnest(words.map((word, place) => ({ place, word })))} cross join lateral (
      select id, word from search_words where word = given.word or stem = stem_of_word(given.word) limit ${FORMS}
    ) as form`.execute(db)
  return rows
}

function unnest(words: readonly { place: number; word: string }[]): RawBuilder<unknown> {
  return sql`(
    select place, word collate "C" as word
    from unnest(${words.map(({ place }) => place)}::integer[], ${words.map(({ word }) => word)}::text[]) as raw (place, word)
  ) as given`
}

/**
 * Returns live items that contain a word of each list: decks, then sheets, then cards, short titles first.
 * @param column `title` if the words must be in the title; `words` if they may be in the title or the text
 * @param lists word ids per search term
 * @param items.known items to omit
 * @param items.omitted decks, with their cards, and sheets to omit
 */
export async function findItems(
  db: Kysely<Database>,
  column: 'title' | 'words',
  lists: readonly (readonly number[])[],
  { known, omitted }: { known: readonly FoundItem[]; omitted: readonly FoundItem[] },
  limit: number,
): Promise<FoundItem[]> {
  const decks = idsOf(omitted, 'deck')
  const found = (kind: SearchKind, rank: number) => {
    const { table, words, title } = SEARCH_TABLES[kind]
    const ids = [...idsOf(known, kind), ...idsOf(omitted, kind)]
    const isOmitted = decks.length === 0 ? sql`` : sql`and decks.id <> all (${decks}::integer[])`
    const inDeck =
      kind === 'card' ? sql`join decks on decks.id = deck_id and decks.archived_at is null ${isOmitted}` : sql``
    const conditions = lists.map((list) => sql`${sql.ref(`${words}.${column}`)} && ${list}::integer[]`)
    return sql`(
      select ${sql.lit(kind)} as kind, ${sql.lit(rank)} as rank, item_id as id, length(${sql.ref(`subject.${title}`)}) as length
      from ${sql.table(words)} join ${sql.table(table)} as subject on subject.id = item_id ${inDeck}
      where ${sql.join(conditions, sql` and `)} and subject.archived_at is null and item_id <> all (${ids}::integer[])
      limit ${sql.lit(CANDIDATES)})`
  }
  const { rows } = await sql<FoundItem>`
    select kind, id
    from (${found('deck', 1)} union all ${found('cheatsheet', 2)} union all ${found('card', 3)}) as found
    order by rank, length, id limit ${limit}`.execute(db)
  return rows
}

function idsOf(items: readonly FoundItem[], kind: SearchKind): number[] {
  return items.filter((item) => item.kind === kind).map(({ id }) => id)
}

/** Returns the texts of items, in any order. */
export async function readItems(db: Kysely<Database>, items: readonly FoundItem[]): Promise<ItemText[]> {
  const { rows } = await sql<ItemText & { form: string | null }>`
    select 'deck' as kind, id, slug, coalesce(lang, 'de') as lang, null as category, name as title,
      description as text, null as deck_slug, null as deck_name, null as form
    from decks left join imported_decks on deck_id = id where id = any (${idsOf(items, 'deck')}::integer[])
    union all
    select 'cheatsheet', id, slug, coalesce(lang, 'de'), category, title, content_md, null, null, null
    from cheatsheets left join imported_cheatsheets on cheatsheet_id = id where id = any (${idsOf(items, 'cheatsheet')}::integer[])
    union all
    select 'card', cards.id, null, coalesce(lang, 'de'), null, question, answer, decks.slug, decks.name,
      exercise ->> 'form'
    from cards
    join decks on decks.id = cards.deck_id
    left join imported_decks on imported_decks.deck_id = decks.id
    where cards.id = any (${idsOf(items, 'card')}::integer[])`.execute(db)
  return rows.map(({ form, ...item }) => ({ ...item, text: showGaps(item.text, form) }))
}
