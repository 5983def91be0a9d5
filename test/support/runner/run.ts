import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TEST_DATABASE_URL } from '../database.js'
import { ROOT } from '../service.js'
import { findTemplate } from '../templates.js'
import { shuffle } from './shuffle.js'

/** Files below these are run by commands of their own. */
const OTHER_COMMANDS = ['dist/test/web/', 'dist/test/operations/', 'dist/test/support/']
/** They start the program again and again, which takes two thirds of what all others take: a run of its own. */
const PROCESS = 'dist/test/process/'
const ALONE = '.alone.test.js'
/** One more than small machines have cores, since some tests wait. */
const BATCHES = ['one', 'two', 'three'].map((name) => `dist/test/batches/${name}.js`)
/** Timeout of a whole batch; a single file has its own. */
const TIMEOUT_SECONDS = 1_800

/**
 * `npm test`, and with `process` as the first argument `npm run test:process`: all test files in a random order, one
 * after another in three processes; those named `.alone.test.ts` in processes of their own. With files as arguments
 * only these, each in its own process. Options are tap's.
 */
async function run(args: string[]): Promise<number | null> {
  if (args.some((arg) => arg.includes('.test.'))) return runTap(args)
  const startsPrograms = args[0] === 'process'
  const options = startsPrograms ? args.slice(1) : args
  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
  process.stderr.write(`Order of the files: TEST_SEED=${seed}\n`)
  const files = shuffle(await listFiles(startsPrograms), seed)
  const alone = files.filter((file) => file.endsWith(ALONE))
  const together = files.filter((file) => !file.endsWith(ALONE))
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-run-'))
  try {
    await writeFile(path.join(folder, 'files.json'), JSON.stringify(together))
    if (TEST_DATABASE_URL === undefined) await findTemplate('migrated')
    return await runTap(
      [...options, `--jobs=${BATCHES.length + alone.length}`, `--timeout=${TIMEOUT_SECONDS}`, ...BATCHES, ...alone],
      {
        TEST_BATCH: folder,
      },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Compiled files whose source is still there. */
async function listFiles(startsPrograms: boolean): Promise<string[]> {
  const names = await readdir(path.join(ROOT, 'test'), { recursive: true })
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `dist/test/${name.split(path.sep).join('/').replace(/ts$/, 'js')}`)
    .filter((file) => !OTHER_COMMANDS.some((folder) => file.startsWith(folder)))
    .filter((file) => file.startsWith(PROCESS) === startsPrograms && existsSync(path.join(ROOT, file)))
    .sort()
}

async function runTap(args: string[], variables: Record<string, string> = {}): Promise<number | null> {
  const env = { ...process.env, ...variables }
  const child = spawn(path.join(ROOT, 'node_modules/.bin/tap'), args, { stdio: 'inherit', env, cwd: ROOT })
  const [code] = await once(child, 'close')
  return code
}

process.exitCode = (await run(process.argv.slice(2))) ?? 1
