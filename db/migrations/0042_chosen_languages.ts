import { type Kysely, sql } from 'kysely'

const ITEMS = [
  { key: 'deck_id', items: 'decks', marks: 'imported_decks' },
  { key: 'cheatsheet_id', items: 'cheatsheets', marks: 'imported_cheatsheets' },
  { key: 'test_id', items: 'tests', marks: 'tests' },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table chosen_languages (
      id integer generated always as identity,
      user_id integer not null,
      deck_id integer,
      cheatsheet_id integer,
      test_id integer,
      lang text not null,
      constraint chosen_languages_pkey primary key (id),
      constraint chosen_languages_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
      constraint chosen_languages_item_check check (num_nonnulls(deck_id, cheatsheet_id, test_id) = 1)
    )`.execute(db)
  await sql`
    comment on table chosen_languages is
      'Language in which a user wants a group of variants; the item is the original of the group'`.execute(db)
  for (const { key, items, marks } of ITEMS) {
    await sql`
      alter table chosen_languages
        add constraint ${sql.ref(`chosen_languages_user_id_${key}_key`)} unique (user_id, ${sql.ref(key)}),
        add constraint ${sql.ref(`chosen_languages_${key}_fkey`)} foreign key (${sql.ref(key)})
          references ${sql.table(items)} (id) on delete cascade`.execute(db)
    // Finds the groups at once where there are few or none, and the variants of an original that is deleted.
    await sql`
      create index ${sql.ref(`${marks}_translation_of_idx`)}
        on ${sql.table(marks)} (translation_of) where translation_of is not null`.execute(db)
  }
}
