import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column email text,
      add column email_confirmed_at timestamptz,
      add constraint users_email_check check (char_length(email) between 3 and 254),
      add constraint users_email_confirmed_at_check check (email is not null or email_confirmed_at is null)`.execute(db)
}
