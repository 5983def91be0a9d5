import { execFileSync, spawn } from 'node:child_process'
import { chownSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../db/client.js'
import { migrateToLatest } from '../db/migrate.js'
import type { Database } from '../db/types.js'
import { run } from './processes.js'
import { type Size, seed } from './seed.js'

export interface Postgres {
  version: string
  /** The folder of `psql` and `pgbench`. */
  programs: string
  /** The URL of a database made for this run, seeded; the same size gives the same database. */
  database(size: Size): Promise<string>
  /** An empty database. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/** The server of that URL, or one started for this run in a temporary folder, with PostgreSQL's default settings. */
export async function startPostgres(serverUrl: string | undefined): Promise<Postgres> {
  const programs = await findPrograms()
  const own = serverUrl === undefined ? await startCluster(programs) : undefined
  const url = serverUrl ?? (own?.url as string)
  const admin = new pg.Client(url)
  await admin.connect()
  const { rows } = await admin.query<{ server_version: string }>('show server_version')
  const seeded = new Map<string, string>()
  const created: string[] = []

  const createDatabase = async () => {
    const name = `bench_${process.pid}_${created.length}`
    await admin.query(`create database ${name}`)
    created.push(name)
    const database = new URL(url)
    database.pathname = `/${name}`
    return database.href
  }

  return {
    version: rows[0]?.server_version ?? '',
    programs,
    createDatabase,
    database: async (size) => {
      const key = JSON.stringify(size)
      const known = seeded.get(key)
      if (known !== undefined) return known
      const database = await createDatabase()
      await withDatabase(database, (db) => seed(db, size))
      await admin.query('checkpoint')
      seeded.set(key, database)
      return database
    },
    stop: async () => {
      for (const name of created) await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
      await own?.stop()
    },
  }
}

/** Runs `work` on the migrated database, without a limit for its statements. */
export async function withDatabase<T>(databaseUrl: string, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const opened = await openDatabase({
    databaseUrl,
    dataDir: '',
    poolMax: 1,
    prepare: false,
    onIdleError: () => {},
  })
  try {
    await migrateToLatest(opened.db)
    return await work(opened.db)
  } finally {
    await opened.close()
  }
}

async function findPrograms(): Promise<string> {
  const debian = '/usr/lib/postgresql'
  const versions = await readdir(debian).catch(() => [])
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  return newest === undefined ? (await run('pg_config', ['--bindir'])).stdout.trim() : `${debian}/${newest}/bin`
}

async function startCluster(programs: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-bench-'))
  // PostgreSQL refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: numericId('-u'), gid: numericId('-g') } : {}
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = path.join(folder, 'data')
  const options = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8']
  await run(path.join(programs, 'initdb'), options, account)
  const port = 50_000 + (process.pid % 10_000)
  const server = spawn(
    path.join(programs, 'postgres'),
    ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`],
    { ...account, stdio: 'ignore' },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await waitFor(url)
  return {
    url,
    stop: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

function numericId(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
}

async function waitFor(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (attempt === 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Transactions a second of a pgbench script with prepared statements. */
export async function runPgbench(
  postgres: Postgres,
  databaseUrl: string,
  script: string,
  { connections = 20, seconds = 5 } = {},
): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-bench-'))
  const file = path.join(folder, 'script.sql')
  await writeFile(file, script)
  const options = ['-n', '-M', 'prepared', '-c', String(connections), '-j', '2', '-T', String(seconds), '-f', file]
  const { stdout } = await run(path.join(postgres.programs, 'pgbench'), [...options, databaseUrl])
  await rm(folder, { recursive: true })
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}
