import { type Kysely, sql, type Transaction } from 'kysely'
import type { FrozenQuestion } from '../../../src/domain/questions/frozen.js'
import type { TestDefinition } from '../../../src/domain/tests/definition.js'
import { splitList } from '../../../src/domain/text/parameters.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { IS_KEPT_DECK } from '../content/visibility.js'
import { readInChunks } from '../read-in-chunks.js'
import { insertEvents } from '../webhooks/announce.js'

// Raw SQL: questions and the ids of cards come from arrays (`unnest`).

const CARDS_AT_ONCE = 250

/** A deck without its cards */
export interface DeckRow {
  id: number
  slug: string
  name: string
  /** Null for content from the content folder, from scripts or from a deleted source */
  source_id: number | null
  tests_only: boolean
  is_live: boolean
}

export async function listNamedDecks(db: Kysely<Database>, slugs: readonly string[]): Promise<DeckRow[]> {
  return db
    .selectFrom('decks')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'decks.id')
    .leftJoin('content_sources', 'content_sources.id', 'source_id')
    .select(['decks.id', 'slug', 'decks.name', 'source_id'])
    .select(({ fn, val }) => [
      fn.coalesce('tests_only', val(false)).as('tests_only'),
      sql<boolean>`content_sources.archived_at is null and ${IS_KEPT_DECK}`.as('is_live'),
    ])
    .where('slug', '=', ({ fn, val }) => fn.any(val(slugs.filter(isStorable))))
    .execute()
}

export interface CardRow {
  id: number
  deck_id: number
  key: string
  level: string
  question: string
  answer: string
  /** As stored, not checked */
  exercise: unknown
  archived_at: Date | null
  is_draft: boolean
}

const KEY = sql<string>`coalesce(imported_cards.key, 'karte-' || cards.id)`

/**
 * Returns the cards of the decks that have an exercise or one of the keys, in the order of their decks. First reads their
 * ids as one text, and then the cards in batches, because the driver converts all rows of a statement without yielding.
 */
export async function listQuestionCards(
  db: Kysely<Database>,
  deckIds: readonly number[],
  keys: readonly string[],
): Promise<CardRow[]> {
  // A card moved from another deck keeps its key, so two cards of a deck may have the same key. The card that was not
  // moved comes first.
  const { rows } = await sql<{ ids: string | null }>`
    select string_agg(
      cards.id::text, ',' order by imported_cards.deck_id is distinct from cards.deck_id, sort_order, cards.id
    ) as ids
    from cards left join imported_cards on card_id = cards.id
    where cards.deck_id = any(${deckIds}::integer[]) and (exercise is not null or ${KEY} = any(${keys}::text[]))`.execute(
    db,
  )
  return readInChunks(splitList(rows[0]?.ids ?? '').map(Number), (ids) => readQuestionCards(db, ids), CARDS_AT_ONCE)
}

async function readQuestionCards(db: Kysely<Database>, ids: readonly number[]): Promise<CardRow[]> {
  const { rows } = await sql<CardRow>`
    select cards.id, cards.deck_id, level, question, answer, exercise, archived_at, ${KEY} as key,
      coalesce(draft and not draft_archived, false) as is_draft
    from unnest(${ids}::integer[]) with ordinality as wanted (id, place)
    join cards on cards.id = wanted.id
    left join imported_cards on card_id = cards.id
    order by place`.execute(db)
  return rows
}

export async function findDigest(db: Kysely<Database>, testId: number, version: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('test_versions')
    .select('digest')
    .where('test_id', '=', testId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.digest
}

export async function findPublishedDigests(
  db: Kysely<Database>,
  testIds: readonly number[],
): Promise<Map<number, Buffer>> {
  const rows = await db
    .selectFrom('tests')
    .innerJoin('test_versions', (join) =>
      join.onRef('test_id', '=', 'tests.id').onRef('version', '=', 'published_version'),
    )
    .select(['tests.id', 'digest'])
    .where('tests.id', '=', ({ fn, val }) => fn.any(val([...testIds])))
    .execute()
  return new Map(rows.map(({ id, digest }) => [id, digest]))
}

export interface NewVersion {
  test_id: number
  version: number
  definition: TestDefinition
  open_questions: boolean
  digest: Buffer
  published_by: string | null
  questions: { section: number; position: number; card_id: number | null; content: FrozenQuestion }[]
}

const ROWS_AT_ONCE = 1_000

/** Writes a version with its questions, makes it the published version and writes the event. */
export async function insertVersion(
  transaction: Transaction<Database>,
  { questions, definition, ...version }: NewVersion,
): Promise<void> {
  const { test_id } = version
  await transaction
    .insertInto('test_versions')
    .values({ ...version, definition: JSON.stringify(definition) })
    .execute()
  for (let first = 0; first < questions.length; first += ROWS_AT_ONCE) {
    const rows = questions.slice(first, first + ROWS_AT_ONCE)
    await sql`
      insert into test_questions (test_id, version, section, position, card_id, content)
      select ${test_id}::integer, ${version.version}::integer, section, position, card_id, content::jsonb
      from unnest(
        ${rows.map(({ section }) => section)}::integer[], ${rows.map(({ position }) => position)}::integer[],
        ${rows.map(({ card_id }) => card_id)}::integer[], ${rows.map(({ content }) => JSON.stringify(content))}::text[]
      ) as input (section, position, card_id, content)`.execute(transaction)
  }
  await sql`
    with published as (
      update tests set published_version = ${version.version} where id = ${test_id} returning id, slug
    )
    ${insertEvents(
      'content.published',
      sql`
        select id as position, jsonb_build_object('content', jsonb_build_object('kind', 'test', 'id', id, 'slug', slug,
          'title', ${definition.name}::text, 'version', ${version.version}::integer)) as data
        from published`,
    )}`.execute(transaction)
}

export async function listDeckSlugs(db: Kysely<Database>, sourceId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('decks')
    .innerJoin('imported_decks', 'deck_id', 'decks.id')
    .select('slug')
    .where('source_id', '=', sourceId)
    .orderBy('sort_order')
    .orderBy('decks.id')
    .execute()
  return rows.map(({ slug }) => slug)
}
