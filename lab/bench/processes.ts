import { type ChildProcess, type ExecFileOptions, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../dist/test/support/postgres.js'
import { openSession } from '../../dist/test/support/process.js'
import { atEnd } from './cleanup.js'
import { PASSWORD } from './password.js'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const CLOCK_TICKS_PER_SECOND = 100
const PAGE_BYTES = 4096

const execute = promisify(execFile)

/** Runs a program and returns its output. @throws Error if it fails */
export async function run(program: string, args: string[], options: ExecFileOptions = {}): Promise<{ stdout: string }> {
  const running = execute(program, args, { ...options, encoding: 'utf8' })
  atEnd(() => stopProcess(running.child))
  return running
}

/** Creates a temporary folder, which the cleanup removes. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-bench-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  // A process that could not be started has no id and sends no `exit` event.
  if (hasEnded(child) || child.pid === undefined) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

export interface Server {
  url: string
  process: ChildProcess
  stop(): Promise<void>
}

/**
 * Starts a Node program that listens on `PORT`. Waits until `readyPath` responds with a status below 500.
 * @throws Error if the program ends before that
 */
export async function startServer(
  program: string,
  args: string[],
  env: Record<string, string>,
  readyPath = '/',
): Promise<Server> {
  const port = await freePort()
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = () => stopProcess(child)
  atEnd(stop)
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (hasEnded(child)) throw new Error(`${program} ended with status ${child.exitCode}`)
    const response = await fetch(url + readyPath).catch(() => undefined)
    if (response !== undefined && response.status < 500) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { url, process: child, stop }
}

/** Starts the service; an empty URL selects the embedded database. `env` overrides settings. */
export function startService(databaseUrl: string, env: Record<string, string> = {}): Promise<Server> {
  const settings = {
    DATABASE_URL: databaseUrl,
    SESSION_SECRET: 'a secret that only the benchmark knows',
    LOG_LEVEL: 'warn',
    TIME_ZONE: 'UTC',
    // Disabled, because all requests of a measurement come from one address.
    RATE_LIMIT: '0',
    ...env,
  }
  return startServer(`${ROOT}dist/src/cli.js`, ['serve'], settings, '/readyz')
}

export function startUsualServer(databaseUrl: string): Promise<Server> {
  return startServer(`${ROOT}lab/bench/usual-server.mjs`, [], { DATABASE_URL: databaseUrl }, '/readyz')
}

export async function logInMany(server: Server, count = 20): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      openSession(server.url, { username: `lernende-${index + 1}`, password: PASSWORD }),
    ),
  )
}

/** Returns the resident memory of a process in MB. */
export async function readMemory(pid: number): Promise<number> {
  const [, resident] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')
  return (Number(resident) * PAGE_BYTES) / 1e6
}

/** Watches the resident memory of a server; `stop` returns its peak above the first value, in MB. */
export function watchMemory(server: Server): { stop: () => number } {
  const pid = server.process.pid as number
  const samples: number[] = []
  const sample = async () => {
    samples.push(await readMemory(pid))
  }
  const started = sample()
  const timer = setInterval(() => started.then(sample).catch(() => {}), 50)
  return {
    stop: () => {
      clearInterval(timer)
      return Math.max(...samples) - (samples[0] as number)
    },
  }
}

/** Returns the processor time that a process has used since its start, in seconds. */
export async function readCpu(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

/**
 * Runs a Node program; returns its duration in seconds and its peak resident memory in MB, sampled every 20 ms.
 * @throws Error if the program ends with a status other than 0
 */
export async function runMeasured(
  program: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ seconds: number; memory: number }> {
  const started = performance.now()
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  atEnd(() => stopProcess(child))
  let memory = 0
  const watch = setInterval(async () => {
    memory = Math.max(memory, await readMemory(child.pid as number).catch(() => 0))
  }, 20)
  const [status] = await once(child, 'exit')
  clearInterval(watch)
  if (status !== 0) throw new Error(`${program} ended with status ${status}`)
  return { seconds: (performance.now() - started) / 1000, memory }
}
