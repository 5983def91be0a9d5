import { execFileSync, spawn } from 'node:child_process'
import { accessSync, chownSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { migrateToLatest } from '../../dist/db/migrate.js'
import type { Database } from '../../dist/db/types.js'
import { atEnd } from './cleanup.js'
import { freePort, hasEnded, makeFolder, run, stopProcess } from './processes.js'
import { type Size, seed } from './seed.js'

/** What pgbench runs: its parameters are parameters of the prepared statements, as they are in the service. */
export interface Script {
  text: string
  variables: Record<string, string>
}

export interface Postgres {
  version: string
  /** The folder of `psql` and `pgbench`. */
  programs: string
  /** The URL of a database made for this run, seeded; the same size gives the same database. */
  database(size: Size): Promise<string>
  /** An empty database. */
  createDatabase(): Promise<string>
}

/** The server of that URL, or one started for this run in a temporary folder, with PostgreSQL's default settings. */
export async function startPostgres(serverUrl: string | undefined): Promise<Postgres> {
  const programs = await findPrograms()
  const url = serverUrl ?? (await startCluster(programs))
  const { rows } = await withServer(url, (client) => client.query('show server_version'))
  const seeded = new Map<string, string>()
  const created: string[] = []
  // A server that was started for the run is removed whole.
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
      await withDatabase(database, (db) => seed(db, size))
      await withServer(url, (client) => client.query('checkpoint'))
      process.stdout.write(`seeded ${size.cards} cards in ${((performance.now() - started) / 1000).toFixed(0)} s\n\n`)
      seeded.set(key, database)
      return database
    },
  }
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

/** Runs `work` on the migrated database, without a limit for its statements. */
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

const NEEDED = ['initdb', 'postgres', 'psql', 'pgbench']

/** The folder of PostgreSQL's programs: Debian's newest, or the one that `pg_config` names. */
async function findPrograms(): Promise<string> {
  const debian = '/usr/lib/postgresql'
  const versions = await readdir(debian).catch(() => [])
  const configured = await run('pg_config', ['--bindir']).catch(() => ({ stdout: '' }))
  const folders = [
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => `${debian}/${version}/bin`),
    ...(configured.stdout === '' ? [] : [configured.stdout.trim()]),
  ]
  const found = folders.find((folder) => NEEDED.every((program) => isThere(path.join(folder, program))))
  if (found === undefined) {
    throw new Error(`${NEEDED.join(', ')} were not found below ${debian} or by pg_config: apt-get install postgresql`)
  }
  return found
}

function isThere(file: string): boolean {
  try {
    accessSync(file)
    return true
  } catch {
    return false
  }
}

async function startCluster(programs: string): Promise<string> {
  const folder = await makeFolder()
  const account = accountForServer()
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  const [data, log] = [path.join(folder, 'data'), path.join(folder, 'log')]
  const options = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8']
  await run(path.join(programs, 'initdb'), options, { ...account, cwd: folder })
  const port = await freePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
  const logging = ['logging_collector=on', `log_directory=${folder}`, 'log_filename=log']
  const server = spawn(
    path.join(programs, 'postgres'),
    ['-D', data, ...[...settings, ...logging].flatMap((setting) => ['-c', setting])],
    { ...account, cwd: folder, stdio: 'ignore' },
  )
  atEnd(() => stopProcess(server, 'SIGINT'))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  for (;;) {
    const isReady = await withServer(url, async () => true).catch(() => false)
    if (isReady) return url
    if (hasEnded(server)) throw new Error(`PostgreSQL did not start: ${await readFile(log, 'utf8').catch(() => '')}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** PostgreSQL refuses to run as root; then it runs as the account that Debian's package creates. */
function accountForServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  try {
    const [uid, gid] = ['-u', '-g'].map((option) =>
      Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8', stdio: 'pipe' })),
    )
    return { uid: uid as number, gid: gid as number }
  } catch {
    throw new Error('PostgreSQL does not run as root, and there is no account "postgres" to run it as')
  }
}

export interface PgbenchOptions {
  connections?: number
  seconds?: number
}

/** Transactions a second of a pgbench script with prepared statements. */
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
