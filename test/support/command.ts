import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { createDatabase, onServer, TEST_DATABASE_URL } from './database.js'
import { ROOT, SECRET } from './service.js'

export const CLI = `${ROOT}dist/src/cli.js`

export interface Finished {
  status: number
  stdout: string
  stderr: string
}

/** Variables that give the program a store of its own: a folder, or a database on the server of the tests. */
export async function createStoreVariables(t: Test, folder = t.testdir({})): Promise<Record<string, string>> {
  const variables = { DATA_DIR: `${folder}/data`, CONTENT_DIR: `${ROOT}content`, PORT: '0', RATE_LIMIT: '0' }
  if (TEST_DATABASE_URL === undefined) return variables
  const name = `test_${randomBytes(8).toString('hex')}`
  const DATABASE_URL = await createDatabase(TEST_DATABASE_URL, name)
  t.teardown(() => onServer(TEST_DATABASE_URL as string, `drop database ${name} with (force)`))
  return { ...variables, DATABASE_URL, SESSION_SECRET: SECRET, DATABASE_POOL_MAX: '3' }
}

/** Runs the program to its end. */
export async function run(variables: Record<string, string>, args: string[], input = ''): Promise<Finished> {
  const child = spawn(process.execPath, [CLI, ...args], { env: environment(variables) })
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (child.exitCode === null) await once(child, 'exit')
  return { status: child.exitCode ?? -1, stdout, stderr }
}

/** Starts the service and resolves when it listens; it is stopped when the test ends. */
export async function serve(
  t: Test,
  variables: Record<string, string>,
): Promise<{ url: string; output: () => string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [CLI, 'serve'], { env: environment(variables) })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const stop = () => terminate(child)
  t.teardown(stop)
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the service ended: ${output}`)))
    child.stdout.on('data', (chunk) => {
      output += chunk
      const found = /svc-training läuft: (\S+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return { url, output: () => output, stop }
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

function environment(variables: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env
  return { PATH, HOME, LANG: 'C.UTF-8', ...variables }
}
