import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ROOT } from './support/constants.js'
import { TEST_DATABASE_URL } from './support/database.js'
import { plainNode } from './support/plain-node.js'
import { shuffle } from './support/runner/shuffle.js'
import { findTemplate } from './support/templates.js'

// Runs the test files below the folder given as argument; without an argument, all except those of OTHER_COMMANDS.
// PROCESSES batch processes take the files in random order; each file named `*.alone.test.ts` runs in a separate
// process.

const OTHER_COMMANDS = ['process/', 'web/', 'operations/', 'support/']
/** Number of batch processes: one more than the two cores of a small machine, because some tests only wait */
const PROCESSES = 3
const TIMEOUT_MS = 3_600_000
const BATCH = fileURLToPath(new URL('support/runner/batch.js', import.meta.url))
/** Node.js options of this process, without those that load tap's modules and those that enable source maps */
const OPTIONS = process.execArgv.filter((option) => !/^--(import=|enable-source-maps$)/.test(option))

const [folder] = process.argv.slice(2)
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
process.stderr.write(`Order of the files: TEST_SEED=${seed}\n`)
const files = shuffle(await listFiles(), seed)
const alone = files.filter((file) => file.endsWith('.alone.test.js'))
const together = files.filter((file) => !alone.includes(file))
if (TEST_DATABASE_URL === undefined) await findTemplate()

t.jobs = PROCESSES + alone.length
t.setTimeout(TIMEOUT_MS)
const claims = await mkdtemp(path.join(tmpdir(), 'svc-training-claims-'))
t.teardown(() => rm(claims, { recursive: true }))
const env = { ...process.env, TEST_FILES: together.join(' '), TEST_CLAIMS: claims }
for (let number = 1; number <= Math.min(PROCESSES, together.length); number++) {
  t.spawn(...plainNode([...OPTIONS, BATCH]), { env, timeout: TIMEOUT_MS }, `process ${number}`)
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
    .filter((name) =>
      folder === undefined ? !OTHER_COMMANDS.some((other) => name.startsWith(other)) : name.startsWith(`${folder}/`),
    )
    .map((name) => `dist/test/${name.replace(/ts$/, 'js')}`)
    .filter((file) => existsSync(path.join(ROOT, file)))
    .sort()
}
