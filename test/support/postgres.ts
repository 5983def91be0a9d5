import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, chownSync } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

export interface Cluster {
  url: string
  /** Folder of `psql` and `pgbench` */
  programs: string
  /** Starts the server again after `halt` or `kill`. */
  start(): Promise<void>
  /** Shuts the server down in the fast mode, which ends all connections and writes all data to the disk. */
  halt(): Promise<void>
  /** Kills all processes of the server with SIGKILL. */
  kill(): Promise<void>
  /** Suspends the processes of the server until `thaw`; connections stay open. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  stop(): Promise<void>
}

const NEEDED = ['initdb', 'postgres', 'psql', 'pgbench']

/**
 * Returns the folder of PostgreSQL's programs: `POSTGRES_PROGRAMS` if it is set (the tests need only `initdb` and
 * `postgres`), otherwise the folder of the newest Debian package, or of `pg_config`, that contains all programs.
 * @throws Error if `POSTGRES_PROGRAMS` is not set and no folder contains all programs
 */
export async function findPrograms(): Promise<string> {
  if (process.env.POSTGRES_PROGRAMS) return process.env.POSTGRES_PROGRAMS
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

/**
 * Starts a server in a temporary folder. It listens on the loopback address and accepts all users without a password.
 * @param settings such as `max_connections=20`; all others, except for addresses, port and time zone, have their default
 *   values
 * @param variables environment variables of the server in addition to those of this process
 * @param primaryUrl URL of the primary, if the server is a standby
 */
export async function startCluster(
  settings: string[] = [],
  variables: NodeJS.ProcessEnv = {},
  primaryUrl?: string,
): Promise<Cluster> {
  const programs = await findPrograms()
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-cluster-'))
  const account = accountForServer()
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  const data = path.join(folder, 'data')
  const logFile = path.join(folder, 'log')
  const inFolder = { ...account, cwd: folder }
  if (primaryUrl === undefined) {
    const options = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8']
    await run(path.join(programs, 'initdb'), options, inFolder)
  } else {
    const options = ['-D', data, '--write-recovery-conf', '--checkpoint=fast', '--dbname', primaryUrl]
    await run(path.join(programs, 'pg_basebackup'), options, inFolder)
  }
  const port = await freePort()
  // Not this machine's time zone: where clocks change, an interval of days is not a multiple of 24 hours.
  const own = ['timezone=UTC', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
  const args = ['-D', data, '-p', String(port), ...own.flatMap((setting) => ['-c', setting])]
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ChildProcess

  const start = async () => {
    const log = await open(logFile, 'a')
    server = spawn(path.join(programs, 'postgres'), args, {
      ...account,
      cwd: folder,
      env: { ...process.env, ...variables },
      stdio: ['ignore', log.fd, log.fd],
    })
    await log.close()
    while (!(await isServing(url))) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${await readFile(logFile, 'utf8')}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const halt = async () => {
    const ended = once(server, 'exit')
    server.kill('SIGINT')
    await ended
  }
  const signalAll = async (signal: NodeJS.Signals) => {
    const parent = server.pid as number
    // Signals the parent first, because it would otherwise restart or report its children.
    process.kill(parent, signal)
    for (const pid of await childrenOf(parent)) {
      try {
        process.kill(pid, signal)
      } catch {
        // The process has already ended.
      }
    }
  }
  await start()
  return {
    url,
    programs,
    start,
    halt,
    kill: async () => {
      const ended = once(server, 'exit')
      await signalAll('SIGKILL')
      await ended
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    stop: async () => {
      if (server.exitCode === null && server.signalCode === null) {
        await signalAll('SIGCONT')
        await halt()
      }
      await rm(folder, { recursive: true })
    },
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent ? [Number(pid)] : []
    }),
  )
  return found.flat()
}

/**
 * Returns the account `postgres` of Debian's package if this process runs as root, because PostgreSQL refuses to run as
 * root. Returns undefined for any other user.
 * @throws Error if the account is needed and does not exist
 */
export function accountForServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (option: '-u' | '-g') =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))
  try {
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    throw new Error('PostgreSQL does not run as root, and there is no account "postgres" to run it as')
  }
}

async function isServing(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

const givenPorts = new Set<number>()

/**
 * Returns a free port below the range of ephemeral ports, each port only once. A port that the system chose could be
 * given to an outgoing connection before the caller listens on it. Port 10080 is left out: browsers refuse it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_081, 32_000)
    if (givenPorts.has(port)) continue
    givenPorts.add(port)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
