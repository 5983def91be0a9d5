import { type Kysely, sql } from 'kysely'

/**
 * What the search reads: title and text of each sheet in NFC and lower case, so that it need not fold them for each
 * question. The database keeps them, whoever writes a sheet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db)
  await keepTexts(db)
  await indexTrigrams(db)
}

/**
 * Rows are neither compressed nor put aside up to a page, so that a scan reads them one after another, and the planner
 * knows from the size of the table what that costs.
 */
async function createTable(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cheatsheet_texts (
      cheatsheet_id integer not null,
      title text collate "C" not null,
      content text collate "C" not null,
      constraint cheatsheet_texts_pkey primary key (cheatsheet_id),
      constraint cheatsheet_texts_cheatsheet_id_fkey
        foreign key (cheatsheet_id) references cheatsheets (id) on delete cascade on update cascade
    ) with (toast_tuple_target = 8160)`.execute(db)
  await sql`alter table cheatsheet_texts alter content set storage external`.execute(db)
}

/** The same fold for what is stored and what is asked for: ILIKE compares `lower` of both sides as well. */
async function keepTexts(db: Kysely<unknown>): Promise<void> {
  // Asking whether a text is in NFC takes a quarter of the time of bringing it there, and half as long again as asking
  // whether all its characters are of those that NFC never touches: Latin letters, usual punctuation and signs.
  await sql`
    create function fold_text(given text) returns text language sql immutable strict parallel safe as $$
      select lower(case
        when given !~ '[^\\u0001-\\u02ff\\u2002-\\u20cf\\u2190-\\u22ff\\u2500-\\u27ff]' or given is nfc normalized then given
        else normalize(given, nfc)
      end)
    $$`.execute(db)
  await sql`
    create function fold_inserted_cheatsheets() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into cheatsheet_texts select id, fold_text(title), fold_text(content_md) from new_sheets;
      return null;
    end $$`.execute(db)
  await sql`
    create function fold_updated_cheatsheets() returns trigger language plpgsql set search_path from current as $$
    begin
      update cheatsheet_texts set title = fold_text(new.title), content = fold_text(new.content_md)
        where cheatsheet_id = new.id;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger cheatsheets_fold_insert after insert on cheatsheets
      referencing new table as new_sheets
      for each statement execute function fold_inserted_cheatsheets()`.execute(db)
  await sql`
    create trigger cheatsheets_fold_update after update on cheatsheets
      for each row when ((old.title, old.content_md) is distinct from (new.title, new.content_md))
      execute function fold_updated_cheatsheets()`.execute(db)
}

/** Trigrams find the sheets that contain a text of three letters or digits in a row without reading them all. */
async function indexTrigrams(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  for (const column of ['title', 'content']) {
    await sql`
      create index ${sql.raw(`cheatsheet_texts_${column}_trigram_idx`)}
        on cheatsheet_texts using gin (${sql.ref(column)} gin_trgm_ops)`.execute(db)
  }
}
