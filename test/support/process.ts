import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { openDatabase } from '../../db/client.js'
import type { Database } from '../../db/types.js'
import { ROOT, SECRET } from './constants.js'
import { createDatabase, onServer, TEST_DATABASE_URL } from './database.js'
import { plainNode } from './plain-node.js'
import { SCRATCH } from './scratch.js'
import { findTemplate } from './templates.js'
import { copyStore } from './temporary-store.js'
import type { Call, Outcome } from './warm-program.js'

const CLI = path.join(ROOT, 'dist/src/cli.js')

/** Options of Node.js for a short-lived program, which does not benefit from optimisation */
export const PROGRAM_OPTIONS = ['--liftoff-only', '--no-opt', '--min-semi-space-size=16']

/** Owner of resources, such as a test */
export interface Owner {
  teardown(end: () => unknown): void
}

export interface RunningService {
  url: string
  child: ChildProcess
  /** Returns the text on standard output and standard error so far. */
  output: () => string
  /** Sends the signal and waits for the end. Returns the exit code or the name of the signal. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/**
 * Returns environment variables for a program with a new store on the database under test.
 * @param template initial state of the embedded store
 * @param serverUrl URL of a server; empty for the embedded database
 */
export async function createStoreVariables(
  t: Owner,
  template: 'empty' | 'migrated' = 'migrated',
  serverUrl = TEST_DATABASE_URL,
): Promise<Record<string, string>> {
  const dataDir = await mkdtemp(path.join(SCRATCH, 'svc-training-process-'))
  t.teardown(() => rm(dataDir, { recursive: true, force: true }))
  if (template === 'migrated' && !serverUrl) await copyStore(await findTemplate(), dataDir)
  const variables = { DATA_DIR: dataDir, PORT: '0', TIME_ZONE: 'Europe/Berlin', LOG_LEVEL: 'warn' }
  if (!serverUrl) return variables
  const name = `test_${randomBytes(8).toString('hex')}`
  const databaseUrl = await createDatabase(serverUrl, name)
  t.teardown(() => onServer(serverUrl, `drop database ${name} with (force)`))
  return {
    ...variables,
    DATABASE_URL: databaseUrl,
    SESSION_SECRET: SECRET,
    ADMIN_USERNAME: 'admin',
    ADMIN_PASSWORD: 'admin-passwort',
  }
}

/** Runs work on a store that no program uses; only one process at a time may use an embedded store. */
export async function withStore<T>(
  variables: Record<string, string>,
  work: (db: Kysely<Database>) => Promise<T>,
): Promise<T> {
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir = '' } = variables
  const { db, close } = await openDatabase({ databaseUrl, dataDir, poolMax: 1, onIdleError: () => {} })
  try {
    return await work(db)
  } finally {
    await close()
  }
}

/**
 * Runs a sub-command to its end.
 * @param options closeOutput: closes standard output at once; signal: kills the program with SIGKILL
 */
export async function runCommand(
  variables: Record<string, string>,
  args: string[],
  input = '',
  { closeOutput = false, signal }: { closeOutput?: boolean; signal?: AbortSignal } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(variables, args)
  signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (data) => {
    stdout += data
  })
  child.stderr?.on('data', (data) => {
    stderr += data
  })
  if (closeOutput) child.stdout?.destroy()
  child.stdin?.end(input)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

/**
 * Starts a process that runs the program repeatedly with its modules loaded, which saves half a second per call. Tests
 * that check whether the program exits by itself must use `runCommand`, because the shared process does not exit after
 * a call.
 */
export function shareProgram(
  t: Owner,
): (variables: Record<string, string>, args: string[], input?: string) => Promise<Outcome> {
  const { PATH = '', HOME = '' } = process.env
  const [execPath, execArgv] = plainNode(PROGRAM_OPTIONS)
  const child = fork(path.join(ROOT, 'dist/test/support/warm-program.js'), { env: { PATH, HOME }, execPath, execArgv })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    if (child.connected) child.disconnect()
    await ended
  })
  let last: Promise<unknown> = Promise.resolve()
  return (variables, args, input = '') => {
    const outcome = last.then(async () => {
      child.send({ variables: { PATH, HOME, ...variables }, args, input } satisfies Call)
      const [received] = await Promise.race([once(child, 'message'), ended.then(() => [undefined])])
      if (received === undefined) throw new Error('the shared process has ended')
      return received as Outcome
    })
    last = outcome.catch(() => {})
    return outcome
  }
}

/**
 * Starts the service and waits until it prints its address. Kills the service when the test ends. Stopped, the service
 * may take ten minutes to close, because a busy machine needs longer than a container grants.
 * @throws Error if the service ends before it prints its address
 */
export async function startProcess(t: Owner, variables: Record<string, string>): Promise<RunningService> {
  const child = start({ SHUTDOWN_CLOSE: '600', ...variables }, ['serve'])
  t.teardown(() => child.kill('SIGKILL'))
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  )
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data
      const address = /läuft: (http\S+)/.exec(output)?.[1]
      if (address !== undefined) resolve(address)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    ended.then((code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
  return {
    url,
    child,
    output: () => output,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}

export interface Login {
  username: string
  password: string
}

/**
 * Returns the login of the first administrator, as printed by the service at its first start. If the service
 * printed no login, returns the login from the variables.
 */
export function firstLogin(service: RunningService, variables: Record<string, string>): Login {
  const shown = /Benutzername (\S+), Passwort (\S+)/.exec(service.output())
  return {
    username: shown?.[1] ?? variables.ADMIN_USERNAME ?? '',
    password: shown?.[2] ?? variables.ADMIN_PASSWORD ?? '',
  }
}

/** A function that sends a request with a session cookie; it rejects after 60 seconds without a response. */
export type Send = (path: string, init?: { method?: string; body?: unknown }) => Promise<Response>

const HANG_MS = 60_000

/** Delay before a refused request is repeated, in milliseconds */
const REST_MS = 500

export function tryLogin(url: string, login: Login, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ username: login.username, password: login.password }),
  })
}

/** Repeats a request while the service refuses it with 503, as it does on a busy machine. */
export async function repeatRefused(request: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await request()
    if (response.status !== 503) return response
    await response.arrayBuffer()
    await sleep(REST_MS)
  }
}

/** Logs in and returns the `Cookie` header of the session. */
export async function openSession(url: string, login: Login): Promise<string> {
  const response = await repeatRefused(() => tryLogin(url, login))
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0]
  if (cookie === undefined) throw new Error(`login of ${login.username}: ${await response.text()}`)
  return cookie
}

/** Logs in and returns a function that sends requests with the session; for `options` see `sendWith`. */
export async function loginOver(url: string, login: Login, options?: { repeats?: boolean }): Promise<Send> {
  return sendWith(url, await openSession(url, login), options)
}

/**
 * Returns a function that sends requests with the cookie.
 * @param options.repeats whether requests that are refused with 503 are repeated; false for tests of such refusals
 */
export function sendWith(url: string, cookie: string, { repeats = true } = {}): Send {
  const send: Send = (path, init = {}) =>
    fetch(url + path, {
      signal: AbortSignal.timeout(HANG_MS),
      method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
      headers: { cookie, ...(init.body !== undefined && { 'content-type': 'application/json' }) },
      body: init.body === undefined ? null : JSON.stringify(init.body),
    })
  return repeats ? (path, init) => repeatRefused(() => send(path, init)) : send
}

function start(variables: Record<string, string>, args: string[]): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(...plainNode([...PROGRAM_OPTIONS, CLI, ...args], variables), {
    env: { PATH, HOME, ...variables },
    stdio: 'pipe',
  })
}
