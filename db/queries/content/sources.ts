import type { Insertable } from 'kysely'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Editable } from '../../../src/domain/content/editing/rights.js'
import type { StoredKind } from '../../../src/domain/content/upload/incoming.js'
import type { ContentSourcesTable, Database } from '../../types.js'
import { IS_KEPT_DECK } from './visibility.js'

/** Identification of a source. */
export interface Source {
  id: number
  kind: StoredKind
  name: string
}

/**
 * A source as its editors see it. `decks` counts its decks and pools that are not archived, `cards` their live cards.
 */
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

/** Returns the sources that the caller may edit, the latest upload first. */
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

/**
 * Returns the editable source with this name. If there are several, prefers those that are not archived, and among
 * these the one with the latest upload.
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
  source: Insertable<ContentSourcesTable>,
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

/** Renames a source; returns false if it does not exist. */
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
 * Restores the decks and sheets that were archived when the source was archived or later. Those that were archived
 * earlier stay archived, and drafts stay hidden.
 */
export async function restoreDecksAndSheets(
  transaction: Transaction<Database>,
  id: number,
  { decks, cheatsheets }: Pick<SourceContent, 'decks' | 'cheatsheets'>,
): Promise<void> {
  await transaction
    .updateTable('decks')
    .set({ archived_at: null })
    .where('id', '=', ({ fn, val }) => fn.any(val(decks)))
    .where('archived_at', '>=', archivingOf(transaction, id))
    .execute()
  await transaction
    .updateTable('cheatsheets')
    .set({ archived_at: null })
    .where('id', '=', ({ fn, val }) => fn.any(val(cheatsheets)))
    .where('archived_at', '>=', archivingOf(transaction, id))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('imported_cheatsheets')
            .select('cheatsheet_id')
            .whereRef('cheatsheet_id', '=', 'cheatsheets.id')
            .where('draft', '=', true),
        ),
      ),
    )
    .execute()
}

/** Restores cards under the same conditions as `restoreDecksAndSheets`. */
export async function restoreCards(transaction: Transaction<Database>, id: number, cards: number[]): Promise<void> {
  await transaction
    .updateTable('cards')
    .set({ archived_at: null })
    .where('id', '=', ({ fn, val }) => fn.any(val(cards)))
    .where('archived_at', '>=', archivingOf(transaction, id))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('imported_cards').select('card_id').whereRef('card_id', '=', 'cards.id').where('draft', '=', true),
        ),
      ),
    )
    .execute()
}

export async function markSourceAsRestored(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction.updateTable('content_sources').set({ archived_at: null }).where('id', '=', id).execute()
}

/** Selects the time when a source was archived. */
function archivingOf(transaction: Transaction<Database>, id: number) {
  return transaction.selectFrom('content_sources').select('archived_at').where('id', '=', id)
}

/** Ids of the decks, cards, sheets and tests of a source, including archived ones. */
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

/** Deletes cards with their progress and reports. */
export async function deleteCards(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  await transaction
    .deleteFrom('cards')
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .execute()
}

/** Deletes tests with their attempts, and decks and sheets with the rest of their content. */
export async function deleteItems(
  transaction: Transaction<Database>,
  { decks, cheatsheets, tests }: Omit<SourceContent, 'cards'>,
): Promise<void> {
  // Attempts are deleted before their version, because the end of an attempt locks them in this order.
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

/** Deletes a source. Its decks, sheets and tests remain without an owner; the cards keep their identities. */
export async function deleteSource(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction.deleteFrom('imported_decks').where('source_id', '=', id).execute()
  await transaction.deleteFrom('imported_cheatsheets').where('source_id', '=', id).execute()
  const noOwner = { source_id: null, source_key: null, edited: false }
  await transaction.updateTable('tests').set(noOwner).where('source_id', '=', id).execute()
  await transaction.deleteFrom('content_sources').where('id', '=', id).execute()
}
