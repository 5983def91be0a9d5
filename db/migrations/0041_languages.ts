import { type Kysely, sql } from 'kysely'

/** Adds the languages of persons. There is no check of the values, because each language of the app is a file. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column language text, add column language_used text`.execute(db)
  await sql`
    comment on column users.language is 'Language that the user chose for the app; null for that of the browser'`.execute(
    db,
  )
  await sql`
    comment on column users.language_used is
      'Language in which the user last used the app, for mails; null if the browser asked for none of its languages'`.execute(
    db,
  )
}
