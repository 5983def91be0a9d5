import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type EmbeddedStore, openEmbeddedStore } from './embedded/index.js'
import { nameStatement } from './statement-names.js'
import type { Database } from './types.js'

export interface DatabaseOptions {
  /** URL of a PostgreSQL server; if undefined, `openDatabase` opens the embedded store below `dataDir`. */
  databaseUrl?: string | undefined
  dataDir: string
  /** Maximum number of connections of the pool; ignored for the embedded store, which has exactly one. */
  poolMax: number
  /**
   * Whether to use named prepared statements; default true. Must be false behind a pooler without support for them
   * (PgBouncer before 1.21). If false, the startup packet omits the statement timeout, because such a pooler refuses
   * it. Ignored for the embedded store.
   */
  prepare?: boolean | undefined
  /**
   * Milliseconds after which a statement without a complete response fails; default 20,000. Ignored for the embedded
   * store.
   */
  frozenAfterMs?: number | undefined
  /** Milliseconds to wait for a free connection of the pool; default 5,000. Ignored for the embedded store. */
  connectTimeoutMs?: number
  /** Called for errors of idle connections, which no query reports */
  onIdleError: (error: Error) => void
  onQuery?: (query: ExecutedQuery) => void
}

export interface ExecutedQuery {
  sql: string
  values: readonly unknown[]
  /** Duration in milliseconds, excluding the wait for a connection */
  durationMs: number
  failed: boolean
}

export interface OpenDatabase {
  db: Kysely<Database>
  embedded: boolean
  poolState: () => { total: number; idle: number; waiting: number }
  /** Runs long work, such as a migration, on a connection for which this program sets no statement timeouts */
  withoutLimit: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

const APPLICATION_NAME = 'svc-training'

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 15_000
/** Must exceed the statement timeout; ends a statement if the server is frozen or has no statement timeout. */
const FROZEN_AFTER_MS = 20_000
const IDLE_TIMEOUT_MS = 60_000
/** Maximum wait for the only connection of the embedded store; must exceed the longest import. */
const EMBEDDED_WAIT_MS = 600_000

/** Parses DATE to a string `YYYY-MM-DD`, and int8 to a number, because no column exceeds the safe integer range. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.DATE) return (value: string) => value
    if (oid === pg.types.builtins.INT8) return Number
    return pg.types.getTypeParser(oid, format)
  },
}

/** `pg.Client` with a single signature of `query`; a subclass would otherwise have to override each overload. */
const Client = pg.Client as unknown as new (
  config: pg.ClientConfig,
) => Omit<pg.Client, 'query'> & {
  query(...args: unknown[]): unknown
}

interface ServiceClientConfig {
  prepare: boolean
  /** No limit if absent */
  frozenAfterMs?: number
}

/**
 * Client of the pool that Kysely uses. It names statements and closes the connection to a frozen server. `query` takes
 * the text of a statement and its values; callbacks, cursors and `pool.query` are not supported.
 */
class ServiceClient extends Client {
  readonly #prepares: boolean
  readonly #frozenAfterMs: number | undefined

  constructor(config: pg.ClientConfig & ServiceClientConfig) {
    super(config)
    this.#prepares = config.prepare
    this.#frozenAfterMs = config.frozenAfterMs
  }

  /**
   * Names the statement, because Kysely never does (https://github.com/kysely-org/kysely/issues/329).
   *
   * Uses neither pg's promise nor its `query_timeout`: both assign a function to a property of the query, which V8 then
   * promotes to the old generation, so that all rows stay in memory until the next full collection
   * (docs/decisions/0007-pass-pg-a-callback.md).
   */
  override query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = this.#prepares ? nameStatement(text, values) : undefined
    return new Promise((resolve, reject) => {
      const limit = this.#frozenAfterMs === undefined ? undefined : setTimeout(() => this.#cut(), this.#frozenAfterMs)
      super.query({ name, text, values }, (error: Error | undefined, result: pg.QueryResult) => {
        clearTimeout(limit)
        if (error) reject(error)
        else resolve(result)
      })
    })
  }

