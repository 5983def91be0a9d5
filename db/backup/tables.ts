import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../types.js'

export interface Column {
  name: string
  type: string
  isIdentity: boolean
}

export interface BackupTable {
  name: string
  columns: Column[]
  primaryKey: string[]
}

/** Maximum number of rows per statement, so that each statement finishes within the statement timeout */
export const ROWS_PER_BATCH = 500

/**
 * Tables that a backup omits: the login state, which a restore must not revive, and the search index, which the service
 * rebuilds.
 */
const TRANSIENT_TABLES = new Set([
  ...['sessions', 'login_failures', 'spent_logout_tokens', 'passkey_challenges'],
  ...['search_words', 'search_decks', 'search_cheatsheets', 'search_cards'],
])

/** Builds the statement that derives the rows for the next ids after the id `after`. */
type Derive = (after: number) => RawBuilder<{ id: number }>

/**
 * Tables that a backup omits and a restore derives from other tables: folded texts, because the target's locale may
 * fold letters differently, the queue of the search index, so that all content is indexed again, and the log of changes.
 */
export const DERIVED_TABLES: Record<string, Derive> = {
  cheatsheet_texts: (after) => sql`
    insert into cheatsheet_texts
    select id, title, summarize_cheatsheet(id, slug, title, category), fold_text(title), fold_text(content_md)
    from cheatsheets where id > ${after}::bigint and archived_at is null
    order by id limit ${ROWS_PER_BATCH} returning cheatsheet_id as id`,
  // Refuses any `changed_since` before the restore, because what it changed is unknown
  changes: (after) => sql`
    insert into changes (kind, object_id) select 'reset', 0 where ${after}::bigint < 0 returning object_id as id`,
  // Inserts all rows with the first statement, because there are few
  search_pending: (after) => sql`
    with noted as (
      select 'deck' as kind, id, id / 200 as part from decks
      union all
      select 'cheatsheet', id, id / 10 from cheatsheets
      union all
      select 'card', id, id / 200 from cards
    )
    insert into search_pending (kind, ids)
    select kind, array_agg(id) from noted where ${after}::bigint < 0 group by kind, part
    returning 0 as id`,
}

export const isSaved = ({ name }: BackupTable) => !TRANSIENT_TABLES.has(name) && !(name in DERIVED_TABLES)

/**
 * Lists the tables of the schema, except those of Kysely, each after the tables that it references.
 * @throws Error if tables refer to each other in a cycle
 */
export async function listTables(transaction: Transaction<Database>): Promise<BackupTable[]> {
  const { rows } = await sql<BackupTable & { references: string[] }>`
    select relname as name,
      (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
          'isIdentity', attidentity <> '') order by attnum)
        from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
      ) as columns,
      (select array_agg(attname::text order by array_position(conkey, attnum))
        from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any (conkey)
        where conrelid = pg_class.oid and contype = 'p'
      ) as "primaryKey",
      array(
        select distinct referred.relname::text from pg_constraint join pg_class as referred on referred.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid
      ) as references
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and not starts_with(relname, 'kysely_')
    order by relname`.execute(transaction)
  const sorted: BackupTable[] = []
  const isSorted = (name: string) => sorted.some((table) => table.name === name)
  let rest = rows
  while (rest.length > 0) {
    const ready = rest.filter(({ references }) => references.every(isSorted))
    if (ready.length === 0) throw new Error(`tables refer to each other: ${rest.map(({ name }) => name).join(', ')}`)
    sorted.push(...ready.map(({ name, columns, primaryKey }) => ({ name, columns, primaryKey })))
    rest = rest.filter(({ name }) => !isSorted(name))
  }
  return sorted
}

/** Pins the settings that influence the text form of values, until the transaction ends. */
export async function fixTextForms(transaction: Transaction<Database>): Promise<void> {
  await sql`
    select set_config('DateStyle', 'ISO', true), set_config('TimeZone', 'UTC', true),
      set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true),
      set_config('extra_float_digits', '1', true)`.execute(transaction)
}
