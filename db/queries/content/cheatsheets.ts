import { type Kysely, type Selectable, sql } from 'kysely'
import { isStorable } from '../../../src/domain/text/text.js'
import { executePlannedEachTime } from '../../statement-names.js'
import type { CheatsheetsTable, Database } from '../../types.js'

export type Cheatsheet = Selectable<CheatsheetsTable>
export type CheatsheetSummary = Pick<Cheatsheet, 'id' | 'slug' | 'title' | 'category'>

const SUMMARY = ['id', 'slug', 'title', 'category'] as const
/** Every column: named, since a prepared `select *` breaks when another instance adds a column. */
const COLUMNS = [...SUMMARY, 'content_md', 'created_at', 'updated_at', 'archived_at'] as const

/** All live sheets, by category and title. */
export async function listCheatsheets(db: Kysely<Database>): Promise<CheatsheetSummary[]> {
  return db
    .selectFrom('cheatsheets')
    .select(SUMMARY)
    .where('archived_at', 'is', null)
    .orderBy('category')
    .orderBy('title')
    .orderBy('id')
    .execute()
}

/**
 * Sheets whose text or title contains `q`, in any case and in either form of Unicode; `%` and `_` are wildcards, a
 * backslash is itself. Three letters or digits in a row are found by trigrams; with less a scan is faster than the whole
 * index, so the plan depends on the text.
 * @returns the summaries by title as a JSON array, since there may be thousands
 *   (docs/decisions/0011-write-the-deck-list-in-sql.md)
 */
export async function searchCheatsheets(db: Kysely<Database>, q: string): Promise<string> {
  if (!isStorable(q)) return '[]'
  // Each side of a comparison is folded by the rules of the column that was stored
  // (docs/decisions/0012-search-by-trigrams.md).
  const pattern = sql`'%' || fold_text(${q}::text) || '%'`
  const titlePattern = sql`('%' || fold_text(${q}::text collate "und-x-icu") || '%') collate "C"`
  const statement = sql<{ json: string | null }>`
    select string_agg(summary, ',') as json
    from (
      select summary from cheatsheet_texts
      where content like ${pattern} escape '' or title like ${titlePattern} escape ''
      order by sort_title, cheatsheet_id
    ) as found`
  return `[${(await executePlannedEachTime(statement, db)).rows[0]?.json ?? ''}]`
}

/** The live sheet of that slug. */
export async function findCheatsheetBySlug(db: Kysely<Database>, slug: string): Promise<Cheatsheet | undefined> {
  if (!isStorable(slug)) return undefined
  return db
    .selectFrom('cheatsheets')
    .select(COLUMNS)
    .where('slug', '=', slug)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
}
