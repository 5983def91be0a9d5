import { type RawBuilder, sql, type Transaction } from 'kysely'
import { listAppliedMigrations } from './migrate.js'
import type { Database } from './types.js'

/** A backup cannot be made or restored; the message is one German line for the operator. */
export class BackupError extends Error {}

/** The first line of a backup. */
export interface BackupHeader {
  format: 'svc-training-backup'
  version: 1
  created_at: string
  /** Names of the migrations that had been applied to the store, in their order. */
  migrations: string[]
}

/** Rows by table. */
export type Counts = Record<string, number>

interface TableLine {
  table: string
  columns: string[]
}

interface EndLine {
  counts: Counts
  /** Per identity column (`users.id`) the value that the next insert follows, or null when there was none. */
  sequences: Record<string, string | null>
}

/** A row: the text form of each value, as PostgreSQL writes and reads it. */
type Row = (string | null)[]

interface Column {
  name: string
  type: string
  isIdentity: boolean
}

interface Table {
  name: string
  columns: Column[]
  primaryKey: string[]
}

/**
 * What is not worth keeping: a restore must not log anybody in again, nor lock anybody out; and the index of the search,
 * which the service makes anew.
 */
const TRANSIENT_TABLES = new Set([
  ...['sessions', 'login_failures', 'spent_logout_tokens', 'passkey_challenges'],
  ...['search_words', 'search_decks', 'search_cheatsheets', 'search_cards'],
])

const ROWS_PER_BATCH = 500
/** Of a picture the text form alone has four million characters. */
const WIDE_TABLES: Record<string, number> = { media: 4 }
const CHARACTERS_PER_BATCH = 2_000_000

