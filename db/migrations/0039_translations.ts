import { type Kysely, sql } from 'kysely'

const ITEMS = [
  { table: 'imported_decks', key: 'deck_id', original: 'decks' },
  { table: 'imported_cheatsheets', key: 'cheatsheet_id', original: 'cheatsheets' },
  { table: 'tests', key: 'id', original: 'tests' },
]

/**
 * Adds the language and the original of decks, sheets and tests. An original and its variants are a group; the unique
 * index allows one item per language in a group.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const { table, key, original } of ITEMS) {
    if (table !== 'imported_decks') {
      await sql`alter table ${sql.table(table)} add column lang text not null default 'de'`.execute(db)
    }
    // A restored backup may insert a variant in `tests` before its original.
    const deferred = table === original ? sql`deferrable initially deferred` : sql``
    await sql`
      alter table ${sql.table(table)}
        add column translation_of integer,
        add constraint ${sql.ref(`${table}_translation_of_fkey`)} foreign key (translation_of)
          references ${sql.table(original)} (id) on delete set null ${deferred}`.execute(db)
    await sql`
      create unique index ${sql.ref(`${table}_group_lang_idx`)}
        on ${sql.table(table)} (coalesce(translation_of, ${sql.ref(key)}), lang)`.execute(db)
    await sql`
      comment on column ${sql.table(table)}.translation_of is
        'Id of the original; null unless this is a variant in another language'`.execute(db)
  }
}
