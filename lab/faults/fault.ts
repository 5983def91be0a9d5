import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { listExportedFunctions } from './functions.js'

export const ROOT = path.join(import.meta.dirname, '../..')
const ROOMS = path.join(import.meta.dirname, 'rooms')

export const KINDS = [
  ...['right', 'lock', 'deadline', 'await', 'day', 'leak', 'escape', 'error', 'filter', 'migration', 'outbox', 'rule'],
]

/** A small harmful change of one exported function. */
export interface Fault {
  id: string
  /** Name of the file in `rooms/` */
  room: string
  /** Source file of the function, relative to the root */
  file: string
  function: string
  kind: string
  harm: string
  /** Test files that can see the fault, the fastest first; relative to the root */
  tests: string[]
  /** Whether the tests need a PostgreSQL server, because the embedded database has a single connection */
  server: boolean
  find: string
  replacement: string
}

/**
 * Reads the faults of all rooms. A fault consists of lines `key: value` and of the lines that it removes (`-`) and adds
 * (`+`), as in a patch; an empty line ends it.
 * @throws Error if a fault is incomplete, or names an unknown kind or a file that is not a test of the gate
 */
export function readFaults(): Fault[] {
  const faults = readdirSync(ROOMS)
    .filter((name) => name.endsWith('.diff'))
    .sort()
    .flatMap((name) => {
      const blocks = readFileSync(path.join(ROOMS, name), 'utf8').trim().split(/\n\n+/)
      return blocks.map((block) => parseFault(path.basename(name, '.diff'), block))
    })
  const ids = faults.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new Error(`two faults are named ${twice}`)
  return faults
}

function parseFault(room: string, block: string): Fault {
  const values: Record<string, string> = {}
  const removed: string[] = []
  const added: string[] = []
  for (const line of block.split('\n')) {
    const [, key, value] = /^([a-z]+): (.+)$/.exec(line) ?? []
    if (line.startsWith('-')) removed.push(line.slice(1))
    else if (line.startsWith('+')) added.push(line.slice(1))
    else if (key !== undefined && value !== undefined) values[key] = value
    else throw new Error(`${room}: unexpected line: ${line}`)
  }
  const required = (key: string) => {
    const value = values[key]
    if (value === undefined) throw new Error(`${room}: a fault has no ${key}:\n${block}`)
    return value
  }
  const id = required('id')
  const kind = required('kind')
  if (!KINDS.includes(kind)) throw new Error(`${id}: unknown kind ${kind}`)
  const tests = required('tests').split(' ')
  for (const test of tests) {
    const isOfGate = /^test\/.+\.test\.ts$/.test(test) && !/\/(soak|nightly)\//.test(test)
    if (!isOfGate || !existsSync(path.join(ROOT, test))) throw new Error(`${id}: ${test} is not a test of the gate`)
  }
  return {
    id,
    room,
    kind,
    tests,
    file: required('file'),
    function: required('function'),
    harm: required('harm'),
    server: values.server === 'yes',
    find: removed.join('\n').trim(),
    replacement: added.join('\n').trim(),
  }
}

/**
 * Returns the source with the fault; undefined if the fault no longer applies: the function is gone, or the text to
 * replace does not occur in it exactly once.
 */
export function applyFault(fault: Fault, source: string): string | undefined {
  const [drawn, ...others] = listExportedFunctions(fault.file, source).filter(({ name }) => name === fault.function)
  if (drawn === undefined || others.length > 0 || fault.find === '') return undefined
  const at = drawn.text.indexOf(fault.find)
  if (at < 0 || drawn.text.indexOf(fault.find, at + 1) >= 0) return undefined
  const start = drawn.start + at
  return source.slice(0, start) + fault.replacement + source.slice(start + fault.find.length)
}
