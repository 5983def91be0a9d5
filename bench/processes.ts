import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The repository's root: the compiled benchmark lies in `dist/bench`. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const CLOCK_TICKS_PER_SECOND = 100
const PAGE_BYTES = 4096

export const run = promisify(execFile)

export interface Server {
  url: string
  process: ChildProcess
  stop(): Promise<void>
}

/** Starts a Node program that listens on `PORT` and waits until it answers. */
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
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with status ${child.exitCode}`)
    const answer = await fetch(url + readyPath).catch(() => undefined)
    if (answer !== undefined && answer.status < 500) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    url,
    process: child,
    stop: async () => {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** The service itself on that database. */
export function startService(databaseUrl: string, env: Record<string, string> = {}): Promise<Server> {
  const settings = {
    DATABASE_URL: databaseUrl,
    SESSION_SECRET: 'a secret that only the benchmark knows',
    LOG_LEVEL: 'warn',
    ...env,
  }
  return startServer(`${ROOT}dist/src/cli.js`, ['serve'], settings, '/readyz')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** The `Cookie` header of a new session. */
export async function logIn(server: Server, username: string, password: string): Promise<string> {
  const answer = await fetch(`${server.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
  if (cookie === undefined) throw new Error(`login of ${username}: ${answer.status} ${await answer.text()}`)
  return cookie
}

/** Resident memory in MB. */
export async function readMemory(pid: number): Promise<number> {
  const [, resident] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')
  return (Number(resident) * PAGE_BYTES) / 1e6
}

/** Processor time used so far, in seconds. */
export async function readCpu(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

/** Runs a Node program to its end: seconds, and its highest resident memory in MB. */
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
  let memory = 0
  const watch = setInterval(async () => {
    memory = Math.max(memory, await readMemory(child.pid as number).catch(() => 0))
  }, 20)
  const [status] = await once(child, 'exit')
  clearInterval(watch)
  if (status !== 0) throw new Error(`${program} ended with status ${status}`)
  return { seconds: (performance.now() - started) / 1000, memory }
}
