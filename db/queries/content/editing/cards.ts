import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { CARD_TEXTS, type CardTexts } from '../../../../src/domain/content/card-texts.js'
import type { Editable } from '../../../../src/domain/content/editing/rights.js'
import type { StoredKind } from '../../../../src/domain/content/upload/incoming.js'
import type { Exercise } from '../../../../src/domain/questions/exercise.js'
import { isStorable } from '../../../../src/domain/text/text.js'
import type { ItemState } from '../../../column-types.js'
import type { Database } from '../../../types.js'
import { readInBatches } from '../../read-in-batches.js'
import { CARD_COLUMNS, containsText } from '../card-texts.js'
import { isArchived, isDraft, liveVersion } from './state.js'

export interface EditedCard extends CardTexts {
  id: number
  deck_slug: string
  deck_name: string
  version: number
  draft: boolean
  /** Null unless the card is archived. Unlike the column, it is null for a draft that is not archived. */
  archived_at: Date | null
  /** Whether the card has a change from the browser that no later upload of its source has replaced */
  changed_here: boolean
  created_at: Date
  updated_at: Date
}

export interface ListedCard extends EditedCard {
  /** Key of the card within its deck; tests refer to the card by this key */
  key: string
  sort_order: number
}

export interface EditedCardWithOrigin extends EditedCard {
  /** Null for content from the content folder, from scripts or from a deleted source */
  source: { id: number; kind: StoredKind; name: string } | null
  file: string | null
  key: string | null
  learners: number
}

function cardsWithOrigin(db: Kysely<Database>) {
  return db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'cards.deck_id')
    .leftJoin('imported_cards', 'imported_cards.card_id', 'cards.id')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'cards.deck_id')
    .leftJoin('content_sources', 'content_sources.id', 'imported_decks.source_id')
}

function editedCards(db: Kysely<Database>) {
  return cardsWithOrigin(db)
    .select(['cards.id', ...CARD_TEXTS, 'cards.created_at', 'cards.updated_at'])
    .select(['decks.slug as deck_slug', 'decks.name as deck_name'])
    .select(({ ref }) => [
      sql<Exercise | null>`${ref('exercise')}`.as('exercise'),
      liveVersion('cards').as('version'),
      isDraft('cards').as('draft'),
      sql<Date | null>`case when ${isArchived('cards')} then cards.archived_at end`.as('archived_at'),
      sql<boolean>`coalesce(edited, false)`.as('changed_here'),
    ])
}

export async function findEditedCard(db: Kysely<Database>, id: number): Promise<EditedCardWithOrigin | undefined> {
  const row = await editedCards(db)
    .select(['content_sources.id as source_id', 'kind', 'content_sources.name as source_name', 'file', 'key'])
    .select(({ selectFrom, fn }) =>
      selectFrom('card_progress')
        .select(fn.countAll<number>().as('learners'))
        .whereRef('card_id', '=', 'cards.id')
        .$asScalar()
        .$notNull()
        .as('learners'),
    )
    .where('cards.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { source_id, kind, source_name, ...card } = row
  const source = source_id === null || kind === null ? null : { id: source_id, kind, name: source_name ?? '' }
  return { ...card, source }
}

export const CARD_FILTERS = ['live', 'draft', 'archived', 'all'] as const

/** `live` includes drafts. */
export interface EditedFilter {
  state: (typeof CARD_FILTERS)[number]
  level?: string | undefined
  /** Part of question or answer, case-insensitive and in any Unicode form */
  text?: string | undefined
  /** Whether only cards with a question for tests match */
  questions?: boolean
}

export interface CardPosition {
  sort_order: number
  id: number
}

export async function findPlace(db: Kysely<Database>, slug: string, id: number): Promise<CardPosition | undefined> {
  return db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'deck_id')
    .select(['cards.id', 'cards.sort_order'])
    .where('cards.id', '=', id)
    .where('slug', '=', slug)
    .executeTakeFirst()
}

export async function listEditedCards(
  db: Kysely<Database>,
  slug: string,
  filter: EditedFilter,
  after: CardPosition | undefined,
  limit: number,
): Promise<ListedCard[]> {
  return readInBatches<ListedCard>((last, most) => readEditedCards(db, slug, filter, last ?? after, most), limit)
}

async function readEditedCards(
  db: Kysely<Database>,
  slug: string,
  filter: EditedFilter,
  after: CardPosition | undefined,
  limit: number,
): Promise<ListedCard[]> {
  return editedCards(db)
    .select(['cards.sort_order', sql<string>`coalesce(imported_cards.key, 'karte-' || cards.id)`.as('key')])
    .where('cards.id', 'in', (eb) =>
      eb
        .selectFrom(cardIds(db, slug, filter, after, limit).as('page'))
        .select('page.id')
        .orderBy('sort_order')
        .orderBy('id')
        .limit(limit),
    )
    .orderBy('cards.sort_order')
    .orderBy('cards.id')
    .execute()
}

/**
 * Builds the query for the ids and sort orders of matching cards: up to `limit` cards with `archived_at` and up to
 * `limit` cards without it, because each of the two groups has its own index in deck order.
 */