  /** Fails the running statement; the pool then discards the client. */
  #cut(): void {
    this.connection.stream.destroy(new Error('Query read timeout'))
  }
}

/** Removes pg's `query_timeout`, which would fail a statement but keep its connection waiting for the response. */
const withoutQueryTimeout = (databaseUrl: string) => databaseUrl.replaceAll(/(?<=[?&])query_timeout=[^&#]*/g, '')

/** Returns the pool options for `ServiceClient`; the cast is needed because the types accept only `pg.Client`. */
const clientOf = (config: ServiceClientConfig) => ({ Client: ServiceClient as unknown as typeof pg.Client, ...config })

/**
 * Handles the errors of connections. A checked-out connection that breaks emits an error on the client, not on the
 * pool; without a listener this error would end the process (https://github.com/brianc/node-postgres/issues/2439). The
 * listener ignores the error, because the running query fails as well.
 */
function listenForErrors(pool: pg.Pool, onError: (error: Error) => void): void {
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => {}))
}

/**
 * Creates a connection pool, which connects to the server on first use, or opens the embedded store.
 * @throws EmbeddedStoreError if the store is in use or cannot be opened
 */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  if (options.databaseUrl === undefined) {
    return connectToStore(await openEmbeddedStore(options.dataDir), options.onIdleError, options.onQuery)
  }
  const { databaseUrl, prepare = true, frozenAfterMs = FROZEN_AFTER_MS } = options
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
  const open = (config: pg.PoolConfig) => {
    const pool = new pg.Pool({
      connectionString: withoutQueryTimeout(databaseUrl),
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: APPLICATION_NAME,
      types,
      ...config,
    })
    listenForErrors(pool, options.onIdleError)
    return { pool, db: createKysely(pool, options.onQuery) }
  }
  const { pool, db } = open({
    ...clientOf({ prepare, frozenAfterMs }),
    // Keeps one idle connection, so that a restore can see that the database is in use.
    min: 1,
    max: options.poolMax,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    ...(prepare && { statement_timeout: STATEMENT_TIMEOUT_MS }),
  })
  return {
    db,
    embedded: false,
    poolState: () => poolState(pool),
    withoutLimit: async (work) => {
      const limitless = open({ ...clientOf({ prepare }), max: 1 })
      try {
        return await work(limitless.db)
      } finally {
        await limitless.db.destroy()
      }
    },
    close: () => db.destroy(),
  }
}

/** Counts the connections of this program to the database, except that of `db`, whose pool must have only one. */
export async function countOtherSessions(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      -- The URL may set another application name.
      and application_name in (${APPLICATION_NAME}, current_setting('application_name'))`.execute(db)
  return rows[0]?.count ?? 0
}

function createKysely(pool: pg.Pool, onQuery: DatabaseOptions['onQuery']): Kysely<Database> {
  const dialect = new PostgresDialect({ pool })
  if (onQuery === undefined) return new Kysely<Database>({ dialect })
  return new Kysely<Database>({
    dialect,
    log: ({ level, query, queryDurationMillis }) =>
      onQuery({ sql: query.sql, values: query.parameters, durationMs: queryDurationMillis, failed: level === 'error' }),
  })
}

function poolState({ totalCount, idleCount, waitingCount }: pg.Pool) {
  return { total: totalCount, idle: idleCount, waiting: waitingCount }
}

/** Connects to the embedded store through pg, on its single connection; `close()` also closes the store. */
export function connectToStore(
  store: EmbeddedStore,
  onIdleError: (error: Error) => void,
  onQuery?: DatabaseOptions['onQuery'],
): OpenDatabase {
  const pool = new pg.Pool({
    ...clientOf({ prepare: true }),
    stream: store.connect,
    user: 'postgres',
    database: 'postgres',
    max: 1,
    connectionTimeoutMillis: EMBEDDED_WAIT_MS,
    idleTimeoutMillis: 0,
    types,
  })
  listenForErrors(pool, onIdleError)
  const db = createKysely(pool, onQuery)
  return {
    db,
    embedded: true,
    poolState: () => poolState(pool),
    withoutLimit: (work) => work(db),
    close: async () => {
      await db.destroy()
      await store.close()
    },
  }
}
