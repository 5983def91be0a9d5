import { type Kysely, type Selectable, sql } from 'kysely'
import { isStorable } from '../../src/text.js'
import type { CheatsheetsTable, Database } from '../types.js'

export type Cheatsheet = Selectable<CheatsheetsTable>
export type CheatsheetSummary = Pick<Cheatsheet, 'id' | 'slug' | 'title' | 'category'>

const SUMMARY = ['id', 'slug', 'title', 'category'] as const

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

/** Sheets whose text or title contains `q`, in any case; `%` and `_` are wildcards, a backslash is itself. */
export async function searchCheatsheets(db: Kysely<Database>, q: string): Promise<CheatsheetSummary[]> {
  if (!isStorable(q)) return []
  const pattern = `%${q}%`
  return db
    .selectFrom('cheatsheets')
    .select(SUMMARY)
    .where('archived_at', 'is', null)
    .where(sql<boolean>`(content_md ilike ${pattern} escape '' or title ilike ${pattern} escape '')`)
    .orderBy('title')
    .orderBy('id')
    .execute()
}

export async function findCheatsheetBySlug(db: Kysely<Database>, slug: string): Promise<Cheatsheet | undefined> {
  if (!isStorable(slug)) return undefined
  return db
    .selectFrom('cheatsheets')
    .selectAll()
    .where('slug', '=', slug)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
}
