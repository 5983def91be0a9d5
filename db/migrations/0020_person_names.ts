import { type Kysely, sql } from 'kysely'

/**
 * Reads a page of many persons in the order of their names. Without the id: an index of both would be read whole to look
 * up the name of one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_display_name_idx on users (display_name collate "und-x-icu")`.execute(db)
}
