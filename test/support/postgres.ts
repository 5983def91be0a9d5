import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** A PostgreSQL server of our own, that may be stopped, killed and frozen. */
export interface Cluster {
  url: string
  /** The folder of `psql` and `pgbench`. */
  programs: string
  /** Starts it again after `halt` or `kill`. */
  start(): Promise<void>
  /** A fast shutdown: connections are ended, everything is written. */
  halt(): Promise<void>
  /** The end without goodbye of all its processes: what was not in the log is gone. */
  kill(): Promise<void>
  /** No process of it runs until `thaw`; connections stay open. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

const NEEDED = ['initdb', 'postgres', 'psql', 'pgbench']

/** The folder of PostgreSQL's programs: Debian's newest, or the one that `pg_config` names. */
export async function findPrograms(): Promise<string> {
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
 * Starts a server in a temporary folder, with PostgreSQL's default settings but for those given, such as
 * `max_connections=20`.
 */
export async function startCluster(settings: string[] = [], variables: NodeJS.ProcessEnv = {}): Promise<Cluster> {
  const programs = await findPrograms()
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-cluster-'))
  const account = accountForServer()
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  const data = path.join(folder, 'data')
  const logFile = path.join(folder, 'log')
  const options = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8']
  await run(path.join(programs, 'initdb'), options, { ...account, cwd: folder })
  const port = await freePort()
  const own = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
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
    while (!(await answers(url))) {
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
    // The parent first: it would replace or mourn its children.
    process.kill(parent, signal)
    for (const pid of await childrenOf(parent)) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended meanwhile.
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

/** PostgreSQL refuses to run as root; then it runs as the account that Debian's package creates. */
function accountForServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (option: '-u' | '-g') =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))
  try {
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    throw new Error('PostgreSQL does not run as root, and there is no account "postgres" to run it as')
  }
}

async function answers(url: string): Promise<boolean> {
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

/** A port on which nobody listens now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
