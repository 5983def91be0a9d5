import { type RawBuilder, sql, type Transaction } from 'kysely'
import pg from 'pg'
import type { Database } from '../types.js'
import {
  BackupError,
  type BackupRow,
  type EndLine,
  isEndLine,
  isTableLine,
  parseLine,
  type RowCounts,
} from './format.js'
import {
  type BackupTable,
  type Column,
  DERIVED_TABLES,
  fixTextForms,
  isSaved,
  listTables,
  ROWS_PER_BATCH,
} from './tables.js'

const CHARACTERS_PER_BATCH = 2_000_000
/** Shorter than PostgreSQL's `deadlock_timeout` of one second, so that a cycle ends before anyone is refused. */
const LOCK_TIMEOUT = '500ms'
const LOCK_ATTEMPTS = 60

/**
 * Empties all tables and inserts the rows of a backup unchanged, with triggers disabled. Then rebuilds the derived
 * tables and restores the sequences, so that new ids continue as in the saved store. The schema must be that of the
 * backup.
 * @param options replace: whether existing users and content may be deleted; if false, the store must contain none
 * @returns number of rows by saved table
 * @throws BackupError if the store contains users or content and `replace` is false, or the backup is incomplete or
 * damaged, or does not match the schema
 */
export async function writeStore(
  transaction: Transaction<Database>,
  lines: AsyncIterable<string>,
  { replace }: { replace: boolean },
): Promise<RowCounts> {
  await fixTextForms(transaction)
  const tables = await listTables(transaction)
  const kept = tables.filter(isSaved)
  await lockTables(transaction, tables)
  if (!replace) await requireEmpty(transaction)
  for (const { name } of tables) {
    await sql`alter table ${sql.table(name)} disable trigger user`.execute(transaction)
  }
  await sql`truncate ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(transaction)
  const end = await insertLines(transaction, lines, new Map(kept.map((table) => [table.name, table])))
  // PostgreSQL alters no table whose deferred constraints are still to be checked.
  await sql`set constraints all immediate`.execute(transaction)
  for (const { name } of tables) {
    await sql`alter table ${sql.table(name)} enable trigger user`.execute(transaction)
  }
  for (const { name } of tables) {
    const derive = DERIVED_TABLES[name]
    if (derive !== undefined) await deriveRows(transaction, derive)
  }
  await writeSequences(transaction, end.sequences)
  const counts: RowCounts = {}
  for (const { name } of kept) counts[name] = await countRows(transaction, name)
  for (const [name, expected] of Object.entries(end.counts)) {
    if (counts[name] !== expected) {
      throw new BackupError(`Tabelle ${name}: ${counts[name]} statt ${expected} Zeilen; nichts wurde geändert.`)
    }
  }
  return counts
}

/**
 * Locks all tables against readers and writers until the transaction ends. A service that is still running may hold one
 * table and wait for another; therefore a failed attempt releases all tables before the next one.
 * @throws pg.DatabaseError (55P03) if the tables stay in use for 60 attempts, which take at least half a second each
 */
async function lockTables(transaction: Transaction<Database>, tables: BackupTable[]): Promise<void> {
  const names = sql.join(tables.map(({ name }) => sql.table(name)))
  await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(transaction)
  for (let attempt = 1; ; attempt++) {
    await sql`savepoint before_locks`.execute(transaction)
    try {
      await sql`lock table ${names} in access exclusive mode`.execute(transaction)
      break
    } catch (error) {
      if (!isLockTimeout(error) || attempt === LOCK_ATTEMPTS) throw error
      await sql`rollback to savepoint before_locks`.execute(transaction)
    }
  }
  await sql`set local lock_timeout to default`.execute(transaction)
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

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

async function insertLines(
  transaction: Transaction<Database>,
  lines: AsyncIterable<string>,
  tables: Map<string, BackupTable>,
): Promise<EndLine> {
  let current: { table: BackupTable; columns: Column[] } | undefined
  let batch: BackupRow[] = []
  let size = 0
  const flush = async () => {
    if (current !== undefined && batch.length > 0) await insertRows(transaction, current.table, current.columns, batch)
    batch = []
    size = 0
  }
  for await (const text of lines) {
    const line = parseLine(text)
    if (Array.isArray(line)) {
      batch.push(line as BackupRow)
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

async function insertRows(
  transaction: Transaction<Database>,
  table: BackupTable,
  columns: Column[],
  rows: BackupRow[],
) {
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

/** Tables whose rows show that a store is in use; migrations insert no rows into them */
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
