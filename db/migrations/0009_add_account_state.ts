import { type Kysely, sql } from 'kysely'

/** Whether a user must choose another password before anything else, and the last day on which the user was here. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column must_change_password boolean not null default false,
      add column last_seen_on date`.execute(db)
}
