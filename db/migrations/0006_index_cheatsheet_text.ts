import { type Kysely, sql } from 'kysely'

/** Trigrams find the sheets that contain a text of three characters or more without reading them all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  await sql`create index cheatsheets_content_md_trigram_idx on cheatsheets using gin (content_md gin_trgm_ops)`.execute(
    db,
  )
  await sql`create index cheatsheets_title_trigram_idx on cheatsheets using gin (title gin_trgm_ops)`.execute(db)
}
