import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { type KyselyPlugin, sql, type Transaction } from 'kysely'
import { connectToStore, type OpenDatabase } from '../../db/client.js'
import { migrateToLatest } from '../../db/migrate.js'
import type { Database } from '../../db/types.js'
import { createDatabase, onServer, openOnServer } from './on-server.js'
import { SCRATCH } from './scratch.js'
import { borrowDatabase } from './stores.js'
import { findTemplate } from './templates.js'
import { openTemporaryStore } from './temporary-store.js'
import { until } from './until.js'

export { createDatabase, onServer, openOnServer } from './on-server.js'

/** URL of a PostgreSQL server on which tests may create databases; undefined for the embedded database */
export const TEST_DATABASE_URL = process.env.TEST_DATABASE_URL

/** Creates an empty database, which is dropped on close. */
export async function createEmptyDatabase(): Promise<OpenDatabase> {
  return TEST_DATABASE_URL === undefined ? openCopy() : createOnServer(TEST_DATABASE_URL)
}

/** Returns a migrated database for exclusive use, with only the rows of the migrations. The caller must close it. */
export function createMigratedDatabase(): Promise<OpenDatabase> {
  return borrowDatabase(TEST_DATABASE_URL)
}

/** Returns the database for an app that must not close it. */
export function lend(database: OpenDatabase): OpenDatabase {
  return { ...database, close: async () => {} }
}

/** Returns a migrated database for a test that changes the schema. No other test uses this database. */
export async function createDatabaseToSpoil(): Promise<OpenDatabase> {
  if (TEST_DATABASE_URL === undefined) return openCopy(await findTemplate())
  const database = await createOnServer(TEST_DATABASE_URL)
  await migrateToLatest(database.db)
  return database
}

async function openCopy(template?: string): Promise<OpenDatabase> {
  return connectToStore(await openTemporaryStore(template, SCRATCH), () => {})
}

async function createOnServer(serverUrl: string): Promise<OpenDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const databaseUrl = await createDatabase(serverUrl, name)
  const database = await openOnServer(databaseUrl)
  return {
    ...database,
    close: async () => {
      await database.close()
      await onServer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

interface StatementCounter {
  database: OpenDatabase
  /** Number of successful statements so far, except those that poll the queue of the search index */
  count(): number
  /** Runs `work`. Returns the number of its successful statements, without those of concurrent work. */
  countOf(work: () => Promise<unknown>): Promise<number>
}

export function countStatements(database: OpenDatabase): StatementCounter {
  let count = 0
  const works = new AsyncLocalStorage<{ count: number }>()
  const background = new WeakSet<object>()
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (isSearchPolling(node)) background.add(queryId)
      return node
    },
    // Counts here, because `transformQuery` is called for each part of a statement.
    transformResult: async ({ result, queryId }) => {
      if (!background.has(queryId)) count++
      const work = works.getStore()
      if (work !== undefined) work.count++
      return result
    },
  }
  return {
    database: { ...database, db: database.db.withPlugin(plugin) },
    count: () => count,
    countOf: async (work) => {
      const counted = { count: 0 }
      await works.run(counted, work)
      return counted.count
    },
  }
}

/** Returns whether a statement reads or writes the queue of the search index, which is polled every ten seconds. */
function isSearchPolling(node: object): boolean {
  const text = JSON.stringify(node, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return text.includes('search_pending')
}

/**
 * Waits until other work is held up by an open transaction of the caller: until `count` queries wait for a lock, or, on
 * the embedded database, for its only connection.
 */
export async function waitUntilBlocked({ db, embedded, poolState }: OpenDatabase, count = 1): Promise<void> {
  if (embedded) return until(() => poolState().waiting >= count)
  await until(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows.length >= count
  })
}

/**
 * Starts requests while a transaction holds the lock that `lock` takes, and ends the transaction when all of them are
 * blocked. Returns their results. At most eight requests, because the pool has ten connections.
 * @param whileBlocked runs in the transaction before it ends
 */
export async function startBehindLock<T>(
  database: OpenDatabase,
  lock: (transaction: Transaction<Database>) => Promise<unknown>,
  requests: (() => Promise<T>)[],
  whileBlocked: (transaction: Transaction<Database>) => Promise<unknown> = async () => {},
): Promise<T[]> {
  const results: Promise<T>[] = []
  await database.db.transaction().execute(async (transaction) => {
    await lock(transaction)
    for (const request of requests) results.push(request())
    await waitUntilBlocked(database, requests.length)
    await whileBlocked(transaction)
  })
  return Promise.all(results)
}
