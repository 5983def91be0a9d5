import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table content_sources add column table_layout jsonb`.execute(db)
}
