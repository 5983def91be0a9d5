import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { connectToStore, type OpenDatabase } from '../../db/client.js'
import { migrateToLatest } from '../../db/migrate.js'
import { createDatabase, onServer, openOnServer } from './on-server.js'
import { SCRATCH } from './scratch.js'
import { findTemplate } from './templates.js'
import { openTemporaryStore } from './temporary-store.js'

/** A migrated database that several tests use in turn */
interface Store {
  open(): Promise<OpenDatabase>
  /** Creates an unconnected client for preparing and resetting the database. */
  connect(): pg.Client
  destroy(): Promise<void>
  /** Rows that migrations insert, as JSON by table */
  rows?: Map<string, string>
}

/**
 * Maximum number of unused databases to keep for reuse. Nearly every test file needs one database, few need two, and
 * each database takes several hundred MB.
 */
const KEPT = 2

const free: Store[] = []
const lent = new Set<Store>()
const failures: string[] = []
let keeps = false

/** Keeps returned databases for reuse. The caller must call `destroyStores` at the end. */
export function keepStores(): void {
  keeps = true
}

export async function destroyStores(): Promise<void> {
  keeps = false
  await Promise.all([...free.splice(0), ...lent].map((store) => store.destroy()))
}

/**
 * Destroys the databases that the last test file left open. Returns one line with their number, if there are any, and
 * one line for each database that could not be reset.
 */
export async function takeLeftovers(): Promise<string[]> {
  const found = failures.splice(0)
  if (lent.size > 0) found.push(`${lent.size} open database(s)`)
  const open = [...lent]
  lent.clear()
  await Promise.all(open.map((store) => store.destroy()))
  return found
}

/**
 * Returns a migrated database that contains only the rows of the migrations. Closing it makes it available for reuse if
 * `keepStores` was called, fewer than `KEPT` databases are unused and its reset succeeds; otherwise it is destroyed.
 */
export async function borrowDatabase(serverUrl: string | undefined): Promise<OpenDatabase> {
  const store = free.pop() ?? (await (serverUrl === undefined ? createEmbedded() : createOnServer(serverUrl)))
  store.rows ??= await withClient(store, prepare)
  lent.add(store)
  const database = await store.open()
  let closing: Promise<void> | undefined
  const close = async () => {
    await database.close()
    if (lent.delete(store)) await takeBack(store)
  }
  return {
    ...database,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

async function takeBack(store: Store): Promise<void> {
  if (keeps && free.length < KEPT) {
    try {
      await withClient(store, (client) => reset(client, store.rows))
      return void free.push(store)
    } catch (error) {
      failures.push(`its database cannot be reset: ${(error as Error).message}`)
    }
  }
  await store.destroy()
}

/** SQL that makes the database refuse changes of the schema, because a reset does not undo them */
const REFUSE_CHANGES = `
  create schema testing;
  create function testing.refuse_change() returns event_trigger language plpgsql as $$
    begin raise exception '%: a test that changes the schema needs createDatabaseToSpoil()', tg_tag; end $$;
  create event trigger refuse_change on ddl_command_start execute function testing.refuse_change()`

/** Tables of the schema, except for Kysely's */
const TABLES = `select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname = 'public' and tablename not like 'kysely%'`

/** Installs the trigger of `REFUSE_CHANGES`. Returns the rows that migrations insert, as JSON by table. */
async function prepare(client: pg.Client): Promise<Map<string, string>> {
  const rows = new Map<string, string>()
  for (const { name } of (await client.query(TABLES)).rows) {
    const found = await client.query(`select json_agg(t)::text as rows from ${name} as t`)
    if (found.rows[0].rows !== null) rows.set(name, found.rows[0].rows)
  }
  await client.query(REFUSE_CHANGES)
  return rows
}

/** Deletes all rows except those of the migrations, restarts the sequences and deletes the statistics. */
async function reset(client: pg.Client, rows = new Map<string, string>()): Promise<void> {
  // A session that a test left open may hold locks. With the timeout, waiting for such a lock becomes an error.
  await client.query("set lock_timeout = '5s'")
  await client.query('set session_replication_role = replica')
  const used = await client.query(`select name from (${TABLES}) as tables where pg_relation_size(name::regclass) > 0`)
  const names = new Set([...used.rows.map(({ name }) => name), ...rows.keys()])
  // Uses `delete`, because `truncate` creates files for each table and index, which takes three times as long here.
  for (const name of names) await client.query(`delete from ${name}`)
  if (names.size > 0) await client.query(`vacuum ${[...names].join(', ')}`)
  for (const [table, json] of rows) {
    const select = `select * from json_populate_recordset(null::${table}, $1)`
    await client.query(`insert into ${table} overriding system value ${select}`, [json])
  }
  await client.query(`
    select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) from pg_sequences
    where last_value is not null`)
  await client.query('delete from pg_statistic where starelid >= 16384')
}

async function withClient<T>(store: Store, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = store.connect()
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function createEmbedded(): Promise<Store> {
  const store = await openTemporaryStore(await findTemplate(), SCRATCH)
  return {
    open: async () => connectToStore({ ...store, close: async () => {} }, () => {}),
    connect: () => new pg.Client({ stream: store.connect, user: 'postgres', database: 'postgres' }),
    destroy: () => store.close(),
  }
}

async function createOnServer(serverUrl: string): Promise<Store> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const databaseUrl = await createDatabase(serverUrl, name)
  const open = () => openOnServer(databaseUrl)
  const database = await open()
  await migrateToLatest(database.db)
  await database.close()
  return {
    open,
    connect: () => new pg.Client(databaseUrl),
    destroy: () => onServer(serverUrl, `drop database ${name} with (force)`),
  }
}
