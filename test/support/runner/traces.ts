import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
// Loaded in advance: the service loads it on first use, and its dependency tslib adds helpers to the global object.
import '@simplewebauthn/server'

/** Maximum time for closed handles to disappear, in milliseconds */
const PATIENCE_MS = 10_000

/** Objects of the process whose functions a test may replace temporarily */
const SHARED: [string, object][] = [
  ['globalThis', globalThis],
  ['process', process],
  ['Date', Date],
  ['Math', Math],
  ['performance', performance],
  ['console', console],
  ['pg.Client.prototype', pg.Client.prototype],
  ['pg.Pool.prototype', pg.Pool.prototype],
]

/** Placeholder for accessors, whose changes are ignored, because Node.js replaces some accessors on first access */
const ACCESSOR = Symbol('accessor')

/** State of the process that a test file may change */
interface ProcessState {
  handles: Map<string, number>
  facts: Map<string, unknown>
}

/**
 * Returns the current state of the process.
 * @param scratch folder for temporary files
 */
export function readState(scratch: string): ProcessState {
  const handles = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) handles.set(name, (handles.get(name) ?? 0) + 1)
  const facts = new Map<string, unknown>([
    ['the working directory', process.cwd()],
    ['the umask', process.umask()],
    ['temporary files', readdirSync(scratch).filter((name) => name !== 'node-compile-cache')],
  ])
  for (const [name, value] of Object.entries(process.env)) facts.set(`the variable ${name}`, value)
  for (const name of process.eventNames()) facts.set(`listeners of ${String(name)}`, process.listenerCount(name))
  for (const [owner, object] of SHARED) {
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      if (get !== undefined) facts.set(`${owner}.${name}`, ACCESSOR)
      else if (typeof value === 'function') facts.set(`${owner}.${name}`, value)
    }
  }
  return { handles, facts }
}

/**
 * Returns the changes that a test file has left in the process, such as open handles, one line each. Empties the folder
 * for temporary files. Waits up to `PATIENCE_MS` for handles to close.
 */
export async function findTraces(before: ProcessState, scratch: string): Promise<string[]> {
  const end = performance.now() + PATIENCE_MS
  while (findHandles(before, readState(scratch)).length > 0 && performance.now() < end) await sleep(10)
  const now = readState(scratch)
  const traces = findHandles(before, now)
  for (const name of new Set([...before.facts.keys(), ...now.facts.keys()])) {
    const [was, is] = [before.facts.get(name), now.facts.get(name)]
    if (was !== ACCESSOR && !isDeepStrictEqual(was, is))
      traces.push(`${name}: ${describe(is)} instead of ${describe(was)}`)
  }
  for (const name of readdirSync(scratch)) rmSync(path.join(scratch, name), { recursive: true, force: true })
  return traces
}

function findHandles(before: ProcessState, now: ProcessState): string[] {
  return (
    [...now.handles]
      .map(([name, count]) => [name, count - (before.handles.get(name) ?? 0)] as const)
      // File system requests end without being closed.
      .filter(([name, more]) => more > 0 && !name.startsWith('FSReq'))
      .map(([name, more]) => `${more} open ${name}`)
  )
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'function' ? `function ${value.name}` : String(value)
}
