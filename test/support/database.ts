import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { KyselyPlugin } from 'kysely'
import pg from 'pg'
import { connectToStore, type OpenDatabase, openDatabase } from '../../db/client.js'
import { openTemporaryStore } from '../../db/embedded/temporary.js'
import { migrateToLatest } from '../../db/migrate.js'

import { SCRATCH } from './scratch.js'

/** A PostgreSQL server on which the tests may create databases; without it they run on the embedded one. */
export const TEST_DATABASE_URL = process.env.TEST_DATABASE_URL

/** The stores that `make-templates.ts` leaves for the tests of one run: copying one is faster than creating it. */
export const TEMPLATES = {
  empty: fileURLToPath(new URL('../../../.tap/template-stores/empty', import.meta.url)),
  migrated: fileURLToPath(new URL('../../../.tap/template-stores/migrated', import.meta.url)),
}

/** An empty database of its own; closing it removes it. */
export async function createEmptyDatabase(): Promise<OpenDatabase> {
  return TEST_DATABASE_URL === undefined ? copyTemplate('empty') : createOnServer(TEST_DATABASE_URL)
}

/** A database of its own with tables and no rows; closing it removes it. */
export async function createMigratedDatabase(): Promise<OpenDatabase> {
  const database = await (TEST_DATABASE_URL === undefined ? copyTemplate('migrated') : createEmptyDatabase())
  await migrateToLatest(database.db)
  return database
}

async function copyTemplate(kind: keyof typeof TEMPLATES): Promise<OpenDatabase> {
  return connectToStore(await openTemporaryStore(TEMPLATES[kind], SCRATCH), onIdleError)
}

async function createOnServer(serverUrl: string): Promise<OpenDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const databaseUrl = await createDatabase(serverUrl, name)
  const database = await openDatabase({ databaseUrl, dataDir: '', poolMax: 10, onIdleError })
  return {
    ...database,
    close: async () => {
      await database.close()
      await onServer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

/** Creates a database on the server and returns its URL. */
export async function createDatabase(serverUrl: string, name: string, options = ''): Promise<string> {
  await onServer(serverUrl, `create database ${name} ${options}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** `drop database … with (force)` may end a connection before its goodbye has arrived. */
function onIdleError(): void {}

/** The same database, counting the statements that go through it. */
export function countStatements(database: OpenDatabase): { database: OpenDatabase; count: () => number } {
  let count = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { database: { ...database, db: database.db.withPlugin(plugin) }, count: () => count }
}