/** Made anew from other tables after a restore: the target's locale may fold letters in another way. */
const DERIVED_TABLES: Record<string, (after: number) => RawBuilder<{ id: number }>> = {
  cheatsheet_texts: (after) => sql`
    insert into cheatsheet_texts
    select id, fold_text(title), fold_text(content_md)
    from cheatsheets where id > ${after}::bigint order by id limit ${ROWS_PER_BATCH}
    returning cheatsheet_id as id`,
  // All at once: numbers only.
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

const isSaved = ({ name }: Table) => !TRANSIENT_TABLES.has(name) && !(name in DERIVED_TABLES)

/**
 * Everything in the store as lines of JSON, tables in an order in which they can be inserted. The catalog says which
 * tables there are, so that a table of a later migration is not forgotten.
 * @param transaction of isolation level `repeatable read`: one moment of a store that may be in use
 */
export async function* readStore(transaction: Transaction<Database>, now: Date): AsyncGenerator<string> {
  await fixTextForms(transaction)
  const header: BackupHeader = {
    format: 'svc-training-backup',
    version: 1,
    created_at: now.toISOString(),
    migrations: await listAppliedMigrations(transaction),
  }
  if (header.migrations.length === 0) throw new BackupError('Die Datenbank enthält kein Schema dieses Programms.')
  yield JSON.stringify(header)
  const end: EndLine = { counts: {}, sequences: {} }
  for (const table of await listTables(transaction)) {
    if (!isSaved(table)) continue
    const columns = table.columns.map(({ name }) => name)
    yield JSON.stringify({ table: table.name, columns } satisfies TableLine)
    let count = 0
    for await (const row of readRows(transaction, table)) {
      count++
      yield JSON.stringify(row)
    }
    end.counts[table.name] = count
    Object.assign(end.sequences, await readSequences(transaction, table))
  }
  yield JSON.stringify(end)
}

async function* readRows(transaction: Transaction<Database>, table: Table): AsyncGenerator<Row> {
  const values = sql.join(table.columns.map(({ name }) => sql`${sql.ref(name)}::text`))
  const order = sql.join(table.primaryKey.map((name) => sql.ref(name)))
  await sql`
    declare backup_rows no scroll cursor for
    select array[${values}] as values from ${sql.table(table.name)} order by ${order}`.execute(transaction)
  const size = String(WIDE_TABLES[table.name] ?? ROWS_PER_BATCH)
  for (;;) {
    const { rows } = await sql<{ values: Row }>`
      fetch ${sql.raw(size)} from backup_rows`.execute(transaction)
    if (rows.length === 0) break
    for (const { values } of rows) yield values
  }
  await sql`close backup_rows`.execute(transaction)
}

async function readSequences(transaction: Transaction<Database>, table: Table): Promise<EndLine['sequences']> {
  const sequences: EndLine['sequences'] = {}
  for (const { name } of table.columns.filter(({ isIdentity }) => isIdentity)) {
    const { rows } = await sql<{ last: string | null }>`
      select pg_sequence_last_value(pg_get_serial_sequence(${table.name}, ${name}))::text as last`.execute(transaction)
    sequences[`${table.name}.${name}`] = rows[0]?.last ?? null
  }
  return sequences
}

/** Reads the first line. @throws BackupError when the file is no backup or of a later version of the format */
export function parseHeader(line: string | undefined): BackupHeader {
  const header = parseLine(line ?? '') as Partial<BackupHeader> | undefined
  if (header?.format !== 'svc-training-backup') {
    throw new BackupError('Die Datei ist keine Sicherung dieses Programms.')
  }
  if (header.version !== 1) throw new BackupError('Die Sicherung stammt von einer neueren Programmversion.')
  return header as BackupHeader
}

/**
 * Inserts the lines that follow the header, as they were: the triggers, which would derive and date anew, are off
 * meanwhile. The schema must be the one of the backup. Ids and the values that sequences give next are the same as in
 * the store that was saved.
 * @param options replace: whether what is there may be deleted; otherwise it must be nothing
 * @returns rows by table, counted in the database and equal to those of the backup
 * @throws BackupError when the store is not empty, or when the backup is incomplete
 */
export async function writeStore(
  transaction: Transaction<Database>,
  lines: AsyncIterable<string>,
  { replace }: { replace: boolean },
): Promise<Counts> {
  await fixTextForms(transaction)
  const tables = await listTables(transaction)
  const kept = tables.filter(isSaved)
  if (!replace) await requireEmpty(transaction)
  for (const { name } of tables) {
    await sql`alter table ${sql.table(name)} disable trigger user`.execute(transaction)
  }
  await sql`truncate ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(transaction)
  const end = await insertLines(transaction, lines, new Map(kept.map((table) => [table.name, table])))
  for (const { name } of tables) {
    await sql`alter table ${sql.table(name)} enable trigger user`.execute(transaction)
  }
  for (const { name } of tables) {
    const derive = DERIVED_TABLES[name]
    if (derive !== undefined) await deriveRows(transaction, derive)
  }
  await writeSequences(transaction, end.sequences)
  const counts: Counts = {}
  for (const { name } of kept) counts[name] = await countRows(transaction, name)
  for (const [name, expected] of Object.entries(end.counts)) {
    if (counts[name] !== expected) {
      throw new BackupError(`Tabelle ${name}: ${counts[name]} statt ${expected} Zeilen; nichts wurde geändert.`)
    }
  }
  return counts
}

/** In batches: the limit of a statement cuts no restore that makes progress. */
async function deriveRows(
  transaction: Transaction<Database>,
  derive: (after: number) => RawBuilder<{ id: number }>,
): Promise<void> {
  let after = -(2 ** 31) - 1
  for (;;) {
    const { rows } = await derive(after).execute(transaction)
    if (rows.length === 0) return
    after = Math.max(...rows.map(({ id }) => id))
  }
}

/** Inserts rows in batches and returns the last line. */
async function insertLines(
  transaction: Transaction<Database>,
  lines: AsyncIterable<string>,
  tables: Map<string, Table>,
): Promise<EndLine> {
  let current: { table: Table; columns: Column[] } | undefined
  let batch: Row[] = []
  let size = 0
  const flush = async () => {
    if (current !== undefined && batch.length > 0) await insertRows(transaction, current.table, current.columns, batch)
    batch = []
    size = 0
  }
  for await (const text of lines) {
    const line = parseLine(text)
    if (Array.isArray(line)) {
      batch.push(line as Row)
      size += text.length
      if (batch.length >= ROWS_PER_BATCH || size >= CHARACTERS_PER_BATCH) await flush()
    } else if (isTableLine(line)) {
      await flush()
      const table = tables.get(line.table)
      const columns = line.columns.map((name) => table?.columns.find((column) => column.name === name))
      if (table === undefined || columns.some((column) => column === undefined)) {
        throw new BackupError(`Die Tabelle ${line.table} der Sicherung passt nicht zum Schema.`)
      }
      current = { table, columns: columns as Column[] }
    } else if (isEndLine(line)) {
      await flush()
      return line
    } else {
      break
    }
  }
  throw new BackupError('Die Sicherung ist unvollständig oder beschädigt; nichts wurde geändert.')
}

async function insertRows(transaction: Transaction<Database>, table: Table, columns: Column[], rows: Row[]) {
  const names = sql.join(columns.map(({ name }) => sql.ref(name)))
  const values = sql.join(columns.map(({ name, type }) => sql`${sql.ref(name)}::${sql.raw(type)}`))
  const arrays = sql.join(columns.map((_, index) => sql`${rows.map((row) => row[index] ?? null)}::text[]`))
  await sql`
    insert into ${sql.table(table.name)} (${names}) overriding system value
    select ${values} from unnest(${arrays}) as given (${names})`.execute(transaction)
}

async function writeSequences(transaction: Transaction<Database>, sequences: EndLine['sequences']): Promise<void> {
  for (const [column, last] of Object.entries(sequences)) {
    const [table, name] = column.split('.')
    const sequence = sql`pg_get_serial_sequence(${table}, ${name})::regclass`
    await sql`select setval(${sequence}, ${last ?? '1'}::bigint, ${last !== null})`.execute(transaction)
  }
}

/** Whose rows everything else hangs on; tables that the database keeps by itself may have rows in an empty store. */
const ROOT_TABLES = ['users', 'decks', 'cheatsheets']

async function requireEmpty(transaction: Transaction<Database>): Promise<void> {
  for (const name of ROOT_TABLES) {
    if ((await countRows(transaction, name)) > 0) {
      throw new BackupError(
        `Das Ziel ist nicht leer (Tabelle ${name}). Mit --replace wird gelöscht, was dort ist, und die Sicherung eingespielt.`,
      )
    }
  }
}

async function countRows(transaction: Transaction<Database>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(transaction)
  return rows[0]?.count ?? 0
}

/** The tables of the schema, each after those that it refers to. */
async function listTables(transaction: Transaction<Database>): Promise<Table[]> {
  const { rows } = await sql<Table & { references: string[] }>`
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
  const sorted: Table[] = []
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

/** The same text for the same value, whatever the server's settings are. */
async function fixTextForms(transaction: Transaction<Database>): Promise<void> {
  await sql`
    select set_config('DateStyle', 'ISO', true), set_config('TimeZone', 'UTC', true),
      set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true),
      set_config('extra_float_digits', '1', true)`.execute(transaction)
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isTableLine(line: unknown): line is TableLine {
  return typeof (line as TableLine | undefined)?.table === 'string'
}

function isEndLine(line: unknown): line is EndLine {
  return typeof (line as EndLine | undefined)?.counts === 'object'
}
