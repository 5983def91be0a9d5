import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { freePort, run } from '../bench/processes.js'

/** A PostgreSQL server of our own, that may be stopped, killed and frozen. */
export interface Cluster {
  url: string
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

export async function findPrograms(): Promise<string> {
  const debian = '/usr/lib/postgresql'
  const versions = await readdir(debian).catch(() => [])
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  return newest === undefined ? (await run('pg_config', ['--bindir'])).stdout.trim() : `${debian}/${newest}/bin`
}

/**
 * Starts a server in a temporary folder, with PostgreSQL's default settings but for those given, such as
 * `max_connections=20`.
 */
export async function startCluster(settings: string[] = [], variables: NodeJS.ProcessEnv = {}): Promise<Cluster> {
  const programs = await findPrograms()
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-cluster-'))
  // PostgreSQL refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: numericId('-u'), gid: numericId('-g') } : {}
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = path.join(folder, 'data')
  const options = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8']
  await run(path.join(programs, 'initdb'), options, account)
  const port = await freePort()
  const own = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
  const args = ['-D', data, '-p', String(port), ...own.flatMap((setting) => ['-c', setting])]
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ChildProcess

  const start = async () => {
    server = spawn(path.join(programs, 'postgres'), args, {
      ...account,
      env: { ...process.env, ...variables },
      stdio: 'ignore',
    })
    await waitFor(url)
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
      await signalAll('SIGCONT')
      await halt()
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
