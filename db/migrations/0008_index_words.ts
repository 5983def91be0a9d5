import { type Kysely, sql } from 'kysely'

/** What is searched: title and text of each, and how many of them are indexed at once. */
const SUBJECTS = [
  { kind: 'deck', table: 'decks', title: 'name', text: 'description', group: 200 },
  { kind: 'cheatsheet', table: 'cheatsheets', title: 'title', text: 'content_md', group: 10 },
  { kind: 'card', table: 'cards', title: 'question', text: 'answer', group: 200 },
]

/**
 * The search over everything: the words that there are, and for each deck, sheet and card the numbers of its words.
 * Splitting texts into words takes longer than an import may, so triggers only note which rows have changed, whoever
 * writes them, and the service indexes those afterwards (docs/decisions/0031-search-by-words.md).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createWords(db)
  await createPending(db)
  for (const subject of SUBJECTS) {
    await createItems(db, subject)
    await noteChanges(db, subject)
    await noteAll(db, subject)
  }
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
  await sql`create index search_words_trigram_idx on search_words using gin (word gin_trgm_ops)`.execute(db)
  // A word that German passes over, such as "und", is its own stem: whoever looks for it may find it.
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

/** A row for some hundred changes costs an import next to nothing. */
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

async function noteAll(db: Kysely<unknown>, { kind, table, group }: Subject): Promise<void> {
  await sql`
    insert into search_pending (kind, ids)
    select ${sql.lit(kind)}, array_agg(id) from ${sql.table(table)} group by id / ${sql.lit(group)}`.execute(db)
}
