// Runs what looks for the unknown: the tests of `test/soak/` and all property tests, with a new seed and more runs in
// each round, in turn on the embedded database and on PostgreSQL. No round starts after the given time; the last one
// ends later.
//
//     npm run soak -- --minutes 15            new seeds
//     npm run soak -- --minutes 1 --seed 7    begins with this seed
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

const RUNS = '5'
const POSTGRES = ['node', 'dist/test/support/with-postgres.js']
const MAX_OUTPUT_BYTES = 2 ** 30

process.chdir(path.join(import.meta.dirname, '..'))
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes is not a positive number: ${values.minutes}`)
const end = Date.now() + minutes * 60_000
const files = ['soak', ...propertyTests()]
const databases = hasServer() ? ['embedded', 'PostgreSQL'] : ['embedded']
if (databases.length === 1) console.log('PostgreSQL is not installed: all rounds run on the embedded database')
const logs = mkdtempSync(path.join(tmpdir(), 'svc-training-soak-'))

let failed = 0
let round = 0
do {
  const seed = round === 0 && values.seed !== undefined ? values.seed : String(randomInt(2 ** 31))
  const database = databases[round % databases.length]
  round++
  if (!runRound(seed, database)) failed++
} while (Date.now() < end)
if (failed === 0) rmSync(logs, { recursive: true })
console.log(`${round - failed} rounds passed, ${failed} failed${failed > 0 ? `; output in ${logs}` : ''}`)
process.exitCode = failed > 0 ? 1 : 0

function runRound(seed, database) {
  const command = [
    ...(database === 'PostgreSQL' ? POSTGRES : []),
    ...['npx', 'tap', '--timeout=3600', ...files.map((file) => `--test-arg=${file}`), 'dist/test/all.js'],
  ]
  const variables = { TEST_SEED: seed, TEST_RUNS: RUNS }
  console.log(`round ${round}: TEST_SEED=${seed} TEST_RUNS=${RUNS} on ${database}`)
  const start = Date.now()
  const [program, ...args] = command
  const { status, stdout, stderr } = spawnSync(program, args, {
    env: { ...process.env, ...variables },
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  const seconds = Math.round((Date.now() - start) / 1000)
  const counts = /^# \{ total:.*\}$/m.exec(stdout.slice(stdout.lastIndexOf('\n# {')))?.[0] ?? ''
  console.log(`  ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s ${counts}`)
  if (status === 0) return true
  writeFileSync(path.join(logs, `round-${round}.log`), stdout + stderr)
  const failures = stdout.split('\n').filter((line) => /^ *not ok /.test(line))
  for (const line of failures) console.log(`  ${line.trim()}`)
  const names = new Set(failures.flatMap((line) => line.match(/dist\/test\/\S+\.test\.js/g) ?? []))
  const repeat = (file) =>
    `TEST_SEED=${seed} TEST_RUNS=${RUNS} ${database === 'PostgreSQL' ? `${POSTGRES.join(' ')} ` : ''}node ${file}`
  for (const name of names) console.log(`  repeat: ${repeat(name)}`)
  if (names.size === 0) console.log(stderr.slice(-2_000))
  return false
}

/** Returns the test files that draw from properties, as paths relative to `test`. */
function propertyTests() {
  return readdirSync('test', { recursive: true })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('soak/'))
    .filter((name) => readFileSync(`test/${name}`, 'utf8').includes("support/property.js'"))
}

function hasServer() {
  const { status } = spawnSync('node', [
    '--input-type=module',
    '--eval',
    "await (await import('./dist/test/support/postgres.js')).findPrograms()",
  ])
  return status === 0
}
