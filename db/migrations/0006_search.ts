import { type Kysely, sql } from 'kysely'

/**
 * Searched tables with the columns of title and text; `group` is the maximum number of ids per `search_pending` row.
 */
const SUBJECTS = [
  { kind: 'deck', table: 'decks', title: 'name', text: 'description', group: 200 },
  { kind: 'cheatsheet', table: 'cheatsheets', title: 'title', text: 'content_md', group: 10 },
  { kind: 'card', table: 'cards', title: 'question', text: 'answer', group: 200 },
]

/**
 * Creates the tables for the trigram search in cheat sheets and for the word search in all content. Splitting texts
 * into words would make an import too slow. Triggers therefore only queue the changed rows, and the service indexes
 * them afterwards (docs/decisions/0012-search-by-words.md).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  await createFolding(db)
  await createTexts(db)
  await keepTexts(db)
  await createWords(db)
  await createPending(db)
  for (const subject of SUBJECTS) {
    await createItems(db, subject)
    await noteChanges(db, subject)
  }
}

/**
 * Creates `fold_text`, which converts to NFC and lower case. Stored and searched texts are both folded, so that the
 * search ignores case as ILIKE does, which also compares `lower` of both sides.
 */
async function createFolding(db: Kysely<unknown>): Promise<void> {
  // Normalizes only if two cheaper checks fail. The check for NFC takes a quarter of the time of the normalization. The
  // check for characters that NFC never changes (Latin letters, common punctuation and symbols) takes two thirds of the
  // time of the check for NFC.
  await sql`
    create function fold_text(given text) returns text language sql immutable strict parallel safe as $$
      select lower(case
        when given !~ '[^\\u0001-\\u02ff\\u2002-\\u20cf\\u2190-\\u22ff\\u2500-\\u27ff]' or given is nfc normalized then given
        else normalize(given, nfc)
      end)
    $$`.execute(db)
  await sql`
    create function summarize_cheatsheet(id integer, slug text, title text, category text) returns text
      language sql stable strict parallel safe
      return (select row_to_json(summary)::text from (select id, slug, title, category) as summary)`.execute(db)
}

/** Creates the table of folded texts. The long text is the last column, so that the short columns lie side by side. */
async function createTexts(db: Kysely<unknown>): Promise<void> {
  // Rows of up to one page are neither compressed nor moved out of line, so that a scan reads them sequentially and the
  // planner can derive the cost from the size of the table.
  await sql`
    create table cheatsheet_texts (
      cheatsheet_id integer not null,
      sort_title text collate "und-x-icu" not null,
      summary text collate "C" not null,
      title text collate "C" not null,
      content text collate "C" not null,
      constraint cheatsheet_texts_pkey primary key (cheatsheet_id),
      constraint cheatsheet_texts_cheatsheet_id_fkey
        foreign key (cheatsheet_id) references cheatsheets (id) on delete cascade on update cascade
    ) with (toast_tuple_target = 8160)`.execute(db)
  await sql`alter table cheatsheet_texts alter content set storage external`.execute(db)
  for (const column of ['title', 'content']) {
    await sql`
      create index ${sql.raw(`cheatsheet_texts_${column}_trigram_idx`)}
        on cheatsheet_texts using gin (${sql.ref(column)} gin_trgm_ops)`.execute(db)
  }
}

