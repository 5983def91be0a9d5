import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ROOT } from './support/constants.js'
import { TEST_DATABASE_URL } from './support/database.js'
import { plainNode } from './support/plain-node.js'
import { shuffle } from './support/runner/shuffle.js'
import { SEED } from './support/seed.js'
import { findTemplate } from './support/templates.js'

// Runs the test files and folders given as arguments, relative to `test`; a folder that ends with `/*` without its
// subfolders. Without an argument, runs all files except those of OTHER_COMMANDS. PROCESSES batch processes share the files in an order that
// depends only on the seed; each file named `*.alone.test.ts` runs in a separate process.

const OTHER_COMMANDS = ['process/', 'web/', 'operations/', 'soak/', 'support/']
/** Number of batch processes: one more than the two cores of a small machine, because some tests only wait */
const PROCESSES = 3
const TIMEOUT_MS = 7_200_000
const BATCH = fileURLToPath(new URL('support/runner/batch.js', import.meta.url))
/** Node.js options of this process, without those that load tap's modules and those that enable source maps */
const OPTIONS = process.execArgv.filter((option) => !/^--(import=|enable-source-maps$)/.test(option))

const chosen = process.argv.slice(2)
process.stderr.write(`TEST_SEED=${SEED}\n`)
const files = shuffle(await listFiles(), SEED)
const alone = files.filter((file) => file.endsWith('.alone.test.js'))
const together = files.filter((file) => !alone.includes(file))
if (TEST_DATABASE_URL === undefined) await findTemplate()

t.jobs = PROCESSES + alone.length
t.setTimeout(TIMEOUT_MS)
for (let number = 0; number < Math.min(PROCESSES, together.length); number++) {
  // The files of a process do not depend on its speed, so that a run can be repeated.
  const own = together.filter((_, index) => index % PROCESSES === number)
  const env = { ...process.env, TEST_FILES: own.join(' ') }
  t.spawn(...plainNode([...OPTIONS, BATCH]), { env, timeout: TIMEOUT_MS }, `process ${number + 1}`)
}
for (const file of alone) t.spawn(...plainNode([...OPTIONS, file]), { timeout: TIMEOUT_MS }, file)

/**
 * Returns the compiled files of the selected tests, as paths relative to the repository's root. Lists the sources,
 * because a compiled file remains when its source is deleted.
 */
async function listFiles(): Promise<string[]> {
  const names = (await readdir(path.join(ROOT, 'test'), { recursive: true })).map((name) =>
    name.replaceAll(path.sep, '/'),
  )
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => (chosen.length === 0 ? !isOfOtherCommand(name) : chosen.some((choice) => includes(choice, name))))
    .map((name) => `dist/test/${name.replace(/ts$/, 'js')}`)
    .filter((file) => existsSync(path.join(ROOT, file)))
    .sort()
}

function isOfOtherCommand(name: string): boolean {
  return OTHER_COMMANDS.some((other) => name.startsWith(other))
}

function includes(choice: string, name: string): boolean {
  if (choice.endsWith('/*')) return `${path.posix.dirname(name)}/*` === choice
  return name === choice || name.startsWith(`${choice}/`)
}
