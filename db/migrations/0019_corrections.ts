import { type Kysely, sql } from 'kysely'

/** Time up to which changes of an assignment's content were corrections, after which no person must repeat it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assignments add column corrected_at timestamptz`.execute(db)
}