async function keepTexts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function fold_inserted_cheatsheets() returns trigger
    language plpgsql set search_path from current as $$
    begin
      insert into cheatsheet_texts
        select id, title, summarize_cheatsheet(id, slug, title, category), fold_text(title), fold_text(content_md)
        from new_sheets where archived_at is null;
      return null;
    end $$`.execute(db)
  await sql`
    create function fold_updated_cheatsheets() returns trigger
    language plpgsql set search_path from current as $$
    begin
      if new.archived_at is not null then
        delete from cheatsheet_texts where cheatsheet_id = new.id;
        return null;
      end if;
      insert into cheatsheet_texts values (
        new.id, new.title, summarize_cheatsheet(new.id, new.slug, new.title, new.category),
        fold_text(new.title), fold_text(new.content_md)
      ) on conflict (cheatsheet_id) do update set
        sort_title = excluded.sort_title, summary = excluded.summary, title = excluded.title, content = excluded.content;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger cheatsheets_fold_insert after insert on cheatsheets
      referencing new table as new_sheets
      for each statement execute function fold_inserted_cheatsheets()`.execute(db)
  // Fires after the foreign key has copied a changed id to cheatsheet_texts: triggers fire in the order of their names.
  await sql`
    create trigger cheatsheets_fold_update after update on cheatsheets
      for each row when (
        (old.id, old.slug, old.title, old.category, old.content_md, old.archived_at is null)
        is distinct from (new.id, new.slug, new.title, new.category, new.content_md, new.archived_at is null)
      )
      execute function fold_updated_cheatsheets()`.execute(db)
}

type Subject = (typeof SUBJECTS)[number]

async function createWords(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table search_words (
      id integer generated always as identity,
      word text collate "C" not null,
      stem text collate "C" not null,
      constraint search_words_pkey primary key (id),
      constraint search_words_word_key unique (word)
    )`.execute(db)
  await sql`create index search_words_stem_idx on search_words (stem)`.execute(db)
  // `lower(word)` equals the word. The planner would use an index on `word` itself for equality too, although each of
  // several hundred lookups takes 2.3 ms: until autovacuum has counted the entries, the planner assumes that a lookup
  // costs nothing.
  await sql`create index search_words_part_idx on search_words using gin (lower(word) gin_trgm_ops)`.execute(db)
  // The dictionary yields no stem for a stop word such as "und". The word is then its own stem, so that a search finds
  // it.
  await sql`
    create function stem_of_word(word text) returns text language sql immutable strict parallel safe
      return coalesce((ts_lexize('pg_catalog.german_stem', word))[1], word)`.execute(db)
}

async function createPending(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table search_pending (
      id bigint generated always as identity,
      kind text not null,
      ids integer[] not null,
      constraint search_pending_pkey primary key (id)
    )`.execute(db)
}

async function createItems(db: Kysely<unknown>, { table }: Subject): Promise<void> {
  const name = `search_${table}`
  await sql`
    create table ${sql.table(name)} (
      item_id integer not null,
      title integer[] not null,
      words integer[] not null,
      constraint ${sql.ref(`${name}_pkey`)} primary key (item_id),
      constraint ${sql.ref(`${name}_item_id_fkey`)}
        foreign key (item_id) references ${sql.table(table)} (id) on delete cascade on update cascade
    )`.execute(db)
  for (const column of ['title', 'words']) {
    await sql`create index ${sql.ref(`${name}_${column}_idx`)} on ${sql.table(name)} using gin (${sql.ref(column)})`.execute(
      db,
    )
  }
}

/**
 * Creates triggers that queue changed rows. A queue entry contains up to `group` ids, so that the triggers hardly slow
 * an import.
 */
async function noteChanges(db: Kysely<unknown>, { kind, table, title, text, group }: Subject): Promise<void> {
  const [inserted, updated] = [`note_inserted_${table}`, `note_updated_${table}`]
  const texts = sql.raw(`id, ${title}, ${text}`)
  const note = sql.raw(`insert into search_pending (kind, ids) select '${kind}', array_agg(id)`)
  await sql`
    create function ${sql.ref(inserted)}() returns trigger language plpgsql set search_path from current as $$
    begin
      ${note} from new_rows group by id / ${sql.raw(String(group))};
      return null;
    end $$`.execute(db)
  await sql`
    create function ${sql.ref(updated)}() returns trigger language plpgsql set search_path from current as $$
    begin
      ${note} from (select ${texts} from new_rows except select ${texts} from old_rows) as changed
        group by id / ${sql.raw(String(group))};
      return null;
    end $$`.execute(db)
  await sql`
    create trigger ${sql.ref(`${table}_search_insert`)} after insert on ${sql.table(table)}
      referencing new table as new_rows
      for each statement execute function ${sql.ref(inserted)}()`.execute(db)
  await sql`
    create trigger ${sql.ref(`${table}_search_update`)} after update on ${sql.table(table)}
      referencing old table as old_rows new table as new_rows
      for each statement execute function ${sql.ref(updated)}()`.execute(db)
}
