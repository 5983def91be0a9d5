import type { Insertable } from 'kysely'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { SourceKind, StoredKind } from '../../../src/domain/content/upload/incoming.js'
import type { ContentSourcesTable, Database } from '../../types.js'

/** Identification of a source. */
export interface Source {
  id: number
  kind: StoredKind
  name: string
}

/** A source as shown to administrators, with its live decks and cards. */
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

/** The latest upload first. */
export async function listSources(db: Kysely<Database>): Promise<ListedSource[]> {
  const { rows } = await sql<ListedSource>`
    select content_sources.id, kind, content_sources.name, file_name,
      count(decks.id) as decks, coalesce(sum(card_count), 0)::integer as cards, size_bytes,
      content_sources.created_at, created_by, content_sources.updated_at, updated_by, content_sources.archived_at
    from content_sources
    left join imported_decks on source_id = content_sources.id
    left join decks on decks.id = deck_id and decks.archived_at is null
    group by content_sources.id
    order by content_sources.updated_at desc, content_sources.id desc`.execute(db)
  return rows
}

export async function findSource(db: Kysely<Database>, id: number): Promise<Source | undefined> {
  return db.selectFrom('content_sources').select(['id', 'kind', 'name']).where('id', '=', id).executeTakeFirst()
}

/** Among sources of the same name, live ones come first, then the latest. */
export async function findSourceByName(
  db: Kysely<Database>,
  kind: SourceKind,
  name: string,
): Promise<Source | undefined> {
  return db
    .selectFrom('content_sources')
    .select(['id', 'kind', 'name'])
    .where('name', '=', name)
    .where('kind', '=', kind)
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
export async function noteUpload(
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

export async function markSourceAsArchived(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction
    .updateTable('content_sources')
    .set({ archived_at: sql`coalesce(archived_at, now())` })
    .where('id', '=', id)
    .execute()
}

/** Decks, cards and sheets of a source, including archived ones. */
export interface SourceContent {
  decks: number[]
  cards: number[]
  cheatsheets: number[]
}

export async function findSourceContent(db: Kysely<Database>, id: number): Promise<SourceContent> {
  const { rows } = await sql<SourceContent>`
    select
      array(select deck_id from imported_decks where source_id = ${id}::integer order by 1) as decks,
      array(
        select card_id from imported_cards join imported_decks using (deck_id)
        where source_id = ${id}::integer order by 1
      ) as cards,
      array(select cheatsheet_id from imported_cheatsheets where source_id = ${id}::integer order by 1) as cheatsheets
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

/** Deletes decks and sheets with the rest of their content. */
export async function deleteDecksAndSheets(
  transaction: Transaction<Database>,
  { decks, cheatsheets }: Pick<SourceContent, 'decks' | 'cheatsheets'>,
): Promise<void> {
  await transaction
    .deleteFrom('decks')
    .where('id', '=', ({ fn, val }) => fn.any(val(decks)))
    .execute()
  await transaction
    .deleteFrom('cheatsheets')
    .where('id', '=', ({ fn, val }) => fn.any(val(cheatsheets)))
    .execute()
}

/** Deletes a source. Its decks and sheets lose their owner; their cards keep their identities. */
export async function deleteSource(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction.deleteFrom('imported_decks').where('source_id', '=', id).execute()
  await transaction.deleteFrom('imported_cheatsheets').where('source_id', '=', id).execute()
  await transaction.deleteFrom('content_sources').where('id', '=', id).execute()
}
