import { parseArgs } from 'node:util'
import { applyFault, type Fault, readFaults } from './fault.js'
import { Workbench } from './workbench.js'

// Shows that the tests of the gate catch the faults of `rooms/`. Runs each named test file without a fault, and then
// with each fault until a file fails.

/** Number of test files that run at the same time */
const BENCHES = 2
/** Maximum time of a test file without a fault */
const TIMEOUT_MS = 600_000
/** Maximum time of a test file with a fault, as a multiple of its time without one and at least `MIN_TIMEOUT_MS` */
const TIMEOUT_FACTOR = 10
const MIN_TIMEOUT_MS = 120_000

const { positionals } = parseArgs({ allowPositionals: true })
const known = readFaults()
const unknown = positionals.filter((name) => !known.some(({ id, room }) => id === name || room === name))
if (unknown.length > 0) {
  process.stderr.write(`There is no fault or room ${unknown.join(', ')}. Faults:\n`)
  for (const { id, room } of known) process.stderr.write(`  ${room}: ${id}\n`)
  process.exit(2)
}
const faults = known.filter(
  ({ id, room }) => positionals.length === 0 || [id, room].some((name) => positionals.includes(name)),
)

/** Milliseconds of each test file without a fault, by `keyOf` */
const durations = new Map<string, number>()
const results = new Map<string, 'caught' | 'missed' | 'no longer applies' | 'no program'>()
const broken = new Set<string>()

const benches = await Promise.all(Array.from({ length: BENCHES }, () => Workbench.create()))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const bench of benches) bench.remove()
    process.exit(1)
  })
}
try {
  const runs = new Map(
    faults.flatMap(({ tests, server }) => tests.map((test) => [keyOf(test, server), { test, server }])),
  )
  await share([...runs], async (bench, [key, { test, server }]) => {
    const start = performance.now()
    const result = await bench.test(test, { server, timeoutMs: TIMEOUT_MS })
    durations.set(key, performance.now() - start)
    if (result.kind === 'passed') return
    broken.add(key)
    process.stdout.write(`without a fault, ${key} fails: ${result.by}\n`)
  })
  if (broken.size === 0) {
    process.stdout.write(`${runs.size} test files pass without a fault\n`)
    await share(faults, tryFault)
  }
} finally {
  for (const bench of benches) bench.remove()
}

const count = (result: string) => [...results.values()].filter((one) => one === result).length
if (count('no longer applies') > 0) process.stdout.write(`${count('no longer applies')} no longer apply\n`)
if (count('no program') > 0) process.stdout.write(`${count('no program')} do not run\n`)
if (broken.size === 0) process.stdout.write(`${count('caught')} caught, ${count('missed')} missed\n`)
process.exitCode = broken.size === 0 && count('caught') === faults.length ? 0 : 1

async function tryFault(bench: Workbench, fault: Fault): Promise<void> {
  const { id, file, server } = fault
  const source = applyFault(fault, await bench.read(file))
  if (source === undefined) {
    results.set(id, 'no longer applies')
    process.stdout.write(`${id}: no longer applies to ${fault.function} in ${file}\n`)
    return
  }
  const start = performance.now()
  const seconds = () => `${((performance.now() - start) / 1_000).toFixed(1)} s`
  await bench.withSource(file, source, async () => {
    for (const test of fault.tests) {
      const usual = durations.get(keyOf(test, server)) ?? 0
      const result = await bench.test(test, { server, timeoutMs: Math.max(MIN_TIMEOUT_MS, TIMEOUT_FACTOR * usual) })
      if (result.kind === 'passed') continue
      if (/ is not defined$/.test(result.by)) {
        results.set(id, 'no program')
        process.stdout.write(`${id}: its code does not run (${result.by})\n`)
        return
      }
      results.set(id, 'caught')
      const how = result.kind === 'timeout' ? 'caught by timeout' : 'caught'
      process.stdout.write(`${id}: ${how}, ${test} (${result.by}), ${seconds()}\n`)
      return
    }
    results.set(id, 'missed')
    process.stdout.write(`${id}: missed by ${fault.tests.join(', ')}, ${seconds()}\n`)
  })
}

/** Processes the items on all benches, one item per bench at a time. */
async function share<T>(items: readonly T[], work: (bench: Workbench, item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  await Promise.all(
    benches.map(async (bench) => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(bench, item)
    }),
  )
}

function keyOf(test: string, server: boolean): string {
  return server ? `${test} on PostgreSQL` : test
}
