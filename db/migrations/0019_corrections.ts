import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assignments add column corrected_at timestamptz`.execute(db)
}
