import { type Kysely, sql } from 'kysely'

/** Texts whose superseded values are kept as versions, and whose pictures are noted */
export interface WatchedTexts {
  table: 'cards' | 'cheatsheets'
  versions: 'card_versions' | 'sheet_versions'
  key: 'card_id' | 'cheatsheet_id'
  columns: readonly string[]
  /** SQL expression of the texts that may show pictures */
  text: string
}

/** @param markdown texts that may show pictures */
export function watchCards(texts: readonly string[], markdown: readonly string[]): WatchedTexts {
  return {
    table: 'cards',
    versions: 'card_versions',
    key: 'card_id',
    columns: [...texts, 'exercise'],
    text: `concat_ws(' ', ${markdown.join(', ')}, exercise::text)`,
  }
}

/**
 * Adds an empty text to cards and their versions, and to the triggers that keep versions, pictures and `updated_at`.
 * @param texts all texts of a card with the new one, in the order of the API
 * @param markdown those that may show pictures
 * @example await addCardText(db, 'hint', ['question', 'answer', 'hint', 'level'], ['question', 'answer'])
 */
export async function addCardText(
  db: Kysely<unknown>,
  name: string,
  texts: readonly string[],
  markdown: readonly string[],
): Promise<void> {
  for (const table of ['cards', 'card_versions']) {
    await sql`alter table ${sql.table(table)} add column ${sql.ref(name)} text not null default ''`.execute(db)
  }
  const watched = watchCards(texts, markdown)
  await defineKeepVersions(db, watched)
  await defineNotePictures(db, watched)
  await sql`drop trigger cards_updated_at on cards`.execute(db)
  await sql`
    create trigger cards_updated_at
      before update of deck_id, ${sql.raw(texts.join(', '))}, sort_order, archived_at on cards
      for each row when (old.* is distinct from new.*) execute function set_updated_at()`.execute(db)
}

/** Defines the function of the trigger that copies superseded texts; see the migration 0007. */
export async function defineKeepVersions(
  db: Kysely<unknown>,
  { table, versions, key, columns, text }: WatchedTexts,
): Promise<void> {
  const list = sql.raw(columns.join(', '))
  await sql`
    create or replace function ${sql.raw(`keep_${versions}`)}() returns trigger language plpgsql set search_path from current as $$
    declare
      pruned bigint;
    begin
      with superseded as (
        insert into ${sql.table(versions)} (${sql.ref(key)}, version, ${list}, change_id)
        select id, 1 + coalesce((select max(version) from ${sql.table(versions)} where ${sql.ref(key)} = before.id), 0),
          ${list}, nullif(current_setting('training.change_id', true), '')::bigint
        from (select id, ${list} from old_rows except select id, ${list} from new_rows) as before
        where exists (select from ${sql.table(table)} where id = before.id)
        returning ${sql.ref(key)}, version
      )
      delete from ${sql.table(versions)} as outdated using superseded
        where outdated.${sql.ref(key)} = superseded.${sql.ref(key)}
          and outdated.version > 1 and outdated.version < superseded.version - 50;
      get diagnostics pruned = row_count;
      if pruned > 0 then
        delete from picture_uses as former using new_rows as item
          where former.${sql.ref(key)} = item.id and not former.is_current and not exists (
            select from ${sql.table(versions)} where ${sql.ref(key)} = item.id
              and strpos(${sql.raw(text)}, 'media/' || encode(former.sha256, 'hex') || '.') > 0
          );
      end if;
      return null;
    end $$`.execute(db)
}

/** Defines the function of the triggers that note the pictures of texts. */
export async function defineNotePictures(db: Kysely<unknown>, { table, key, text }: WatchedTexts): Promise<void> {
  await sql`
    create or replace function ${sql.raw(`note_pictures_of_${table}`)}() returns trigger language plpgsql set search_path from current as $$
    begin
      if tg_op = 'UPDATE' then
        update picture_uses set is_current = false from new_rows where ${sql.ref(key)} = new_rows.id and is_current;
      end if;
      insert into picture_uses (sha256, ${sql.ref(key)})
        select distinct decode(shown[1], 'hex'), id
        from new_rows, regexp_matches(${sql.raw(text)}, 'media/([0-9a-f]{64})[.]', 'g') as shown
        where ${sql.raw(text)} like '%media/%'
        on conflict on constraint picture_uses_key do update set is_current = true;
      return null;
    end $$`.execute(db)
}
