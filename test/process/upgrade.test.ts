import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import t, { type Test } from 'tap'
import { openEmbeddedStore } from '../../db/embedded/index.js'
import { SECRET } from '../support/constants.js'
import { TEST_DATABASE_URL } from '../support/database.js'
import { createStoreVariables, firstLogin, loginOver, shareProgram, startProcess } from '../support/process.js'
import { SCRATCH } from '../support/scratch.js'
import { serveStore } from '../support/serve-store.js'

const run = shareProgram(t)

const ONE_LINE = /^[^\n]+\n$/

t.test('a newer schema stops every command with one line', async (t) => {
  const variables = await createServedVariables(t)
  t.equal((await run(variables, ['migrate'])).code, 0)
  await execute(variables, "insert into kysely_migration (name, timestamp) values ('9999_later', '')")
  for (const args of [['serve'], ['migrate'], ['import'], ['user', 'list']]) {
    const { code, stdout, stderr } = await run(variables, args)
    t.strictSame([code, stdout], [1, ''], args.join(' '))
    t.match(stderr, /Das Schema der Datenbank ist neuer als dieses Programm \(unbekannt: 9999_later\)/)
    t.match(stderr, ONE_LINE)
  }
  const { rows } = await execute(variables, 'select count(*)::int as count from users')
  t.strictSame(rows, [{ count: 0 }], 'nothing was changed')
})

t.test('a schema or backup from before the first release is refused with one line', async (t) => {
  const variables = await createServedVariables(t)
  const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-draft-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const [backup, draft] = [path.join(folder, 'sicherung.gz'), path.join(folder, 'entwurf.gz')]
  t.equal((await run(variables, ['migrate'])).code, 0)
  t.equal((await run(variables, ['backup', backup])).code, 0)
  const saved = gunzipSync(await readFile(backup)).toString()
  await writeFile(draft, gzipSync(saved.replace('0001_users', '0001_create_accounts')))
  const tooOld = (of: string) =>
    new RegExp(`^${of} stammt aus der Zeit vor der ersten Veröffentlichung, die dieses Programm nicht mehr lesen kann`)

  const intoReadyStore = await run(variables, ['restore', '--replace', draft])
  t.match(intoReadyStore, { code: 1, stdout: '', stderr: tooOld('Die Sicherung') })
  t.match(intoReadyStore.stderr, ONE_LINE)

  await execute(variables, "update kysely_migration set name = '0001_create_accounts' where name like '0001%'")
  for (const args of [['serve'], ['user', 'list'], ['restore', '--replace', backup]]) {
    const { code, stdout, stderr } = await run(variables, args)
    t.strictSame([code, stdout], [1, ''], args.join(' '))
    t.match(stderr, tooOld('Das Schema der Datenbank'))
    t.match(stderr, ONE_LINE)
  }
})

t.test(
  'an embedded store of another PostgreSQL major is refused with working instructions',
  { skip: TEST_DATABASE_URL !== undefined && 'no embedded store' },
  async (t) => {
    const old = await createStoreVariables(t)
    const service = await startProcess(t, old)
    const login = firstLogin(service, old)
    await (await loginOver(service.url, login))('/api/quiz/submit', { body: { total: 4, correct: 3 } })
    await service.stop()
    const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-upgrade-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const backup = path.join(folder, 'sicherung.gz')
    t.equal((await run(old, ['backup', backup])).code, 0, 'the backup by the previous program')

    const mark = path.join(old.DATA_DIR as string, 'pglite', 'PG_VERSION')
    await writeFile(mark, '17\n')
    for (const args of [['serve'], ['migrate'], ['backup', path.join(folder, 'nein.gz')], ['user', 'list']]) {
      const { code, stdout, stderr } = await run(old, args)
      t.strictSame([code, stdout], [1, ''], args.join(' '))
      t.match(stderr, ONE_LINE)
      t.match(stderr, /stammt von PostgreSQL 17, dieses Programm braucht PostgreSQL 18: .*früheren Programmversion/)
      t.match(stderr, /\(svc-training backup DATEI\).*\(DATA_DIR=… svc-training restore DATEI\)/)
    }
    t.equal(await readFile(mark, 'utf8'), '17\n', 'the store is left as it was')

    const fresh = { ...old, DATA_DIR: path.join(folder, 'neu') }
    t.match(await run(fresh, ['restore', backup]), { code: 0, stdout: /quiz_results: 1\n/ })
    const moved = await startProcess(t, fresh)
    const send = await loginOver(moved.url, login)
    t.match(await (await send('/api/quiz/history')).json(), { results: [{ score_percent: 75 }] })
    await moved.stop()
  },
)

/** Returns variables of a store that is served over the network, so that commands start faster. */
async function createServedVariables(t: Test): Promise<Record<string, string>> {
  const store = await serveStore(t, await createStoreVariables(t))
  return { ...store.variables(), SESSION_SECRET: SECRET }
}

async function execute(variables: Record<string, string>, statement: string): Promise<pg.QueryResult> {
  if (variables.DATABASE_URL === undefined) {
    const store = await openEmbeddedStore(variables.DATA_DIR as string)
    const pool = new pg.Pool({ max: 1, stream: store.connect, user: 'postgres', database: 'postgres' })
    const result = await pool.query(statement)
    await pool.end()
    await store.close()
    return result
  }
  const client = new pg.Client(variables.DATABASE_URL)
  await client.connect()
  const result = await client.query(statement)
  await client.end()
  return result
}
