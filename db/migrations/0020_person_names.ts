import { type Kysely, sql } from 'kysely'

/**
 * Creates an index for pages of persons in the order of their names. The index does not contain the id: otherwise the
 * planner would scan the whole index to look up the name of one person.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_display_name_idx on users (display_name collate "und-x-icu")`.execute(db)
}
