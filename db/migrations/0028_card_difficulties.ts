import { type Kysely, sql } from 'kysely'

/** Creates the table of the counts that editors have seen. A later count is compared with the last one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table card_difficulties (
      card_id integer not null,
      checked_persons integer not null,
      persons integer,
      forgotten integer,
      published_at timestamptz,
      constraint card_difficulties_pkey primary key (card_id),
      constraint card_difficulties_card_id_fkey foreign key (card_id) references cards (id) on delete cascade,
      constraint card_difficulties_published_check check (num_nulls(persons, forgotten, published_at) in (0, 3))
    )`.execute(db)
  await sql`
    comment on table card_difficulties is
      'Published counts of the persons who have recalled a card, by their first answer after the first day'`.execute(db)
  await sql`
    comment on column card_difficulties.checked_persons is
      'Number of persons when the counts were last checked for a renewal'`.execute(db)
  await sql`
    comment on column card_difficulties.forgotten is 'Number of persons whose first recall was „Nochmal“'`.execute(db)
}
