import type pg from 'pg'

/** What a reset restores and compares */
export interface NewStore {
  /** Rows that migrations insert, as JSON by table */
  rows: Map<string, string>
  /** A hash by kind of object */
  schema: Map<string, string>
}

/** Tables of the schema but the list of migrations */
const TABLES = `select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname = 'public' and tablename not like 'kysely%'`

/** Definitions of everything in the schema, and what a session can leave behind */
const SCHEMA = `
  select kind, md5(string_agg(definition, e'\\n' order by definition)) as hash from (
    select 'tables', concat_ws(' ', relname, relkind, reloptions, relrowsecurity) from pg_class
    where relnamespace = 'public'::regnamespace
    union all
    select 'columns', concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
      pg_get_expr(adbin, adrelid))
    from pg_attribute join pg_class on pg_class.oid = attrelid
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
    union all
    select 'constraints', concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = 'public'::regnamespace
    union all
    select 'indexes', indexdef from pg_indexes where schemaname = 'public'
    union all
    select 'functions', pg_get_functiondef(oid) from pg_proc
    where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
    union all
    select 'triggers', concat_ws(' ', tgenabled, pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
    union all
    select 'settings', setconfig::text from pg_db_role_setting join pg_database on pg_database.oid = setdatabase
    where datname = current_database()
    union all
    select 'advisory locks', objid::text from pg_locks join pg_database on pg_database.oid = database
    where locktype = 'advisory' and datname = current_database()
  ) as objects (kind, definition)
  group by kind`

const LOCK_TIMEOUT_MS = 5_000
/** Sessions end shortly after their clients; 10 ms each */
const SESSION_ATTEMPTS = 100

export async function recordNewStore(client: pg.Client): Promise<NewStore> {
  const rows = new Map<string, string>()
  for (const { name } of (await client.query(TABLES)).rows) {
    const found = await client.query(`select json_agg(t)::text as rows from ${name} as t`)
    if (found.rows[0].rows !== null) rows.set(name, found.rows[0].rows)
  }
  return { rows, schema: await readSchema(client) }
}

/**
 * Resets a store to the rows of the migrations, new sequences and no statistics. Returns what a test has changed in its
 * schema, one line each.
 */
export async function resetStore(client: pg.Client, { rows, schema }: NewStore): Promise<string[]> {
  if (!(await isAlone(client))) return ['a connection is open']
  await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
  const now = await readSchema(client)
  const kinds = [...new Set([...schema.keys(), ...now.keys()])].filter((kind) => now.get(kind) !== schema.get(kind))
  if (kinds.length > 0) return kinds.map((kind) => `${kind} changed`)
  const used = await client.query(`select name from (${TABLES}) as tables where pg_relation_size(name::regclass) > 0`)
  const names = new Set([...used.rows.map(({ name }) => name), ...rows.keys()])
  // `truncate` makes new files for each table and index, which takes several times as long for the few rows of a test.
  await client.query('set session_replication_role = replica')
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
  await client.query('select pg_stat_reset()')
  return []
}

async function readSchema(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ kind: string; hash: string }>(SCHEMA)
  return new Map(rows.map(({ kind, hash }) => [kind, hash]))
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
