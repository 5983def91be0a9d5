import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table occurrence_parts add column lang text, add column content_id integer`.execute(db)
  await sql`
    comment on column occurrence_parts.lang is
      'Language in which the part was done; null for personal parts and for what was done before there were languages'`.execute(
    db,
  )
  // No foreign key: the certificate still names the language if the content was deleted.
  await sql`
    comment on column occurrence_parts.content_id is
      'Id of the deck, sheet or test in that language; null for that of the assignment'`.execute(db)
}
