import { type Kysely, sql, type Transaction } from 'kysely'
import type { DeckVisibility } from '../../../../src/domain/content/deck-visibility.js'
import type { Editable } from '../../../../src/domain/content/editing/rights.js'
import { DEFAULT_LANGUAGE } from '../../../../src/domain/content/translations.js'
import type { StoredKind } from '../../../../src/domain/content/upload/incoming.js'
import type { Database } from '../../../types.js'
import { isOutdated } from '../checked-translations.js'
import { deckOrder } from '../decks.js'
import { type EditedVariant, originalOf, variantsOf } from '../translations.js'
import { offerDecks, raiseDeckVersions, setDefaults } from '../write.js'
import { isEditable } from './cards.js'

export interface EditedDeck {
  slug: string
  name: string
  description: string
  sort_order: number
  /** Null unless the deck is archived. Unlike the column, it is null for a pool that is not archived. */
  archived_at: Date | null
  tests_only: boolean
  lang: string
  /** Slug of the original; null unless the deck is a variant */
  translation_of: string | null
  variants: EditedVariant[]
  /** Whether the original has changed since this variant was checked */
  translation_outdated: boolean
  /** The author's desired retention of the deck; null if there is none */
  desired_retention: number | null
  /** Number of cards that are neither drafts nor archived */
  cards: number
  drafts: number
  /** 1 plus the number of changes of its fields by the service: in a form, by an import, with its source */
  version: number
  /** Null for content from the content folder, from scripts or from a deleted source */
  source: { id: number; kind: StoredKind; name: string } | null
}

export async function listEditedDecks(
  db: Kysely<Database>,
  editable: Editable,
  filter: { sourceId?: number | undefined; slug?: string | undefined },
): Promise<EditedDeck[]> {
  const drafts = db
    .selectFrom('imported_cards')
    .innerJoin('cards', 'cards.id', 'card_id')
    .select(({ fn }) => ['cards.deck_id', fn.countAll<number>().as('drafts')])
    .where('draft', '=', true)
    .where('draft_archived', '=', false)
    .groupBy('cards.deck_id')
  let query = db
    .selectFrom('decks')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'decks.id')
    .leftJoin('content_sources', 'content_sources.id', 'source_id')
    .leftJoin('deck_defaults', 'deck_defaults.deck_id', 'decks.id')
    .leftJoin('deck_versions', 'deck_versions.deck_id', 'decks.id')
    .leftJoin(drafts.as('drafts'), 'drafts.deck_id', 'decks.id')
    .select(['slug', 'decks.name', 'description', 'sort_order', 'card_count as cards', 'desired_retention'])
    .select(['source_id', 'kind', 'content_sources.name as source_name'])
    .select(({ fn, val }) => [
      fn.coalesce('tests_only', val(false)).as('tests_only'),
      fn.coalesce('lang', val(DEFAULT_LANGUAGE)).as('lang'),
      fn.coalesce('drafts.drafts', val(0)).as('drafts'),
      fn.coalesce('deck_versions.version', val(1)).as('version'),
      originalOf('deck').as('translation_of'),
      variantsOf('deck').as('variants'),
      isOutdated('deck').as('translation_outdated'),
      sql<Date | null>`case when tests_only is not true or pool_archived then decks.archived_at end`.as('archived_at'),
    ])
    .where(isEditable(editable, 'source_id').$castTo<boolean>())
    .orderBy(deckOrder('decks'))
  if (filter.sourceId !== undefined) query = query.where('source_id', '=', filter.sourceId)
  if (filter.slug !== undefined) query = query.where('slug', '=', filter.slug)
  const rows = await query.execute()
  return rows.map(({ source_id, kind, source_name, ...deck }) => ({
    ...deck,
    source: source_id === null || kind === null ? null : { id: source_id, kind, name: source_name ?? '' },
  }))
}

export interface DeckToEdit {
  id: number
  /** Null for content from the content folder, from scripts or from a deleted source */
  source_id: number | null
  /** Kind of the source */
  kind: StoredKind | null
  file: string | null
  tests_only: boolean
}

