import { type Kysely, sql } from 'kysely'

/** Until when changes of an assignment's content were corrections, after which no person is instructed again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assignments add column corrected_at timestamptz`.execute(db)
}
