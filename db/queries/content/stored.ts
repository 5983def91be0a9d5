import { type Kysely, sql } from 'kysely'
import type { OwnedCard, OwnedDeck, OwnedSheet, StoredCard } from '../../../src/domain/content/plan/types.js'
import type { Database } from '../../types.js'
import { readInChunks } from '../read-in-chunks.js'

/** Rows per statement */
const CARDS_AT_ONCE = 5_000
const SHEETS_AT_ONCE = 200

/** Returns whether there is no deck, card or sheet, not even an archived one. */
export async function isContentEmpty(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    select not exists (select from decks) and not exists (select from cheatsheets) as empty`.execute(db)
  return rows[0]?.empty === true
}

/** Returns all decks, including those of scripts, sources and archived ones. */
export async function findStoredDecks(db: Kysely<Database>): Promise<OwnedDeck[]> {
  return db
    .selectFrom('decks')
    .leftJoin('imported_decks', 'deck_id', 'decks.id')
    .leftJoin('content_sources', 'content_sources.id', 'source_id')
    .select([
      'decks.id',
      'slug',
      'decks.name',
      'description',
      'sort_order',
      'card_count',
      'file',
      'source_id',
      'source_key',
    ])
    .select('content_sources.name as owner')
    .select((eb) => [
      eb('decks.archived_at', 'is', null).$castTo<boolean>().as('is_live'),
      eb('deck_id', 'is not', null).and('source_id', 'is', null).$castTo<boolean>().as('is_imported'),
      eb('content_sources.archived_at', 'is', null).$castTo<boolean>().as('owner_is_live'),
    ])
    .orderBy('decks.id')
    .execute()
}

/**
 * Returns all cards with folder identities, including archived ones and those of released decks. Compares digests, so
 * that texts stay in the database.
 */
export async function findStoredCards(db: Kysely<Database>): Promise<StoredCard[]> {
  return readByKey(CARDS_AT_ONCE, async (after) => {
    const { rows } = await sql<StoredCard>`
      select ${storedCard()}
      from imported_cards join cards on id = card_id
      left join imported_decks on imported_decks.deck_id = imported_cards.deck_id
      where source_id is null and card_id > ${after} order by card_id limit ${CARDS_AT_ONCE}`.execute(db)
    return rows
  })
}

/** Returns all cards of a source, including archived ones. */
export async function findSourceCards(db: Kysely<Database>, sourceId: number): Promise<OwnedCard[]> {
  return readByKey(CARDS_AT_ONCE, async (after) => {
    const { rows } = await sql<OwnedCard>`
      select ${storedCard()}, guid, ord
      from imported_cards join cards on id = card_id
      join imported_decks on imported_decks.deck_id = imported_cards.deck_id
      where source_id = ${sourceId} and card_id > ${after} order by card_id limit ${CARDS_AT_ONCE}`.execute(db)
    return rows
  })
}

/** Returns the cards of Anki notes in any source. */
export async function findCardsOfNotes(db: Kysely<Database>, guids: readonly string[]): Promise<OwnedCard[]> {
  return readInChunks(guids, async (chunk) => {
    const { rows } = await sql<OwnedCard>`
      select ${storedCard()}, guid, ord
      from imported_cards join cards on id = card_id
      where guid = any (${chunk}::text[])`.execute(db)
    return rows
  })
}

/** Returns all cards without an Anki note, with the fields that form their guid in our own packages. */
export async function findCardsWithoutNote(db: Kysely<Database>): Promise<{ id: number; created_at: Date }[]> {
  return readByKey(CARDS_AT_ONCE, (after) =>
    db
      .selectFrom('cards')
      .leftJoin('imported_cards', 'card_id', 'id')
      .select(['id', 'cards.created_at'])
      .where('guid', 'is', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(CARDS_AT_ONCE)
      .execute(),
  )
}

/** Returns cards by id; those of scripts have an empty key. */
export async function findCardsById(db: Kysely<Database>, ids: readonly number[]): Promise<OwnedCard[]> {
  return readInChunks(ids, async (chunk) => {
    const { rows } = await sql<OwnedCard>`
      select ${storedCard()}, guid, ord
      from cards left join imported_cards on card_id = id
      where id = any (${chunk}::integer[])`.execute(db)
    return rows
  })
}

function storedCard() {
  return sql`id, coalesce(imported_cards.deck_id, cards.deck_id) as identity_deck_id, coalesce(key, '') as key,
    cards.deck_id, sort_order,
    archived_at is null as is_live, ${digestOf('question')} as question_digest,
    ${digestOf('answer', 'level')} as rest_digest`
}

/** Returns the distinct levels of all live cards. */
export async function listLevels(db: Kysely<Database>): Promise<string[]> {
  const rows = await db.selectFrom('cards').select('level').distinct().where('archived_at', 'is', null).execute()
  return rows.map(({ level }) => level)
}

/** Returns the current texts of cards by id. */
export async function findCardTexts(
  db: Kysely<Database>,
  ids: number[],
): Promise<Map<number, { question: string; answer: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('cards').select(['id', 'question', 'answer']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, ...texts }) => [id, texts]))
}

/** Returns all sheets, including those of scripts, sources and archived ones. */
export async function findStoredSheets(db: Kysely<Database>): Promise<OwnedSheet[]> {
  return readByKey(SHEETS_AT_ONCE, (after) =>
    db
      .selectFrom('cheatsheets')
      .leftJoin('imported_cheatsheets', 'cheatsheet_id', 'cheatsheets.id')
      .leftJoin('content_sources', 'content_sources.id', 'source_id')
      .select(['cheatsheets.id', 'slug', 'source_id', 'source_key', 'content_sources.name as owner'])
      .select((eb) => [
        eb('cheatsheets.archived_at', 'is', null).$castTo<boolean>().as('is_live'),
        eb('cheatsheet_id', 'is not', null).and('source_id', 'is', null).$castTo<boolean>().as('is_imported'),
        digestOf('title', 'category', 'content_md').as('digest'),
      ])
      .where('cheatsheets.id', '>', after)
      .orderBy('cheatsheets.id')
      .limit(SHEETS_AT_ONCE)
      .execute(),
  )
}

async function readByKey<T extends { id: number }>(size: number, read: (after: number) => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (let after = -(2 ** 31); ; ) {
    const rows = await read(after)
    for (const row of rows) all.push(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return all
    after = last.id
  }
}

/** The SQL equivalent of `digestText`: texts are joined by NUL, which no text contains. */
function digestOf(...columns: string[]) {
  const bytes = columns.map((column) => sql`convert_to(${sql.ref(column)}, 'UTF8')`)
  return sql<string>`substr(encode(sha256(${sql.join(bytes, sql` || '\\x00'::bytea || `)}), 'hex'), 1, 32)`
}
