import { type Selectable, sql, type Transaction } from 'kysely'
import type { CheatsheetsTable, Database } from '../../types.js'
import type { DeckOrigin } from './write-decks.js'

export type CheatsheetInput = Pick<Selectable<CheatsheetsTable>, 'slug' | 'title' | 'category' | 'content_md'>

/** Origin of a sheet */
export type SheetOrigin = Pick<DeckOrigin, 'source_id' | 'source_key'>

export async function insertSheets(
  transaction: Transaction<Database>,
  sheets: (CheatsheetInput & SheetOrigin)[],
): Promise<void> {
  const slugs = sheets.map((sheet) => sheet.slug)
  await sql`
    with created as (
      insert into cheatsheets (slug, title, category, content_md)
      select * from unnest(
        ${slugs}::text[], ${sheets.map((sheet) => sheet.title)}::text[],
        ${sheets.map((sheet) => sheet.category)}::text[], ${sheets.map((sheet) => sheet.content_md)}::text[])
      returning id, slug
    )
    insert into imported_cheatsheets (cheatsheet_id, source_id, source_key)
    select id, source_id, source_key
    from created join unnest(
      ${slugs}::text[], ${sheets.map((sheet) => sheet.source_id)}::integer[],
      ${sheets.map((sheet) => sheet.source_key)}::text[]
    ) as origin (slug, source_id, source_key) using (slug)`.execute(transaction)
}

/** Updates sheets and restores archived ones. */
export async function updateSheets(
  transaction: Transaction<Database>,
  sheets: { id: number; sheet: CheatsheetInput }[],
): Promise<void> {
  const columnOf = (key: keyof CheatsheetInput) => sheets.map(({ sheet }) => sheet[key])
  await sql`
    update cheatsheets
    set title = input.title, category = input.category, content_md = input.content_md, archived_at = null
    from unnest(
      ${sheets.map(({ id }) => id)}::integer[], ${columnOf('title')}::text[], ${columnOf('category')}::text[],
      ${columnOf('content_md')}::text[]
    ) as input (id, title, category, content_md)
    where cheatsheets.id = input.id`.execute(transaction)
}

export async function markSheetsAsImported(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into imported_cheatsheets (cheatsheet_id) select unnest(${ids}::integer[])
    on conflict do nothing`.execute(transaction)
}

export async function archiveSheets(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await transaction
    .updateTable('cheatsheets')
    .set({ archived_at: sql<Date>`now()` })
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('archived_at', 'is', null)
    .execute()
}
