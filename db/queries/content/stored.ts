import { type Kysely, type RawBuilder, sql } from 'kysely'
import { CARD_TEXTS, TEXT_RULES } from '../../../src/domain/content/card-texts.js'
import type {
  OwnedCard,
  OwnedDeck,
  OwnedSheet,
  StoredCard,
  Visibility,
} from '../../../src/domain/content/plan/types.js'
import { DEFAULT_LANGUAGE } from '../../../src/domain/content/translations.js'
import type { Database } from '../../types.js'
import { readInChunks } from '../read-in-chunks.js'
import { IS_KEPT_DECK } from './visibility.js'

const CARDS_AT_ONCE = 5_000
const SHEETS_AT_ONCE = 200

export async function isContentEmpty(db: Kysely<Database>): Promise<boolean> {
  const { decks, sheets } = await db
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('decks').select('id')).as('decks'),
      exists(selectFrom('cheatsheets').select('id')).as('sheets'),
    ])
    .executeTakeFirstOrThrow()
  return !decks && !sheets
}

/** Includes archived decks and those that scripts or sources have created. */
export async function findStoredDecks(db: Kysely<Database>): Promise<OwnedDeck[]> {
  return db
    .selectFrom('decks')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'decks.id')
    .leftJoin('content_sources', 'content_sources.id', 'source_id')
    .leftJoin('deck_defaults', 'deck_defaults.deck_id', 'decks.id')
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
      'desired_retention',
    ])
    .select('content_sources.name as owner')
    .select((eb) => [
      eb.fn.coalesce('tests_only', eb.lit(false)).as('tests_only'),
      eb.fn.coalesce('options_off', eb.lit(false)).as('options_off'),
      eb.fn.coalesce('lang', eb.val(DEFAULT_LANGUAGE)).as('lang'),
      // `archived_at` alone does not tell whether a pool is archived, because it is always set for pools.
      IS_KEPT_DECK.as('is_live'),
      // A pool of a deleted source keeps its row, but no file.
      eb('imported_decks.deck_id', 'is not', null)
        .and('source_id', 'is', null)
        .and(eb.or([eb('file', 'is not', null), eb('tests_only', '=', false)]))
        .$castTo<boolean>()
        .as('is_imported'),
      eb('content_sources.archived_at', 'is', null).$castTo<boolean>().as('owner_is_live'),
    ])
    .orderBy('decks.id')
    .execute()
}

/** Returns the cards of the content folder and of deleted sources, including archived cards. */
export async function findFolderCards(db: Kysely<Database>): Promise<StoredCard[]> {
  return readByKey(CARDS_AT_ONCE, (after) => pageOfCards(db, after).where('source_id', 'is', null).execute())
}

export async function findSourceCards(db: Kysely<Database>, sourceId: number): Promise<OwnedCard[]> {
  return readByKey(CARDS_AT_ONCE, (after) => pageOfCards(db, after).where('source_id', '=', sourceId).execute())
}

function pageOfCards(db: Kysely<Database>, after: number) {
  return selectCards(db)
    .where('imported_cards.card_id', '>', after)
    .orderBy('imported_cards.card_id')
    .limit(CARDS_AT_ONCE)
}

export async function findCardsOfNotes(db: Kysely<Database>, guids: readonly string[]): Promise<OwnedCard[]> {
  return readInChunks(guids, (chunk) =>
    selectCards(db)
      .where('guid', '=', ({ fn, val }) => fn.any(val(chunk)))
      .execute(),
  )
}

/**
 * Returns the cards that cannot use the guid of an Anki note in an exported package: cards without a note, and cards
 * for which a card with a lower id has the same guid and `ord`. The export derives their guid from the returned fields.
 */
export async function findCardsWithoutNote(db: Kysely<Database>): Promise<{ id: number; created_at: Date }[]> {
  return readByKey(CARDS_AT_ONCE, (after) =>
    db
      .selectFrom('cards')
      .leftJoin('imported_cards', 'card_id', 'id')
      .select(['id', 'cards.created_at'])
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb('guid', 'is', null),
          exists(
            selectFrom('imported_cards as other')
              .select('other.card_id')
              .whereRef('other.guid', '=', 'imported_cards.guid')
              .whereRef('other.ord', '=', 'imported_cards.ord')
              .whereRef('other.card_id', '<', 'imported_cards.card_id'),
          ),
        ]),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(CARDS_AT_ONCE)
      .execute(),
  )
}

