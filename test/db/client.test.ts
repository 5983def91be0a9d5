import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { openDatabase } from '../../db/client.js'
import { isDatabaseUnavailable } from '../../db/errors.js'
import { createEmptyDatabase, TEST_DATABASE_URL } from '../support/database.js'
import { until } from '../support/until.js'

const LOGGED_IN = Buffer.from('520000000800000000', 'hex')
const READY = Buffer.from('5a0000000549', 'hex')

/** Starts a server that accepts connections and never answers a statement. */
async function startFrozenServer(t: Test): Promise<{ url: string; connections: () => number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.once('data', () => socket.write(Buffer.concat([LOGGED_IN, READY])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `postgres://nobody@127.0.0.1:${port}/none`, connections: () => connections }
}

for (const parameters of ['', '?query_timeout=50', '?application_name=x&query_timeout=50&connect_timeout=5']) {
  t.test(`the connection to a frozen server is closed after a timeout ${parameters}`, async (t) => {
    const { url, connections } = await startFrozenServer(t)
    const { db, close, poolState } = await openDatabase({
      databaseUrl: url + parameters,
      dataDir: '',
      poolMax: 1,
      frozenAfterMs: 200,
      onIdleError: (error) => t.fail(`${error}`),
    })
    const answers = await Promise.allSettled([sql`select 1`.execute(db), sql`select 2`.execute(db)])
    for (const answer of answers) {
      const reason = answer.status === 'rejected' ? answer.reason : undefined
      t.match(reason, { message: 'Query read timeout' })
      t.ok(isDatabaseUnavailable(reason))
    }
    t.equal(connections(), 2, 'a waiting request gets a new connection')
    t.match(poolState(), { total: 0, waiting: 0 })
    await close()
  })
}

t.test('runs unlimited work on a separate connection and returns it', async (t) => {
  const { db, close, withoutLimit } = await createEmptyDatabase()
  t.teardown(close)
  const read = async (on: typeof db) => {
    const { rows } = await sql<{ limit: string; sessions: number }>`
      select current_setting('statement_timeout') as limit,
        (select count(*) from pg_stat_activity where datname = current_database()) as sessions`.execute(on)
    return rows[0]
  }
  const isServer = TEST_DATABASE_URL !== undefined
  t.match(await read(db), { limit: isServer ? '15s' : '0' })
  t.match(await withoutLimit(read), { limit: '0' })
  await t.rejects(
    withoutLimit((limitless) => sql`select 1 / 0`.execute(limitless)),
    { message: /zero/ },
  )
  await until(async () => (await read(db))?.sessions === 1)
})
