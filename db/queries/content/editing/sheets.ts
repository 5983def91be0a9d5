import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Editable } from '../../../../src/domain/content/editing/rights.js'
import { DEFAULT_LANGUAGE } from '../../../../src/domain/content/translations.js'
import type { StoredKind } from '../../../../src/domain/content/upload/incoming.js'
import { isStorable } from '../../../../src/domain/text/text.js'
import type { ItemState } from '../../../column-types.js'
import type { Database } from '../../../types.js'
import { readInBatches } from '../../read-in-batches.js'
import { isOutdated } from '../checked-translations.js'
import type { Source } from '../sources.js'
import { type EditedVariant, originalOf, variantsOf } from '../translations.js'
import { type EditedState, hasState, isArchived, isDraft, liveVersion, visibilityColumns } from './state.js'
import type { SheetTexts } from './versions.js'

export interface EditedSheetSummary
  extends Pick<Selectable<Database['cheatsheets']>, 'id' | 'slug' | 'title' | 'category'> {
  version: number
  draft: boolean
  archived: boolean
  archived_at: Date | null
  created_at: Date
  updated_at: Date
  edited: boolean
  lang: string
  /** Slug of the original; null unless the sheet is a variant */
  translation_of: string | null
  variants: EditedVariant[]
  /** Whether the original has changed since this variant was checked */
  translation_outdated: boolean
  /** Null for content from the content folder, from scripts or from a deleted source */
  source: Source | null
}

export interface EditedSheet extends EditedSheetSummary {
  content_md: string
}

function selectSheets(db: Kysely<Database>) {
  return db
    .selectFrom('cheatsheets')
    .leftJoin('imported_cheatsheets', 'imported_cheatsheets.cheatsheet_id', 'cheatsheets.id')
    .leftJoin('content_sources', 'content_sources.id', 'imported_cheatsheets.source_id')
    .select((eb) => [
      'cheatsheets.id',
      'slug',
      'title',
      'category',
      'cheatsheets.created_at',
      'cheatsheets.updated_at',
      liveVersion('cheatsheets').as('version'),
      isDraft('cheatsheets').as('draft'),
      isArchived('cheatsheets').as('archived'),
      eb.fn.coalesce('edited', sql.lit(false)).as('edited'),
      eb.fn.coalesce('lang', eb.val(DEFAULT_LANGUAGE)).as('lang'),
      originalOf('sheet').as('translation_of'),
      variantsOf('sheet').as('variants'),
      isOutdated('sheet').as('translation_outdated'),
      'cheatsheets.archived_at',
      'source_id',
      'content_sources.kind as source_kind',
      'content_sources.name as source_name',
    ])
}

type SheetRow = Omit<EditedSheetSummary, 'source'> & {
  source_id: number | null
  source_kind: StoredKind | null
  source_name: string | null
}

function toSheet<T extends SheetRow>({ source_id, source_kind, source_name, ...sheet }: T) {
  const source = source_id === null ? null : { id: source_id, kind: source_kind, name: source_name }
  return { ...sheet, archived_at: sheet.archived ? sheet.archived_at : null, source: source as Source | null }
}

export interface SheetFilter {
  editable: Editable
  sourceId?: number | undefined
  state?: EditedState | undefined
  /** Part of the title, case-insensitive and in any Unicode form */
  q?: string | undefined
}

/** Returns matching sheets of editable sources by category and title, after the sheet with the id `after`. */
export async function listEditedSheets(
  db: Kysely<Database>,
  filter: SheetFilter,
  after: number | undefined,
  limit: number,
): Promise<EditedSheetSummary[]> {
  return readInBatches<EditedSheetSummary>((last, most) => readSheets(db, filter, last?.id ?? after, most), limit)
}

