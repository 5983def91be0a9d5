import { type Kysely, sql } from 'kysely'

/** Reads a page of many persons in the order of their names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_display_name_idx on users (display_name collate "und-x-icu", id)`.execute(db)
}
