import type { Insertable } from 'kysely'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Editable } from '../../../src/domain/content/editing/rights.js'
import type { StoredKind } from '../../../src/domain/content/upload/incoming.js'
import type { TableLayout } from '../../../src/domain/table-layout.js'
import type { Database } from '../../types.js'
import { IS_KEPT_DECK } from './visibility.js'
import { raiseDeckVersions } from './write.js'

// Raw SQL: the updates join the time of the archiving (`update … from`), and ids are read as arrays.

export interface Source {
  id: number
  kind: StoredKind
  name: string
}

/** A source in the list. `decks` and `cards` are the numbers of its decks, pools and cards that are not archived. */
export interface ListedSource extends Source {
  file_name: string | null
  decks: number
  cards: number
  size_bytes: number
  created_at: Date
  created_by: string | null
  updated_at: Date
  updated_by: string | null
  archived_at: Date | null
}

export async function listSources(db: Kysely<Database>, editable: Editable): Promise<ListedSource[]> {
  return db
    .selectFrom('content_sources')
    .leftJoin('imported_decks', 'source_id', 'content_sources.id')
    .leftJoin('decks', (join) => join.onRef('decks.id', '=', 'deck_id').on(IS_KEPT_DECK))
    .select([
      ...(['content_sources.id', 'kind', 'content_sources.name', 'file_name', 'size_bytes'] as const),
      ...(['content_sources.created_at', 'created_by', 'content_sources.updated_at', 'updated_by'] as const),
      'content_sources.archived_at',
    ])
    .select(({ fn }) => [
      fn.count<number>('decks.id').as('decks'),
      sql<number>`coalesce(sum(card_count), 0)::integer`.as('cards'),
    ])
    .$if(editable !== 'all', (query) =>
      query.where('content_sources.id', '=', ({ fn, val }) => fn.any(val([...(editable as ReadonlySet<number>)]))),
    )
    .groupBy('content_sources.id')
    .orderBy('content_sources.updated_at', 'desc')
    .orderBy('content_sources.id', 'desc')
    .execute()
}

export async function findSource(db: Kysely<Database>, id: number): Promise<Source | undefined> {
  return db.selectFrom('content_sources').select(['id', 'kind', 'name']).where('id', '=', id).executeTakeFirst()
}

/** Returns the name of a source, and what was chosen for its tables; null if nothing was. */
export async function findTableSource(
  db: Kysely<Database>,
  id: number,
): Promise<{ name: string; table_layout: TableLayout | null } | undefined> {
  return db.selectFrom('content_sources').select(['name', 'table_layout']).where('id', '=', id).executeTakeFirst()
}

/** Stores what was chosen for a table, for the next upload to the source. */
export async function rememberTable(
  transaction: Transaction<Database>,
  id: number,
  layout: TableLayout,
): Promise<void> {
  await transaction
    .updateTable('content_sources')
    .set({ table_layout: JSON.stringify(layout) })
    .where('id', '=', id)
    .execute()
}

/**
 * Returns the editable source of one of the kinds with this name. If there are several, prefers those that are not
 * archived, and among these the one with the latest upload.
 */
