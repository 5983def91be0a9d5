import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type EmbeddedStore, openEmbeddedStore } from './embedded/index.js'
import { nameStatement } from './statement-names.js'
import type { Database } from './types.js'

export interface DatabaseOptions {
  /** A PostgreSQL server; without it the embedded store below `dataDir` is opened. */
  databaseUrl?: string | undefined
  dataDir: string
  /** Connections to the server at most; the embedded store has exactly one. */
  poolMax: number
  /**
   * Whether a connection prepares its statements, so that the server plans each of them once (the default). Off for a
   * pooler that does not know named statements (PgBouncer before 1.21); then no limit is sent at the start of a
   * connection either, which such a pooler refuses.
   */
  prepare?: boolean | undefined
  /** After how long without an answer a server counts as frozen, in milliseconds; 20 s unless told. */
  frozenAfterMs?: number | undefined
  /** Called for errors of idle connections, which no query reports. */
  onIdleError: (error: Error) => void
  /** Called after each statement. */
  onQuery?: (query: ExecutedQuery) => void
}

export interface ExecutedQuery {
  /** The text, with placeholders for the values. */
  sql: string
  values: readonly unknown[]
  /** Without the wait for a connection. */
  durationMs: number
  failed: boolean
}

export interface OpenDatabase {
  db: Kysely<Database>
  embedded: boolean
  /** Connections now, and how many callers wait for one. */
  poolState: () => { total: number; idle: number; waiting: number }
  /** Runs what takes as long as it takes, a migration, by a connection that nothing of ours cuts. */
  withoutLimit: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/** By which the server's list of sessions names ours. */
const APPLICATION_NAME = 'svc-training'

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 15_000
/** Longer than the server's own limit: it decides when the server is frozen, or when a pooler refuses that limit. */
const FROZEN_AFTER_MS = 20_000
const IDLE_TIMEOUT_MS = 60_000
/** The embedded store has one connection: whoever waits for it must outlast the longest import. */
const EMBEDDED_WAIT_MS = 600_000

/** DATE stays the text `YYYY-MM-DD`, int8 becomes a number: no column of ours leaves the safe range. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.DATE) return (value: string) => value
    if (oid === pg.types.builtins.INT8) return Number
    return pg.types.getTypeParser(oid, format)
  },
}

/** `pg.Client`, whose overloads of `query` a subclass could only override one by one. */
const Client = pg.Client as unknown as new (
  config: pg.ClientConfig,
) => Omit<pg.Client, 'query'> & {
  query(...args: unknown[]): unknown
}

interface ServiceClientConfig {
  prepare: boolean
  /** After how long without an answer a statement is given up, and its connection with it; absent: never. */
  frozenAfterMs?: number
}

/**
 * What a pool makes of its options, for Kysely alone: a client that names its statements and lets go of a frozen server.
 * `query` takes a text and its values; callbacks, cursors and `pool.query` are not served.
 */
class ServiceClient extends Client {
  readonly #prepares: boolean
  readonly #frozenAfterMs: number | undefined

  constructor(config: pg.ClientConfig & ServiceClientConfig) {
    super(config)
    this.#prepares = config.prepare
    this.#frozenAfterMs = config.frozenAfterMs
    // One in DATABASE_URL would end the statement and leave the connection waiting for it.
    const { connectionParameters } = this as unknown as { connectionParameters: pg.ClientConfig }
    delete connectionParameters.query_timeout
  }

  /**
   * Kysely never names its statements (https://github.com/kysely-org/kysely/issues/329).
   *
   * Neither pg's promise nor its `query_timeout` is used. Both assign a function to a property of the query, which V8
   * puts among the old objects at once; all rows would stay in memory until the next full collection
   * (docs/decisions/0043-hand-pg-a-callback.md).
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

  /** pg fails the statement with this error, and the pool does not hand the client out again. */
  #cut(): void {
    this.connection.stream.destroy(new Error('Query read timeout'))
  }
}

/** The types know only `pg.Client` itself. */
const clientOf = (config: ServiceClientConfig) => ({ Client: ServiceClient as unknown as typeof pg.Client, ...config })

/**
 * A connection that breaks while it is lent out is an event of the client, not of the pool, and unheard it would end the
 * process (https://github.com/brianc/node-postgres/issues/2439); its query fails by itself.
 */
function listenForErrors(pool: pg.Pool, onError: (error: Error) => void): void {
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => {}))
}

/** Opens the server's pool (connecting lazily) or the embedded store. Throws `EmbeddedStoreError` when that is in use. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  if (options.databaseUrl === undefined) {
    return connectToStore(await openEmbeddedStore(options.dataDir), options.onIdleError, options.onQuery)
  }
  const { databaseUrl, prepare = true, frozenAfterMs = FROZEN_AFTER_MS } = options
  const open = (config: pg.PoolConfig) => {
    const pool = new pg.Pool({
      connectionString: databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
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
    // One stays while nothing is asked: who restores a backup sees that the database is in use.
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

/** How many sessions other than that of `db`, which must have a pool of one, this program has in the same database. */
export async function countOtherSessions(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      -- The URL may have given it another name.
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

/** The embedded store through the same driver, by its one connection; closing closes the store. */
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