export async function findCardsById(db: Kysely<Database>, ids: readonly number[]): Promise<OwnedCard[]> {
  return readInChunks(ids, (chunk) =>
    selectCards(db)
      .where('cards.id', '=', ({ fn, val }) => fn.any(val(chunk)))
      .execute(),
  )
}

/**
 * Selects cards with their keys. The key is empty for a card without a row in `imported_cards`, such as a card that a
 * script has created.
 */
function selectCards(db: Kysely<Database>) {
  return db
    .selectFrom('cards')
    .leftJoin('imported_cards', 'card_id', 'cards.id')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'imported_cards.deck_id')
    .select(['cards.id', 'cards.deck_id', 'sort_order', 'guid', 'ord'])
    .select((eb) => [
      eb.fn.coalesce('imported_cards.deck_id', 'cards.deck_id').as('identity_deck_id'),
      eb.fn.coalesce('key', sql.lit('')).as('key'),
      eb.fn.coalesce('edited', eb.lit(false)).as('is_edited'),
      VISIBILITY.as('state'),
      ...CARD_TEXTS.map((name) =>
        (TEXT_RULES[name].isMarkdown ? digestOf(name) : sql<string>`${sql.ref(name)}`).as(`${name}_digest`),
      ),
      EXERCISE_DIGEST.as('exercise_digest'),
    ])
}

const VISIBILITY = sql<Visibility>`case when archived_at is null then 'live'
  when draft and not draft_archived then 'draft' else 'archived' end`

/**
 * Digest of an exercise; an empty string for a plain card. If a script has left out required keys, the digest differs
 * from the digest of every exercise in a file: it is `none`, or covers a byte that UTF-8 does not contain.
 */
const EXERCISE_DIGEST = sql<string>`case when exercise is null then '' else coalesce(
  substr(encode(sha256(
    ${joinBytes(sql`exercise ->> 'form'`, sql`coalesce(exercise ->> 'tolerance', '')`, sql`coalesce(exercise ->> 'unit', '')`)}
    || coalesce((
      select string_agg(
        '\\x00'::bytea || coalesce(
          ${joinBytes(sql`option ->> 'correct'`, sql`option ->> 'text'`, sql`coalesce(option ->> 'feedback', '')`)},
          '\\xff'::bytea),
        ''::bytea order by place)
      from jsonb_path_query(exercise, 'lax $.options[*]') with ordinality as listed (option, place)
    ), ''::bytea)
  ), 'hex'), 1, 32), 'none') end`

export async function listLevels(db: Kysely<Database>): Promise<string[]> {
  const rows = await db.selectFrom('cards').select('level').distinct().where('archived_at', 'is', null).execute()
  return rows.map(({ level }) => level)
}

export async function findCardTexts(
  db: Kysely<Database>,
  ids: number[],
): Promise<Map<number, { question: string; answer: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('cards').select(['id', 'question', 'answer']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, ...texts }) => [id, texts]))
}

/** Includes archived sheets and those that scripts or sources have created. */
export async function findStoredSheets(db: Kysely<Database>): Promise<OwnedSheet[]> {
  return readByKey(SHEETS_AT_ONCE, (after) =>
    db
      .selectFrom('cheatsheets')
      .leftJoin('imported_cheatsheets', 'cheatsheet_id', 'cheatsheets.id')
      .leftJoin('content_sources', 'content_sources.id', 'source_id')
      .select(['cheatsheets.id', 'slug', 'source_id', 'source_key', 'content_sources.name as owner'])
      .select((eb) => [
        sql<Visibility>`case when cheatsheets.archived_at is null then 'live'
          when draft and not draft_archived then 'draft' else 'archived' end`.as('state'),
        eb.fn.coalesce('edited', eb.lit(false)).as('is_edited'),
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

/** Builds the SQL equivalent of `digestText`. */
function digestOf(...columns: string[]) {
  return sql<string>`substr(encode(sha256(${joinBytes(...columns.map((column) => sql.ref(column)))}), 'hex'), 1, 32)`
}

/** Joins texts with NUL, which no text contains. */
function joinBytes(...texts: RawBuilder<unknown>[]) {
  const bytes = texts.map((text) => sql`convert_to(${text}, 'UTF8')`)
  return sql.join(bytes, sql` || '\\x00'::bytea || `)
}
