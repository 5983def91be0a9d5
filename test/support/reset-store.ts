import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'

/** What a store is compared with after its reset. */
export interface NewStore {
  /** Number of the transaction before which everything in it was written. */
  transaction: number
  /** The rows that migrations put into tables, as JSON by table. */
  rows: Map<string, string>
  /** The catalogs of PostgreSQL. */
  catalogs: Catalog[]
  /** Name and value of each thing by which a used store differs from a new one. */
  facts: Map<string, string>
}

interface Catalog {
  name: string
  has_oid: boolean
  /** Hash of the rows that are ours, when it was new. */
  own?: string | undefined
}

/** Tables of the schema that hold the list of migrations. */
const OWN_TABLES = `select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname = 'public' and tablename not like 'kysely%' order by 1`

/** What a session that is about to end holds, in milliseconds at most. */
const LOCK_TIMEOUT = 5_000
/** Sessions end a moment after their clients. */
const SESSION_ATTEMPTS = 100

/** Columns of `pg_class` that change when rows do. */
const VOLATILE = [
  ...['relfilenode', 'relpages', 'reltuples', 'relallvisible', 'relallfrozen', 'relfrozenxid', 'relminmxid'],
]

export async function recordNewStore(client: pg.Client): Promise<NewStore> {
  const { rows } = await client.query('select pg_current_xact_id()::text::bigint as number')
  const transaction = Number(rows[0].number)
  const seeds = new Map<string, string>()
  for (const table of await listTables(client)) {
    const found = await client.query(`select json_agg(t)::text as rows from ${table} as t`)
    if (found.rows[0].rows !== null) seeds.set(table, found.rows[0].rows)
  }
  const catalogs = await listCatalogs(client)
  const hashes = await hashOwn(
    client,
    catalogs.filter(({ has_oid }) => has_oid),
  )
  const known = catalogs.map((catalog) => ({ ...catalog, own: hashes.get(catalog.name) }))
  return { transaction, rows: seeds, catalogs: known, facts: await readFacts(client, transaction, known) }
}

/**
 * Makes a store what a new one is: no rows but those of the migrations, sequences at their start, no statistics.
 *
 * @returns what is different all the same; one line each
 */
export async function resetStore(client: pg.Client, asNew: NewStore): Promise<string[]> {
  await client.query(`set lock_timeout = ${LOCK_TIMEOUT}`)
  const differences: string[] = []
  if (!(await isAlone(client))) differences.push('a connection is open')
  const used = await client.query(`
    select string_agg(name, ', ') as names from (${OWN_TABLES}) as tables where pg_relation_size(name::regclass) > 0`)
  await client.query('begin')
  if (used.rows[0].names !== null) await client.query(`truncate ${used.rows[0].names} cascade`)
  for (const [table, rows] of asNew.rows) {
    await client.query(`truncate ${table} cascade`)
    await client.query(
      `insert into ${table} overriding system value
      select * from json_populate_recordset(null::${table}, $1)`,
      [rows],
    )
  }
  await client.query(`
    select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) from pg_sequences
    where last_value is not null`)
  await client.query('delete from pg_statistic where starelid >= 16384')
  await client.query('commit')
  await client.query('select pg_stat_reset()')
  const facts = await readFacts(client, asNew.transaction, asNew.catalogs)
  for (const name of new Set([...facts.keys(), ...asNew.facts.keys()])) {
    const [now, before] = [facts.get(name), asNew.facts.get(name)]
    if (!isDeepStrictEqual(now, before)) differences.push(`${name}: ${now ?? 'none'} instead of ${before ?? 'none'}`)
  }
  return differences
}

async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(OWN_TABLES)
  return rows.map(({ name }) => name)
}

async function isAlone(client: pg.Client): Promise<boolean> {
  for (let attempt = 0; attempt < SESSION_ATTEMPTS; attempt++) {
    const { rows } = await client.query(`select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`)
    if (rows.length === 0) return true
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return false
}

async function listCatalogs(client: pg.Client): Promise<Catalog[]> {
  // On a server the shared catalogs are those of other tests, too.
  const { rows } = await client.query<Catalog>(`
    select relname as name, exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'oid') as has_oid
    from pg_class
    where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and relname <> 'pg_statistic'
      and (not relisshared or current_database() = 'postgres')
    order by 1`)
  return rows
}

/** A hash of those rows of each catalog that are ours, without what changes with the rows of a table. */
async function hashOwn(client: pg.Client, catalogs: readonly Catalog[]): Promise<Map<string, string>> {
  if (catalogs.length === 0) return new Map()
  const statements = catalogs.map(
    ({ name }) => `select '${name}' as name,
      md5(coalesce(jsonb_agg(to_jsonb(c) - '{${VOLATILE}}'::text[] order by oid), '[]')::text) as own
      from ${name} as c where oid >= 16384`,
  )
  const { rows } = await client.query<{ name: string; own: string }>(statements.join(' union all '))
  return new Map(rows.map(({ name, own }) => [name, own]))
}

/**
 * Every catalog by its number of rows, those of PostgreSQL that were written since (which shows a change), and those of
 * ours as a hash; rows, sequences, settings, what waits.
 */
async function readFacts(
  client: pg.Client,
  transaction: number,
  catalogs: readonly Catalog[],
): Promise<Map<string, string>> {
  const counts = catalogs.map(({ name, has_oid }) => {
    const count = (which: string) =>
      `count(*) filter (where ${which} and age(xmin) < (select age('${transaction % 2 ** 32}'::xid)))`
    const [foreign, own] = has_oid ? [count('oid < 16384'), count('oid >= 16384')] : [count('true'), '0']
    return `select '${name}' as name, count(*)::int as count, ${foreign}::int as foreign_written, ${own}::int as own_written from ${name}`
  })
  const { rows: counted } = await client.query(counts.join(' union all '))
  const countOf = new Map(counted.map((row) => [row.name, row]))
  // Hashing takes longest, and what nobody has written is what it was.
  const written = catalogs.filter(({ name }) => countOf.get(name).own_written > 0)
  const hashes = await hashOwn(client, written)
  const ofCatalogs = catalogs.map(({ name, own = 'none' }): [string, string] => {
    const { count, foreign_written } = countOf.get(name)
    return [name, `rows ${count}, written ${foreign_written}, own ${hashes.get(name) ?? own}`]
  })
  const tables = (await listTables(client)).map(
    (table) =>
      `select 'rows of ${table}' as name, coalesce(md5(json_agg(t)::text), 'none') as value from ${table} as t`,
  )
  const { rows } = await client.query<{ name: string; value: string }>(`
    ${tables.join(' union all ')}
    union all
    select 'sequence ' || sequencename, coalesce(last_value::text, 'new') from pg_sequences
    union all
    select 'setting ' || name, setting from pg_settings
    where source in ('configuration file', 'global', 'database', 'user', 'database user')
    union all
    select 'setting of the database', setconfig::text from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database())
    union all
    select 'prepared transactions', count(*)::text from pg_prepared_xacts where database = current_database()
    union all
    select 'advisory locks', count(*)::text from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`)
  return new Map([...ofCatalogs, ...rows.map(({ name, value }): [string, string] => [name, value])])
}
