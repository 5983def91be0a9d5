import { type Kysely, sql } from 'kysely'

/** Ratings that arrive later than they were given, and each learner's choice of decks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `late`: a rating that is older than what its card has been through, so the log has it and the state has not.
  await sql`
    alter table review_log
      drop constraint review_log_phase_check,
      add constraint review_log_phase_check check (phase in ('new', 'recall', 'repeat', 'late'))`.execute(db)
  // A state knows its latest review; that it was reset since, only the log knows.
  await sql`
    create index review_log_resets_idx on review_log (user_id, card_id, created_at)
      where kind = 'reset'`.execute(db)
  // Decks are on until somebody switches them off, so a new one is on for everybody.
  await sql`
    create table inactive_decks (
      user_id integer not null,
      deck_id integer not null,
      constraint inactive_decks_pkey primary key (user_id, deck_id),
      constraint inactive_decks_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
      constraint inactive_decks_deck_id_fkey foreign key (deck_id) references decks (id) on delete cascade
    )`.execute(db)
  await sql`create index inactive_decks_deck_id_idx on inactive_decks (deck_id)`.execute(db)
}
