import { type Kysely, sql } from 'kysely'

/**
 * Adds the versions that requests of forms are based on. Those of decks have a table, because the specification shows
 * every column of `decks`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assignments add column edit_version integer not null default 1`.execute(db)
  await sql`alter table teams add column edit_version integer not null default 1`.execute(db)
  await sql`
    create table deck_versions (
      deck_id integer not null,
      version integer not null,
      constraint deck_versions_pkey primary key (deck_id),
      constraint deck_versions_deck_id_fkey foreign key (deck_id) references decks (id) on delete cascade
    )`.execute(db)
}
