import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'

// Raw SQL: the queue is weighed by a window function, tables depend on the kind, and rows come from arrays.

export type SearchKind = Database['search_pending']['kind']

export const SEARCH_TABLES = {
  deck: { table: 'decks', words: 'search_decks', title: 'name', text: 'description' },
  cheatsheet: { table: 'cheatsheets', words: 'search_cheatsheets', title: 'title', text: 'content_md' },
  card: { table: 'cards', words: 'search_cards', title: 'question', text: 'answer' },
} as const

export interface SearchText {
  id: number
  title: string
  text: string
}

export interface ItemWords {
  id: number
  title: string[]
  /** Words of the title and of the text */
  words: string[]
}

export async function isIndexPending(db: Kysely<Database>): Promise<boolean> {
  const row = await db.selectFrom('search_pending').select('id').orderBy('id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Maximum number of queue entries per transaction */
const CHANGES = 100
/** Approximate amount of work per transaction, counted in cards */
const WEIGHT = 300
/** Weight of a sheet: it has about as many words as this number of cards. */
const WEIGHT_OF_SHEET = 15

/** Takes changed rows from the queue, oldest first, and returns their ids by kind. */
export async function takePending(transaction: Transaction<Database>): Promise<{ kind: SearchKind; ids: number[] }[]> {
  const { rows } = await sql<{ kind: SearchKind; ids: number[] }>`
    with oldest as (
      select id, sum(cardinality(ids) * case kind when 'cheatsheet' then ${WEIGHT_OF_SHEET}::integer else 1 end)
        over (order by id rows between unbounded preceding and 1 preceding) as weight_before
      from (select * from search_pending order by id limit ${CHANGES}) as first
    ),
    taken as (
      delete from search_pending
      where id = any (array(select id from oldest where coalesce(weight_before, 0) < ${WEIGHT}))
      returning kind, ids
    )
    select kind, array_agg(distinct changed) as ids from taken, unnest(ids) as changed group by kind`.execute(
    transaction,
  )
  return rows
}

/**
 * Reads the texts of items, and locks the items against changes. Puts those that another transaction changes or deletes
 * back into the queue instead of waiting for them: a deletion that has locked one may wait for a row of this transaction.
 * @param ids distinct
 * @returns the texts, and whether an item was put back
 */
export async function readSearchTexts(
  transaction: Transaction<Database>,
  kind: SearchKind,
  ids: readonly number[],
): Promise<{ texts: SearchText[]; isPutBack: boolean }> {
  const { table, title, text } = SEARCH_TABLES[kind]
  // Not `for key share`: that would wait for a row that another transaction has changed and then deleted, as a purge does
  // with a deck, despite `skip locked`.
  const { rows: texts } = await sql<SearchText>`
    select id, ${sql.ref(title)} as title, ${sql.ref(text)} as text
    from ${sql.table(table)} where id = any (${ids}::integer[]) for share skip locked`.execute(transaction)
  if (texts.length === ids.length) return { texts, isPutBack: false }
  const { numAffectedRows } = await sql`
    insert into search_pending (kind, ids)
    select ${kind}::text, array_agg(id) from ${sql.table(table)}
    where id = any (${ids}::integer[]) and id <> all (${texts.map(({ id }) => id)}::integer[])
    having count(*) > 0`.execute(transaction)
  return { texts, isPutBack: numAffectedRows !== undefined && numAffectedRows > 0n }
}

/**
 * Replaces the words of the items; new words get ids. The caller must hold the lock `search index` and have read the items
 * by `readSearchTexts`.
 */
export async function writeItemWords(
  transaction: Transaction<Database>,
  kind: SearchKind,
  items: readonly ItemWords[],
): Promise<void> {
  const numbers = await numberWords(transaction, [...new Set(items.flatMap(({ words }) => words))])
  const toArray = (words: string[]) => `{${words.map((word) => numbers.get(word)).join()}}`
  await sql`
    insert into ${sql.table(SEARCH_TABLES[kind].words)} (item_id, title, words)
    select item.id, item.title::integer[], item.words::integer[]
    from unnest(
      ${items.map(({ id }) => id)}::integer[], ${items.map(({ title }) => toArray(title))}::text[],
      ${items.map(({ words }) => toArray(words))}::text[]
    ) as item (id, title, words)
    on conflict (item_id) do update set title = excluded.title, words = excluded.words`.execute(transaction)
}

/** Returns the ids of the next stored words, in ascending order. */
export async function listWordIds(db: Kysely<Database>, page: { after: number; limit: number }): Promise<number[]> {
  const { after, limit } = page
  const rows = await db
    .selectFrom('search_words')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Deletes those of the words that no item contains, and returns their number. The caller must hold the lock
 * `search index`.
 */
export async function deleteUnusedWords(transaction: Transaction<Database>, ids: readonly number[]): Promise<number> {
  const isUnused = Object.values(SEARCH_TABLES).map(
    ({ words }) => sql`not exists (select from ${sql.table(words)} where words @> array[search_words.id])`,
  )
  const { numAffectedRows } = await sql`
    delete from search_words where id = any (${ids}::integer[]) and ${sql.join(isUnused, sql` and `)}`.execute(
    transaction,
  )
  return Number(numAffectedRows ?? 0)
}

async function numberWords(transaction: Transaction<Database>, words: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: number; word: string }>`
    with given as materialized (
      select given.word, search_words.id
      from unnest(${words}::text[]) as given (word) left join search_words on search_words.word = given.word collate "C"
    ),
    added as (
      insert into search_words (word, stem) select word, stem_of_word(word) from given where id is null
      returning id, word
    )
    select id, word from given where id is not null
    union all
    select id, word from added`.execute(transaction)
  return new Map(rows.map(({ id, word }) => [word, id]))
}