async function readSheets(
  db: Kysely<Database>,
  { editable, sourceId, state, q }: SheetFilter,
  after: number | undefined,
  limit: number,
): Promise<EditedSheetSummary[]> {
  if (q !== undefined && !isStorable(q)) return []
  let sheets = selectSheets(db)
  if (editable !== 'all') sheets = sheets.where('source_id', '=', ({ fn, val }) => fn.any(val([...editable])))
  if (sourceId !== undefined) sheets = sheets.where('source_id', '=', sourceId)
  if (state !== undefined) sheets = sheets.where(hasState('cheatsheets', state))
  if (q !== undefined) sheets = sheets.where(sql<boolean>`strpos(fold_text(title), fold_text(${q}::text)) > 0`)
  if (after !== undefined) {
    sheets = sheets.where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('category', 'title', 'cheatsheets.id'),
        '>',
        selectFrom('cheatsheets as last')
          .select(['last.category', 'last.title', 'last.id'])
          .where('last.id', '=', after)
          .$asTuple('category', 'title', 'id'),
      ),
    )
  }
  const rows = await sheets.orderBy('category').orderBy('title').orderBy('cheatsheets.id').limit(limit).execute()
  return rows.map(toSheet)
}

export async function findEditedSheet(db: Kysely<Database>, slug: string): Promise<EditedSheet | undefined> {
  if (!isStorable(slug)) return undefined
  const row = await selectSheets(db).select('content_md').where('slug', '=', slug).executeTakeFirst()
  return row && toSheet(row)
}

export async function findSheetByClientId(db: Kysely<Database>, clientId: string): Promise<EditedSheet | undefined> {
  const row = await selectSheets(db).select('content_md').where('client_id', '=', clientId).executeTakeFirst()
  return row && toSheet(row)
}

/**
 * Locks a sheet until the end of the transaction. Later statements of the transaction see the changes for which the
 * lock has waited.
 * @returns whether the sheet exists
 */
export async function lockSheet(transaction: Transaction<Database>, slug: string): Promise<boolean> {
  if (!isStorable(slug)) return false
  const row = await transaction
    .selectFrom('cheatsheets')
    .select('id')
    .where('slug', '=', slug)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

export async function lockSheetsOfSource(transaction: Transaction<Database>, sourceId: number): Promise<void> {
  await transaction
    .selectFrom('cheatsheets')
    .innerJoin('imported_cheatsheets', 'cheatsheet_id', 'cheatsheets.id')
    .select('cheatsheets.id')
    .where('source_id', '=', sourceId)
    .orderBy('cheatsheets.id')
    .forNoKeyUpdate('cheatsheets')
    .execute()
}

export async function lockSourceAgainstDeletion(transaction: Transaction<Database>, id: number): Promise<boolean> {
  const row = await transaction
    .selectFrom('content_sources')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

export async function findSheetSlugs(db: Kysely<Database>, start: string): Promise<string[]> {
  const rows = await db
    .selectFrom('cheatsheets')
    .select('slug')
    .where(({ fn, val }) => fn<boolean>('starts_with', ['slug', val(start)]))
    .execute()
  return rows.map(({ slug }) => slug)
}

export interface NewSheet extends SheetTexts {
  slug: string
  draft: boolean
  lang: string
  source_id: number
  client_id: string
}

export async function insertEditedSheet(
  transaction: Transaction<Database>,
  { draft, lang, source_id, client_id, ...sheet }: NewSheet,
): Promise<number> {
  const { id } = await transaction
    .insertInto('cheatsheets')
    .values({ ...sheet, archived_at: draft ? sql<Date>`now()` : null })
    .returning('id')
    .executeTakeFirstOrThrow()
  await transaction
    .insertInto('imported_cheatsheets')
    .values({ cheatsheet_id: id, source_id, source_key: sheet.slug, client_id, draft, lang })
    .execute()
  return id
}

/** Marks a sheet as changed in the service since the last upload. */
export async function markSheetEdited(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction.updateTable('imported_cheatsheets').set({ edited: true }).where('cheatsheet_id', '=', id).execute()
}

export async function updateEditedSheet(
  transaction: Transaction<Database>,
  id: number,
  { archived, draft, edited, ...texts }: SheetTexts & Pick<ItemState, 'archived' | 'draft'> & { edited: boolean },
): Promise<void> {
  const { archived_at, ...columns } = visibilityColumns({ archived, draft })
  await transaction
    .updateTable('imported_cheatsheets')
    .set({ ...columns, edited })
    .where('cheatsheet_id', '=', id)
    .execute()
  await transaction
    .updateTable('cheatsheets')
    .set({ ...texts, archived_at })
    .where('id', '=', id)
    .execute()
}