export async function findSourceByName(
  db: Kysely<Database>,
  kinds: readonly StoredKind[],
  name: string,
  editable: Editable,
): Promise<Source | undefined> {
  return db
    .selectFrom('content_sources')
    .select(['id', 'kind', 'name'])
    .where('name', '=', name)
    .where('kind', 'in', kinds)
    .$if(editable !== 'all', (query) =>
      query.where('id', '=', ({ fn, val }) => fn.any(val([...(editable as ReadonlySet<number>)]))),
    )
    .orderBy((eb) => eb('archived_at', 'is not', null))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function insertSource(
  transaction: Transaction<Database>,
  source: Insertable<Database['content_sources']>,
): Promise<number> {
  const { id } = await transaction
    .insertInto('content_sources')
    .values(source)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Records another upload, which restores an archived source. */
export async function recordUpload(
  transaction: Transaction<Database>,
  id: number,
  upload: { file_name: string | null; size_bytes: number; updated_by: string | null },
): Promise<void> {
  await transaction
    .updateTable('content_sources')
    .set({ ...upload, updated_at: sql`now()`, archived_at: null })
    .where('id', '=', id)
    .execute()
}

export async function updateSourceName(transaction: Transaction<Database>, id: number, name: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('content_sources')
    .set({ name })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function markSourceAsArchived(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction
    .updateTable('content_sources')
    .set({ archived_at: sql`coalesce(archived_at, now())` })
    .where('id', '=', id)
    .execute()
}

/**
 * Restores decks and sheets, unless they were archived before the source. Pools and drafts keep `archived_at`, which
 * hides them from learners.
 */
export async function restoreDecksAndSheets(
  transaction: Transaction<Database>,
  id: number,
  { decks, cheatsheets }: Pick<SourceContent, 'decks' | 'cheatsheets'>,
): Promise<void> {
  const pools = await sql<{ id: number }>`
    update imported_decks set pool_archived = false
    from decks
    where deck_id = decks.id and decks.id = any (${decks}) and pool_archived and archived_at >= ${archivingOf(id)}
    returning deck_id as id`.execute(transaction)
  const restored = await sql<{ id: number }>`
    update decks set archived_at = null
    where id = any (${decks}) and archived_at >= ${archivingOf(id)}
      and not exists (select from imported_decks where deck_id = decks.id and tests_only)
    returning id`.execute(transaction)
  await raiseDeckVersions(
    transaction,
    [...pools.rows, ...restored.rows].map((deck) => deck.id),
  )
  await sql`
    update imported_cheatsheets set draft_archived = false
    from cheatsheets
    where cheatsheet_id = cheatsheets.id and cheatsheets.id = any (${cheatsheets}) and draft_archived
      and archived_at >= ${archivingOf(id)}`.execute(transaction)
  await sql`
    update cheatsheets set archived_at = null
    where id = any (${cheatsheets}) and archived_at >= ${archivingOf(id)}
      and not exists (select from imported_cheatsheets where cheatsheet_id = cheatsheets.id and draft)
    `.execute(transaction)
}

/** Restores cards under the same conditions as `restoreDecksAndSheets`. */
export async function restoreCards(transaction: Transaction<Database>, id: number, cards: number[]): Promise<void> {
  await sql`
    update imported_cards set draft_archived = false
    from cards
    where card_id = cards.id and cards.id = any (${cards}) and draft_archived and archived_at >= ${archivingOf(id)}
    `.execute(transaction)
  await sql`
    update cards set archived_at = null
    where id = any (${cards}) and archived_at >= ${archivingOf(id)}
      and not exists (select from imported_cards where card_id = cards.id and draft)`.execute(transaction)
}

export async function markSourceAsRestored(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction.updateTable('content_sources').set({ archived_at: null }).where('id', '=', id).execute()
}

function archivingOf(id: number) {
  return sql`(select archived_at from content_sources where id = ${id})`
}

/** Ids of the decks, cards, sheets and tests of a source, including archived ones */
export interface SourceContent {
  decks: number[]
  cards: number[]
  cheatsheets: number[]
  tests: number[]
}

export async function findSourceContent(db: Kysely<Database>, id: number): Promise<SourceContent> {
  const { rows } = await sql<SourceContent>`
    select
      array(select deck_id from imported_decks where source_id = ${id}::integer order by 1) as decks,
      array(
        select card_id from imported_cards join imported_decks using (deck_id)
        where source_id = ${id}::integer order by 1
      ) as cards,
      array(select cheatsheet_id from imported_cheatsheets where source_id = ${id}::integer order by 1) as cheatsheets,
      array(select id from tests where source_id = ${id}::integer order by 1) as tests
    `.execute(db)
  return rows[0] as SourceContent
}

export async function deleteCards(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  await transaction
    .deleteFrom('cards')
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .execute()
}

/** Deletes tests with their attempts, decks with their remaining cards, and sheets. */
export async function deleteItems(
  transaction: Transaction<Database>,
  { decks, cheatsheets, tests }: Omit<SourceContent, 'cards'>,
): Promise<void> {
  // Deletes attempts before the version of their test, because ending an attempt locks these rows in the same order.
  await transaction
    .deleteFrom('attempts')
    .where('test_id', '=', ({ fn, val }) => fn.any(val(tests)))
    .execute()
  await transaction
    .deleteFrom('tests')
    .where('id', '=', ({ fn, val }) => fn.any(val(tests)))
    .execute()
  await transaction
    .deleteFrom('decks')
    .where('id', '=', ({ fn, val }) => fn.any(val(decks)))
    .execute()
  await transaction
    .deleteFrom('cheatsheets')
    .where('id', '=', ({ fn, val }) => fn.any(val(cheatsheets)))
    .execute()
}

/** Deletes those changes of a source that no item and no superseded text refers to. */
export async function deleteEmptyChanges(transaction: Transaction<Database>, sourceId: number): Promise<void> {
  await transaction
    .deleteFrom('content_changes')
    .where('source_id', '=', sourceId)
    .where(({ and, not, exists, selectFrom }) =>
      and(
        (['content_change_items', 'card_versions', 'sheet_versions'] as const).map((table) =>
          not(
            exists(
              selectFrom(table).select(`${table}.change_id`).whereRef(`${table}.change_id`, '=', 'content_changes.id'),
            ),
          ),
        ),
      ),
    )
    .execute()
}

/**
 * Deletes a source. Its decks, sheets and tests remain without an owner; the cards keep their identities, and pools stay
 * hidden from learners. Decks and sheets leave their groups of translations, so a variant of a test keeps its published
 * version and cannot be published again until its decks have a group.
 */
export async function deleteSource(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction
    .updateTable('imported_decks')
    .set({ source_id: null, source_key: null, file: null })
    .where('source_id', '=', id)
    .where('tests_only', '=', true)
    .execute()
  await transaction.deleteFrom('imported_decks').where('source_id', '=', id).execute()
  await transaction.deleteFrom('imported_cheatsheets').where('source_id', '=', id).execute()
  const noOwner = { source_id: null, source_key: null, edited: false }
  await transaction.updateTable('tests').set(noOwner).where('source_id', '=', id).execute()
  await transaction.deleteFrom('content_sources').where('id', '=', id).execute()
}
