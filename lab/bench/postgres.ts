import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { migrateToLatest } from '../../dist/db/migrate.js'
import type { Database } from '../../dist/db/types.js'
import { findPrograms, startCluster } from '../../dist/test/support/postgres.js'
import { atEnd } from './cleanup.js'
import { makeFolder, run } from './processes.js'
import { type Size, seed } from './seed.js'

/** A pgbench script; its variables are parameters of the prepared statements, as in the service. */
export interface Script {
  text: string
  variables: Record<string, string>
}

export interface Postgres {
  version: string
  /** Folder of `psql` and `pgbench` */
  programs: string
  /** Creates a seeded database and returns its URL; later calls with the same size return the same database. */
  database(size: Size): Promise<string>
  createDatabase(): Promise<string>
}

/** Connects to the server of the URL, or starts a temporary server with default settings if there is no URL. */
export async function startPostgres(serverUrl: string | undefined): Promise<Postgres> {
  const programs = await findPrograms()
  const url = serverUrl ?? (await startOwn())
  const { rows } = await withServer(url, (client) => client.query('show server_version'))
  const seeded = new Map<string, string>()
  const created: string[] = []
  // A temporary server needs no cleanup, because its removal also deletes the databases.
  if (serverUrl !== undefined) {
    atEnd(() =>
      withServer(url, async (client) => {
        for (const name of created) await client.query(`drop database if exists ${name} with (force)`)
      }),
    )
  }

  const createDatabase = async () => {
    const name = `bench_${process.pid}_${created.length}`
    created.push(name)
    await withServer(url, (client) => client.query(`create database ${name}`))
    const database = new URL(url)
    database.pathname = `/${name}`
    return database.href
  }

  return {
    version: rows[0].server_version,
    programs,
    createDatabase,
    database: async (size) => {
      const key = JSON.stringify(size)
      const known = seeded.get(key)
      if (known !== undefined) return known
      const database = await createDatabase()
      const started = performance.now()
      await withDatabase(database, async (db) => {
        await seed(db, size)
        // Empties the queue, because the service would otherwise build the search index during the measurement.
        await sql`truncate search_pending`.execute(db)
      })
      await withServer(url, (client) => client.query('checkpoint'))
      process.stdout.write(`seeded ${size.cards} cards in ${((performance.now() - started) / 1000).toFixed(0)} s\n\n`)
      seeded.set(key, database)
      return database
    },
  }
}

async function startOwn(): Promise<string> {
  const cluster = await startCluster()
  atEnd(() => cluster.stop())
  return cluster.url
}

async function withServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Migrates the database and runs `work` on it with one connection, without statement timeouts. */
export async function withDatabase<T>(databaseUrl: string, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 1 }) }),
  })
  try {
    await migrateToLatest(db)
    return await work(db)
  } finally {
    await db.destroy()
  }
}

export interface PgbenchOptions {
  connections?: number
  seconds?: number
}

/**
 * Runs a pgbench script with prepared statements and returns the transactions per second.
 * @throws Error if pgbench or a transaction fails
 */
export async function runPgbench(
  postgres: Postgres,
  databaseUrl: string,
  { text, variables }: Script,
  { connections = 20, seconds = 5 }: PgbenchOptions = {},
): Promise<number> {
  const file = path.join(await makeFolder(), 'script.sql')
  await writeFile(file, text)
  const options = ['-n', '-M', 'prepared', '-c', String(connections), '-j', String(Math.min(connections, 2))]
  const defined = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`])
  const program = path.join(postgres.programs, 'pgbench')
  const { stdout } = await run(program, [...options, '-T', String(seconds), '-f', file, ...defined, databaseUrl])
  const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1]
  if (failed !== undefined && failed !== '0') throw new Error(stdout)
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}
