import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { ROOT } from '../support/constants.js'
import { shuffle } from '../support/runner/shuffle.js'

const database = new URL('../support/database.js', import.meta.url).href
const BATCH = `${ROOT}dist/test/support/runner/batch.js`
const kysely = import.meta.resolve('kysely')
const borrow = `
  import { createMigratedDatabase } from ${JSON.stringify(database)}
  const database = await createMigratedDatabase()`
const giveBack = 't.teardown(() => database.close())'
const createTable = "database.db.schema.createTable('remains').addColumn('id', 'integer').execute()"
const disableTrigger = "sql.raw('alter table cards disable trigger cards_place_insert').execute(database.db)"

/** Test files in order of execution: name, program, and patterns of the leftovers that the runner must report */
const FILES: [name: string, program: string, traces: RegExp[]][] = [
  ['clean', `${borrow}; ${giveBack}; t.test('a story', async (t) => t.pass('told'))`, []],
  ['open', "import net from 'node:net'; setInterval(() => {}, 1000); net.createServer().listen(0)", [/Timeout/, /TCP/]],
  ['variable', "process.env.REMAINS = 'x'", [/the variable REMAINS: x instead of nothing/]],
  ['folder', "process.chdir('/')", [/the working directory: \/ instead of/]],
  ['clock', 'Date.now = () => 0', [/Date\.now/]],
  ['listener', "process.on('SIGHUP', () => {})", [/listeners of SIGHUP/]],
  [
    'files',
    "import fs from 'node:fs'; import os from 'node:os'; fs.mkdtempSync(os.tmpdir() + '/remains-')",
    [/remains-/],
  ],
  [
    'rows',
    `${borrow}; ${giveBack}; await database.db.insertInto('decks').values({ slug: 'x', name: 'x' }).execute()`,
    [],
  ],
  [
    'empty-tables',
    `${borrow}; ${giveBack}
      t.strictSame(await database.db.selectFrom('decks').selectAll().execute(), [])
      const values = { slug: 'x', name: 'x' }
      t.match(await database.db.insertInto('decks').values(values).returning('id').execute(), [{ id: 1 }])`,
    [],
  ],
  ['schema', `${borrow}; ${giveBack}; await t.rejects(${createTable}, /CREATE TABLE: .*createDatabaseToSpoil/)`, []],
  [
    'trigger',
    `import { sql } from '${kysely}'; ${borrow}; ${giveBack}
      await t.rejects(${disableTrigger}, /ALTER TABLE: .*createDatabaseToSpoil/)`,
    [],
  ],
  ['database', borrow, [/1 open database/]],
]

t.test('a test file that leaves something behind is reported by name', async (t) => {
  const { code, output } = await runFiles(
    t,
    FILES.map(([name, program]) => [name, `import t from 'tap'; ${program}; t.pass('ran')`]),
  )
  t.equal(code, 1)
  for (const [name, , traces] of FILES) {
    t.match(output, new RegExp(`^ok \\d+ - [^\\n]*/${name}\\.test\\.js # time`, 'm'), `${name} itself passes`)
    const [line = '', result] =
      new RegExp(`^(ok|not ok) [^\\n]*/${name}\\.test\\.js leaves nothing behind`, 'm').exec(output) ?? []
    t.equal(result, traces.length === 0 ? 'ok' : 'not ok', name)
    const diagnostics = output.slice(output.indexOf(line)).split('\n# Subtest')[0] ?? ''
    for (const trace of traces) t.match(diagnostics, trace)
  }
})

t.test('a test file that fails, throws or ends early is reported by name, and the others run', async (t) => {
  const { code, output } = await runFiles(t, [
    ['failing', "import t from 'tap'; t.test('x', async (t) => t.fail('on purpose'))"],
    ['throwing', "import t from 'tap'; t.test('x', async (t) => t.pass('told')); throw new Error('on purpose')"],
    [
      'late',
      "import t from 'tap'; t.test('x', async (t) => { setTimeout(() => { throw new Error('thrown late') }); await new Promise(() => {}) })",
    ],
    [
      'forgotten',
      "import t from 'tap'; t.test('x', async (t) => { void Promise.reject(new Error('forgotten')); await new Promise((resolve) => setTimeout(resolve, 50)) })",
    ],
    ['empty', "import t from 'tap'; t.comment('no assertion')"],
    ['last', "import t from 'tap'; t.pass('told')"],
  ])
  t.equal(code, 1)
  for (const name of ['failing', 'throwing', 'late', 'forgotten'])
    t.match(output, new RegExp(`^not ok [^\\n]*/${name}\\.test\\.js`, 'm'))
  for (const reason of ['thrown late', 'forgotten']) t.match(output, new RegExp(`^ +not ok \\d+ - ${reason}`, 'm'))
  t.match(output, /^ok [^\n]*\/last\.test\.js # time/m)
})

t.test('a seed determines the order', async (t) => {
  const list = Array.from({ length: 50 }, (_, index) => index)
  t.strictSame(shuffle(list, 7), shuffle(list, 7))
  t.notSame(shuffle(list, 7), shuffle(list, 8))
  t.strictSame(
    shuffle(list, 7).toSorted((a, b) => a - b),
    list,
  )
})

async function runFiles(t: Test, files: string[][]): Promise<{ code: number | string; output: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-runner-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const paths: string[] = []
  for (const [name = '', program = ''] of files) {
    const file = path.join(folder, name, `${name}.test.js`)
    await mkdir(path.dirname(file))
    await writeFile(path.join(path.dirname(file), 'package.json'), '{"type":"module"}')
    await writeFile(file, program)
    paths.push(path.relative(ROOT, file))
  }
  const { PATH = '', HOME = '', TEST_DATABASE_URL } = process.env
  const env = { PATH, HOME, TEST_FILES: paths.join(' '), ...(TEST_DATABASE_URL !== undefined && { TEST_DATABASE_URL }) }
  return new Promise((resolve) => {
    execFile(process.execPath, ['--liftoff-only', BATCH], { env, cwd: ROOT }, (error, stdout) =>
      resolve({ code: error?.signal ?? error?.code ?? 0, output: stdout }),
    )
  })
}
