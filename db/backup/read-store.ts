import { sql, type Transaction } from 'kysely'
import { listAppliedMigrations } from '../migrate.js'
import type { Database } from '../types.js'
import { BackupError, type BackupHeader, type BackupRow, type EndLine, type TableLine } from './format.js'
import { type BackupTable, fixTextForms, isSaved, listTables, ROWS_PER_BATCH } from './tables.js'

/** Rows per batch of tables with long values: the text form of a picture has up to 4.2 million characters. */
const WIDE_TABLES: Record<string, number> = { media: 4 }

/**
 * Yields the lines of a backup: the header, the tables and the end. Each table follows the tables that it references.
 * @param transaction must have isolation level `repeatable read`, for a consistent snapshot of a store in use
 * @throws BackupError if no migration has been applied
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

async function* readRows(transaction: Transaction<Database>, table: BackupTable): AsyncGenerator<BackupRow> {
  const values = sql.join(table.columns.map(({ name }) => sql`${sql.ref(name)}::text`))
  const order = sql.join(table.primaryKey.map((name) => sql.ref(name)))
  await sql`
    declare backup_rows no scroll cursor for
    select array[${values}] as values from ${sql.table(table.name)} order by ${order}`.execute(transaction)
  const size = String(WIDE_TABLES[table.name] ?? ROWS_PER_BATCH)
  for (;;) {
    const { rows } = await sql<{ values: BackupRow }>`
      fetch ${sql.raw(size)} from backup_rows`.execute(transaction)
    if (rows.length === 0) break
    for (const { values } of rows) yield values
  }
  await sql`close backup_rows`.execute(transaction)
}

async function readSequences(transaction: Transaction<Database>, table: BackupTable): Promise<EndLine['sequences']> {
  const sequences: EndLine['sequences'] = {}
  for (const { name } of table.columns.filter(({ isIdentity }) => isIdentity)) {
    const { rows } = await sql<{ last: string | null }>`
      select pg_sequence_last_value(pg_get_serial_sequence(${table.name}, ${name}))::text as last`.execute(transaction)
    sequences[`${table.name}.${name}`] = rows[0]?.last ?? null
  }
  return sequences
}
