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
 * Sheets whose text or title contains `q`, in any case; `%` and `_` are wildcards, a backslash is itself. Three letters
 * or digits in a row are found by trigrams; with less a scan is faster than the whole index, so the plan depends on the
 * text.
 */
export async function searchCheatsheets(db: Kysely<Database>, q: string): Promise<CheatsheetSummary[]> {
  if (!isStorable(q)) return []
  const pattern = `%${q}%`
  const statement = sql<CheatsheetSummary>`
    select id, slug, title, category
    from cheatsheets
    where archived_at is null and (content_md ilike ${pattern} escape '' or title ilike ${pattern} escape '')
    order by title, id`
  return (await executePlannedEachTime(statement, db)).rows
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
