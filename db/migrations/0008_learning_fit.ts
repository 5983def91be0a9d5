import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await extendSettings(db)
  await extendLog(db)
  await createParameters(db)
  await createNotes(db)
  await createRetentions(db)
  await createJobs(db)
}

async function extendSettings(db: Kysely<unknown>): Promise<void> {
  // At most six free weekdays, so that one is left for due cards
  await sql`
    alter table review_settings
      add column adapt_intervals boolean not null default true,
      add column type_answers boolean not null default false,
      add column free_weekdays integer[] not null default '{}',
      add constraint review_settings_free_weekdays_check check (
        free_weekdays <@ array[1, 2, 3, 4, 5, 6, 7] and cardinality(free_weekdays) <= 6
      )`.execute(db)
}

async function extendLog(db: Kysely<unknown>): Promise<void> {
  // An entry `tomorrow` has no rating, and its undo has none either.
  await sql`
    alter table review_log
      drop constraint review_log_kind_check,
      drop constraint review_log_review_check,
      add constraint review_log_kind_check check (kind in ('review', 'undo', 'reset', 'tomorrow')),
      add constraint review_log_review_check check (kind <> 'review' or (rating is not null and phase is not null))`.execute(
    db,
  )
  // Small indexes for today's new cards by deck and for the cards put off today. Queues, reviews and deck lists need
  // these entries and would otherwise read all reviews of the day.
  await sql`
    create index review_log_introduced_idx on review_log (user_id, studied_on) include (kind, deck_id)
      where phase = 'new'`.execute(db)
  await sql`
    create index review_log_tomorrow_idx on review_log (user_id, studied_on) where kind = 'tomorrow'`.execute(db)
}

async function createParameters(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table fitted_parameters (
      user_id integer not null,
      current jsonb,
      previous jsonb,
      tried_at timestamptz not null,
      tried_items integer not null,
      states_since bigint not null default 0,
      constraint fitted_parameters_pkey primary key (user_id),
      constraint fitted_parameters_user_id_fkey foreign key (user_id) references users (id) on delete cascade
    )`.execute(db)
}

async function createNotes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table card_notes (
      user_id integer not null,
      card_id integer not null,
      text text not null,
      updated_at timestamptz not null default now(),
      constraint card_notes_pkey primary key (user_id, card_id),
      constraint card_notes_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
      constraint card_notes_card_id_fkey foreign key (card_id) references cards (id) on delete cascade
    )`.execute(db)
  await sql`create index card_notes_card_id_idx on card_notes (card_id)`.execute(db)
}

async function createRetentions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deck_retentions (
      user_id integer not null,
      deck_id integer not null,
      desired_retention double precision not null,
      constraint deck_retentions_pkey primary key (user_id, deck_id),
      constraint deck_retentions_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
      constraint deck_retentions_deck_id_fkey foreign key (deck_id) references decks (id) on delete cascade,
      constraint deck_retentions_check check (desired_retention between 0.80 and 0.97)
    )`.execute(db)
  await sql`create index deck_retentions_deck_id_idx on deck_retentions (deck_id)`.execute(db)
  await sql`
    create table deck_defaults (
      deck_id integer not null,
      desired_retention double precision not null,
      constraint deck_defaults_pkey primary key (deck_id),
      constraint deck_defaults_deck_id_fkey foreign key (deck_id) references decks (id) on delete cascade,
      constraint deck_defaults_check check (desired_retention between 0.80 and 0.97)
    )`.execute(db)
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  // A job holds a lease, because an advisory lock would occupy the embedded database's only connection during the run.
  await sql`
    create table job_runs (
      name text not null,
      leased_until timestamptz,
      finished_on date,
      finished_at timestamptz,
      summary jsonb,
      constraint job_runs_pkey primary key (name)
    )`.execute(db)
}
