import { type Kysely, sql } from 'kysely'

/** Time up to which changes of an assignment's content were corrections, which do not require a renewal. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assignments add column corrected_at timestamptz`.execute(db)
}