/** Returns the deck and prevents its deletion until the end of the transaction. */
export async function findDeckToEdit(
  transaction: Transaction<Database>,
  slug: string,
): Promise<DeckToEdit | undefined> {
  return transaction
    .selectFrom('decks')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'decks.id')
    .leftJoin('content_sources', 'content_sources.id', 'source_id')
    .select(['decks.id', 'source_id', 'kind', 'file'])
    .select(({ fn, val }) => fn.coalesce('tests_only', val(false)).as('tests_only'))
    .where('slug', '=', slug)
    .forKeyShare('decks')
    .executeTakeFirst()
}

/** Lets changes of a deck wait for each other until the end of the transaction. */
export async function lockDeck(transaction: Transaction<Database>, slug: string): Promise<void> {
  await transaction.selectFrom('decks').select('id').where('slug', '=', slug).forNoKeyUpdate().execute()
}

/** Returns the deck slugs that equal the word or begin with the word and a hyphen. */
export async function findSlugsLike(db: Kysely<Database>, word: string): Promise<string[]> {
  const rows = await db
    .selectFrom('decks')
    .select('slug')
    .where(({ or, eb, fn, val }) =>
      or([eb('slug', '=', word), eb(fn<boolean>('starts_with', ['slug', val(`${word}-`)]), '=', true)]),
    )
    .execute()
  return rows.map(({ slug }) => slug)
}

/** Returns a sort order after those of all live decks. */
export async function findLastDeckOrder(db: Kysely<Database>): Promise<number> {
  const { last } = await db
    .selectFrom('decks')
    .select(({ fn }) => fn.max<number | null>('sort_order').as('last'))
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Math.min((last ?? -1) + 1, 2 ** 31 - 1)
}

export interface NewDeck {
  slug: string
  name: string
  description: string
  sort_order: number
  source_id: number
  tests_only: boolean
  lang: string
  desired_retention: number | null
  visibility: DeckVisibility
}

export async function findDeckSlug(db: Kysely<Database>, id: number): Promise<string | undefined> {
  const deck = await db.selectFrom('decks').select('slug').where('id', '=', id).executeTakeFirst()
  return deck?.slug
}

/** Creates a deck and returns its id; undefined if the slug is taken. */
export async function insertDeck(
  transaction: Transaction<Database>,
  { source_id, tests_only, lang, desired_retention, visibility, ...deck }: NewDeck,
): Promise<number | undefined> {
  const created = await transaction
    .insertInto('decks')
    .values({ ...deck, archived_at: tests_only || visibility === 'draft' ? sql<Date>`now()` : null })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (created === undefined) return undefined
  await transaction
    .insertInto('imported_decks')
    .values({ deck_id: created.id, file: null, source_id, source_key: deck.slug, tests_only, lang })
    .execute()
  if (desired_retention !== null) await setDefaults(transaction, [{ id: created.id, deck: { desired_retention } }])
  if (visibility !== 'active' && !tests_only) await offerDecks(transaction, [deck.slug])
  return created.id
}

export interface DeckEdit {
  name?: string | undefined
  description?: string | undefined
  sort_order?: number | undefined
  archived?: boolean | undefined
  lang?: string | undefined
  translation_of?: string | null | undefined
  desired_retention?: number | null | undefined
}

/**
 * Changes a deck, except its original, and raises its version. For a pool, `archived` sets `pool_archived`, while
 * `archived_at` stays set.
 */
export async function updateDeck(
  transaction: Transaction<Database>,
  { id, tests_only }: DeckToEdit,
  { archived, lang, translation_of: _, desired_retention, ...texts }: DeckEdit,
): Promise<void> {
  const isHidden = archived === true || tests_only
  const values = {
    ...texts,
    ...(archived !== undefined && { archived_at: isHidden ? sql<Date>`coalesce(archived_at, now())` : null }),
  }
  if (Object.values(values).some((value) => value !== undefined)) {
    await transaction.updateTable('decks').set(values).where('id', '=', id).execute()
  }
  const marks = {
    ...(tests_only && archived !== undefined && { pool_archived: archived }),
    ...(lang !== undefined && { lang }),
  }
  if (Object.keys(marks).length > 0) {
    await transaction.updateTable('imported_decks').set(marks).where('deck_id', '=', id).execute()
  }
  if (desired_retention !== undefined) await setDefaults(transaction, [{ id, deck: { desired_retention } }])
  await raiseDeckVersions(transaction, [id])
}
