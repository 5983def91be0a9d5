import { type Kysely, sql } from 'kysely'

/**
 * What both searches read, made anew. The search of sheets reads one table: `cheatsheet_texts` holds the live sheets
 * only, each with what the answer says of it and the title that it is sorted by. The trigrams of words find parts of
 * them and nothing else: an index on the word itself also offers to find the word, and until autovacuum has counted its
 * entries a join takes that for free, at 2.3 ms for each of some hundred words.
 *
 * Readers go on while the new indexes are made; they wait for the change from old to new alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The indexer of another instance would hold what is wanted here, and want what is held.
  await sql`select pg_advisory_xact_lock(hashtext('svc-training search index'))`.execute(db)
  // All words are in lower case.
  await sql`create index search_words_part_idx on search_words using gin (lower(word) gin_trgm_ops)`.execute(db)
  await sql`
    create function summarize_cheatsheet(id integer, slug text, title text, category text) returns text
      language sql stable strict parallel safe
      return (select row_to_json(summary)::text from (select id, slug, title, category) as summary)`.execute(db)
  await createTexts(db)
  // In the order in which the searches take them.
  await sql`lock table search_words, cheatsheets, cheatsheet_texts in access exclusive mode`.execute(db)
  await sql`drop index search_words_trigram_idx`.execute(db)
  await sql`drop table cheatsheet_texts`.execute(db)
  await renameTexts(db)
  await keepTexts(db)
}

/** As the table was, but for two columns; the long text comes last, so that the others lie together. */
async function createTexts(db: Kysely<unknown>): Promise<void> {
  // From here on nobody writes sheets until the end.
  await sql`
    create table new_texts (
      cheatsheet_id integer not null,
      sort_title text collate "und-x-icu" not null,
      summary text collate "C" not null,
      title text collate "C" not null,
      content text collate "C" not null,
      constraint new_texts_pkey primary key (cheatsheet_id),
      constraint new_texts_cheatsheet_id_fkey
        foreign key (cheatsheet_id) references cheatsheets (id) on delete cascade on update cascade
    ) with (toast_tuple_target = 8160)`.execute(db)
  await sql`alter table new_texts alter content set storage external`.execute(db)
  await sql`
    insert into new_texts
    select id, title, summarize_cheatsheet(id, slug, title, category), fold_text(title), fold_text(content_md)
    from cheatsheets where archived_at is null`.execute(db)
  for (const column of ['title', 'content']) {
    await sql`
      create index ${sql.raw(`new_texts_${column}_trigram_idx`)}
        on new_texts using gin (${sql.ref(column)} gin_trgm_ops)`.execute(db)
  }
}

async function renameTexts(db: Kysely<unknown>): Promise<void> {
  await sql`alter table new_texts rename to cheatsheet_texts`.execute(db)
  for (const constraint of ['pkey', 'cheatsheet_id_fkey']) {
    await sql`
      alter table cheatsheet_texts
        rename constraint ${sql.raw(`new_texts_${constraint} to cheatsheet_texts_${constraint}`)}`.execute(db)
  }
  for (const column of ['title', 'content']) {
    await sql`
      alter index ${sql.raw(`new_texts_${column}_trigram_idx rename to cheatsheet_texts_${column}_trigram_idx`)}`.execute(
      db,
    )
  }
}

/** A sheet that is archived leaves, and comes back as if it were new. */
async function keepTexts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function fold_inserted_cheatsheets() returns trigger
    language plpgsql set search_path from current as $$
    begin
      insert into cheatsheet_texts
        select id, title, summarize_cheatsheet(id, slug, title, category), fold_text(title), fold_text(content_md)
        from new_sheets where archived_at is null;
      return null;
    end $$`.execute(db)
  await sql`
    create or replace function fold_updated_cheatsheets() returns trigger
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
  await sql`drop trigger cheatsheets_fold_update on cheatsheets`.execute(db)
  // It comes after the foreign key has carried a new id over: triggers fire in the order of their names.
  await sql`
    create trigger cheatsheets_fold_update after update on cheatsheets
      for each row when (
        (old.id, old.slug, old.title, old.category, old.content_md, old.archived_at is null)
        is distinct from (new.id, new.slug, new.title, new.category, new.content_md, new.archived_at is null)
      )
      execute function fold_updated_cheatsheets()`.execute(db)
}
