import { type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'
import type { DeckOrigin } from './write-decks.js'

export interface CheatsheetInput
  extends Pick<Selectable<Database['cheatsheets']>, 'slug' | 'title' | 'category' | 'content_md'> {
  draft: boolean
}

/** Origin of a sheet: a source and the key of the sheet within it; both null for the content folder */
export type SheetOrigin = Pick<DeckOrigin, 'source_id' | 'source_key'>

export async function insertSheets(
  transaction: Transaction<Database>,
  sheets: (CheatsheetInput & SheetOrigin)[],
): Promise<void> {
  const slugs = sheets.map((sheet) => sheet.slug)
  await sql`
    with created as (
      insert into cheatsheets (slug, title, category, content_md, archived_at)
      select slug, title, category, content_md, case when draft then now() end
      from unnest(
        ${slugs}::text[], ${sheets.map((sheet) => sheet.title)}::text[],
        ${sheets.map((sheet) => sheet.category)}::text[], ${sheets.map((sheet) => sheet.content_md)}::text[],
        ${sheets.map((sheet) => sheet.draft)}::boolean[]
      ) as input (slug, title, category, content_md, draft)
      returning id, slug
    )
    insert into imported_cheatsheets (cheatsheet_id, source_id, source_key, draft)
    select id, source_id, source_key, draft
    from created join unnest(
      ${slugs}::text[], ${sheets.map((sheet) => sheet.source_id)}::integer[],
      ${sheets.map((sheet) => sheet.source_key)}::text[], ${sheets.map((sheet) => sheet.draft)}::boolean[]
    ) as origin (slug, source_id, source_key, draft) using (slug)`.execute(transaction)
}

/**
 * Updates sheets and restores archived ones; drafts stay hidden. Each sheet must have a row in `imported_cheatsheets`.
 */
export async function updateSheets(
  transaction: Transaction<Database>,
  sheets: { id: number; sheet: CheatsheetInput; isDraft: boolean; keepsText: boolean }[],
): Promise<void> {
  const columnOf = (key: keyof CheatsheetInput) => sheets.map(({ sheet }) => sheet[key])
  const ids = sheets.map(({ id }) => id)
  const drafts = sheets.map(({ isDraft }) => isDraft)
  const kept = sheets.map(({ keepsText }) => keepsText)
  await sql`
    update cheatsheets
    set title = case when keeps_text then cheatsheets.title else input.title end,
      category = case when keeps_text then cheatsheets.category else input.category end,
      content_md = case when keeps_text then cheatsheets.content_md else input.content_md end,
      archived_at = case when input.draft then coalesce(archived_at, now()) end
    from unnest(
      ${ids}::integer[], ${columnOf('title')}::text[], ${columnOf('category')}::text[],
      ${columnOf('content_md')}::text[], ${drafts}::boolean[], ${kept}::boolean[]
    ) as input (id, title, category, content_md, draft, keeps_text)
    where cheatsheets.id = input.id`.execute(transaction)
  await sql`
    update imported_cheatsheets
    set draft = input.draft, draft_archived = false, edited = edited and keeps_text
    from unnest(${ids}::integer[], ${drafts}::boolean[], ${kept}::boolean[]) as input (id, draft, keeps_text)
    where cheatsheet_id = input.id`.execute(transaction)
}

export async function markSheetsAsImported(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into imported_cheatsheets (cheatsheet_id) select unnest(${ids}::integer[])
    on conflict do nothing`.execute(transaction)
}

/** Archives sheets. Also overwrites the `archived_at` of a draft, as `archiveCards` does. */
export async function archiveSheets(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await transaction
    .updateTable('cheatsheets')
    .set({ archived_at: sql<Date>`now()` })
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('archived_at', 'is', null),
        exists(
          selectFrom('imported_cheatsheets')
            .select('cheatsheet_id')
            .whereRef('cheatsheet_id', '=', 'cheatsheets.id')
            .where('draft', '=', true)
            .where('draft_archived', '=', false),
        ),
      ]),
    )
    .execute()
  await transaction
    .updateTable('imported_cheatsheets')
    .set({ draft_archived: true })
    .where('cheatsheet_id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('draft', '=', true)
    .execute()
}
