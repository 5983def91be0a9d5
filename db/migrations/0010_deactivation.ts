import { type Kysely, sql } from 'kysely'

/** The day from which an account is disabled. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column disabled_on date`.execute(db)
}
