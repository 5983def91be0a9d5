import { type Kysely, type Selectable, sql } from 'kysely'
import { isStorable } from '../../../src/domain/text/text.js'
import { executePlannedEachTime } from '../../statement-names.js'
import type { Database } from '../../types.js'
import { liveVersion } from './editing/state.js'

/** A live sheet; `version` is the number of its current text. */
export type Cheatsheet = Selectable<Database['cheatsheets']> & { version: number }

const SUMMARY = ['id', 'slug', 'title', 'category'] as const
/** All columns by name: a prepared `select *` fails after another instance adds a column. */
const COLUMNS = [...SUMMARY, 'content_md', 'created_at', 'updated_at', 'archived_at'] as const

/**
 * Returns the summaries of all live sheets, as the JSON string of an array, because there may be thousands
 * (docs/decisions/0008-write-the-deck-list-in-sql.md)
 */
export async function listCheatsheets(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ json: string | null }>`
    select string_agg(summarize_cheatsheet(id, slug, title, category), ',' order by category, title, id) as json
    from cheatsheets where archived_at is null`.execute(db)
  return `[${rows[0]?.json ?? ''}]`
}

/**
 * Finds live sheets whose text or title contains `q`, case-insensitive and in any Unicode form; `%` and `_` are
 * wildcards, a backslash is literal. Three or more consecutive letters or digits use the trigram index; for shorter
 * texts a scan is faster, so PostgreSQL plans the statement for each text.
 * @returns summaries in the order of titles, as the JSON string of an array, because there may be thousands
 * (docs/decisions/0008-write-the-deck-list-in-sql.md)
 */
export async function searchCheatsheets(db: Kysely<Database>, q: string): Promise<string> {
  if (!isStorable(q)) return '[]'
  // The text is folded by the same function as the stored columns (docs/decisions/0011-search-by-trigrams.md).
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

export async function findCheatsheetBySlug(db: Kysely<Database>, slug: string): Promise<Cheatsheet | undefined> {
  if (!isStorable(slug)) return undefined
  return db
    .selectFrom('cheatsheets')
    .select(COLUMNS)
    .select(liveVersion('cheatsheets').as('version'))
    .where('slug', '=', slug)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
}
