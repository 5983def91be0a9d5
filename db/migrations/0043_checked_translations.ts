import { type Kysely, sql } from 'kysely'

/**
 * Adds what of its original a variant was checked against: the versions of the cards of a deck with its name and
 * description, the version of a sheet, and the published version of a test. What is stored counts as checked.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table checked_cards (
      deck_id integer not null,
      card_id integer not null,
      version integer not null,
      constraint checked_cards_pkey primary key (deck_id, card_id),
      constraint checked_cards_deck_id_fkey
        foreign key (deck_id) references decks (id) on update cascade on delete cascade,
      constraint checked_cards_card_id_fkey
        foreign key (card_id) references cards (id) on update cascade on delete cascade
    )`.execute(db)
  await sql`create index checked_cards_card_id_idx on checked_cards (card_id)`.execute(db)
  await sql`
    comment on column checked_cards.deck_id is 'Deck that is a variant; the card belongs to its original'`.execute(db)
  await sql`alter table imported_decks add column checked_name text, add column checked_description text`.execute(db)
  await sql`
    comment on column imported_decks.checked_name is
      'Name of the original when this variant was checked; null unless this is a variant'`.execute(db)
  for (const table of ['imported_cheatsheets', 'tests']) {
    await sql`alter table ${sql.table(table)} add column checked_version integer`.execute(db)
  }
  await sql`
    comment on column imported_cheatsheets.checked_version is
      'Version of the original when this variant was checked; null unless this is a variant'`.execute(db)
  await sql`
    comment on column tests.checked_version is
      'Published version of the original when this variant was checked; null if there was none'`.execute(db)

  await sql`
    insert into checked_cards (deck_id, card_id, version)
    select variants.deck_id, cards.id, 1 + coalesce((
      select max(version) from card_versions where card_id = cards.id
    ), 0)
    from imported_decks as variants join cards on cards.deck_id = variants.translation_of
    where cards.archived_at is null`.execute(db)
  await sql`
    update imported_decks set checked_name = original.name, checked_description = original.description
    from decks as original where original.id = translation_of`.execute(db)
  await sql`
    update imported_cheatsheets set checked_version = 1 + coalesce((
      select max(version) from sheet_versions where sheet_versions.cheatsheet_id = translation_of
    ), 0)
    where translation_of is not null`.execute(db)
  await sql`
    update tests set checked_version = original.published_version
    from tests as original where original.id = tests.translation_of`.execute(db)
}