function cardIds(
  db: Kysely<Database>,
  slug: string,
  { state, level, text, questions = false }: EditedFilter,
  after: CardPosition | undefined,
  limit: number,
) {
  const inOrder = (isHidden: boolean) => {
    let query = db
      .selectFrom('cards')
      .leftJoin('imported_cards', 'imported_cards.card_id', 'cards.id')
      .select(['cards.id', 'sort_order'])
      .where('cards.deck_id', '=', db.selectFrom('decks').select('id').where('slug', '=', slug))
      .where('cards.archived_at', isHidden ? 'is not' : 'is', null)
      .orderBy('sort_order')
      .orderBy('cards.id')
      .limit(limit)
    if (after !== undefined) {
      query = query.where(sql<boolean>`(sort_order, cards.id) > (${after.sort_order}::integer, ${after.id}::integer)`)
    }
    if (isHidden && state !== 'all') {
      query = query.where(state === 'archived' ? isArchived('cards') : sql<boolean>`not ${isArchived('cards')}`)
    }
    if (level !== undefined) query = query.where('level', '=', isStorable(level) ? level : '\u007f')
    if (text !== undefined) query = query.where(containsText(text))
    if (questions) query = query.where('exercise', 'is not', null)
    return query
  }
  const hidden = inOrder(true)
  if (state === 'draft' || state === 'archived') return hidden
  return db
    .selectFrom(inOrder(false).as('live'))
    .select(['id', 'sort_order'])
    .unionAll(db.selectFrom(hidden.as('hidden')).select(['id', 'sort_order']))
}

export interface EditableCard extends CardTexts, ItemState {
  id: number
  deck_id: number
  sort_order: number
  /** Null for content from the content folder, from scripts or from a deleted source */
  source_id: number | null
  kind: StoredKind | null
  file: string | null
  /** Null, like `identity_deck_id`, if the card has no identity */
  key: string | null
  identity_deck_id: number | null
  edited: boolean
}

/** Takes the lock that serialises the writers of cards; an import holds it from its first card to its end. */
export async function lockCardWriters(transaction: Transaction<Database>): Promise<void> {
  await transaction.selectFrom('distinct_answer_totals').select('id').forUpdate().execute()
}

/**
 * Takes the lock of `lockCardWriters` and then locks the cards, in the same order as an import. The texts must be read
 * with a later statement, because this statement does not see the changes that it has waited for.
 */
export async function lockCards(transaction: Transaction<Database>, ids: readonly number[]): Promise<void> {
  const turn = transaction.selectFrom('distinct_answer_totals').select('id').forUpdate()
  await transaction
    .with(
      (cte) => cte('turn').materialized(),
      () => turn,
    )
    .with('locked', (query) =>
      query
        .selectFrom('cards')
        .select('cards.id')
        .where(({ exists, selectFrom }) => exists(selectFrom('turn').select('turn.id')))
        .where(isAmong(ids))
        .orderBy('cards.id')
        .forUpdate(),
    )
    .selectFrom('locked')
    .select(({ fn }) => fn.countAll().as('count'))
    .execute()
}

/** Returns the sources of the cards, each with the file of its first card; cards without a source come first. */
export async function findOriginsOfCards(
  db: Kysely<Database>,
  ids: readonly number[],
): Promise<{ source_id: number | null; file: string | null }[]> {
  return cardsWithOrigin(db)
    .distinctOn('source_id')
    .select(['source_id', 'file'])
    .where(isAmong(ids))
    .orderBy('source_id', (order) => order.asc().nullsFirst())
    .orderBy('cards.id')
    .execute()
}

export async function findStoredCards(db: Kysely<Database>, ids: readonly number[]): Promise<EditableCard[]> {
  return cardsWithOrigin(db)
    .select(['cards.id', 'cards.deck_id', ...CARD_TEXTS, 'cards.sort_order'])
    .select(['source_id', 'kind', 'file', 'key', 'imported_cards.deck_id as identity_deck_id'])
    .select(({ ref }) => [
      sql<Exercise | null>`${ref('exercise')}`.as('exercise'),
      liveVersion('cards').as('version'),
      isDraft('cards').as('draft'),
      isArchived('cards').as('archived'),
      sql<boolean>`coalesce(edited, false)`.as('edited'),
    ])
    .where(isAmong(ids))
    .orderBy('cards.id')
    .execute()
}

/** Returns the approximate sizes of the cards' texts by id, as one JSON value; see `findMatchingIds`. */
export async function findSizes(
  db: Kysely<Database>,
  ids: readonly number[],
): Promise<{ id: number; bytes: number }[]> {
  const bytes = sql`octet_length(concat(${CARD_COLUMNS})) + coalesce(pg_column_size(exercise), 0)`
  const { sizes } = await db
    .selectFrom('cards')
    .select(
      sql<{ id: number; bytes: number }[]>`
      coalesce(json_agg(json_build_object('id', id, 'bytes', ${bytes}) order by id), '[]')`.as('sizes'),
    )
    .where(isAmong(ids))
    .executeTakeFirstOrThrow()
  return sizes
}

/** Passes a single id as a number, because statements with an array are not prepared. */
function isAmong(ids: readonly number[]): RawBuilder<boolean> {
  return ids.length === 1 ? sql`cards.id = ${ids[0]}` : sql`cards.id = any (${ids}::integer[])`
}

/**
 * Returns the ids of matching cards in any order; if there are more than `limit`, at least that many. They are passed as
 * one JSON value, because many rows would block other requests.
 */
export async function findMatchingIds(
  db: Kysely<Database>,
  slug: string,
  filter: EditedFilter,
  limit: number,
): Promise<number[]> {
  const { ids } = await db
    .selectFrom(cardIds(db, slug, filter, undefined, limit).as('matching'))
    .select(sql<number[]>`coalesce(json_agg(id), '[]')`.as('ids'))
    .executeTakeFirstOrThrow()
  return ids
}

/** Builds the condition that `column` contains the id of an editable source. */
export function isEditable(editable: Editable, column: string): RawBuilder<boolean> {
  if (editable === 'all') return sql`true`
  return sql`${sql.ref(column)} = any (${[...editable]}::integer[])`
}
