import { type Kysely, sql } from 'kysely'

/**
 * Index for a page of many persons in the order of their names. It lacks the id, because the planner would scan an
 * index on both columns completely to look up the name of one person.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_display_name_idx on users (display_name collate "und-x-icu")`.execute(db)
}
