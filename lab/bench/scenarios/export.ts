import { once } from 'node:events'
import { connect } from 'node:net'
import path from 'node:path'
import { sql } from 'kysely'
import { type Load, load } from '../load.js'
import { median } from '../median.js'
import { type Postgres, withDatabase } from '../postgres.js'
import { logInMany, run, type Server, startService, startUsualServer, watchMemory } from '../processes.js'
import { atLeast, below, type Measure } from '../report.js'
import { sizeOf } from '../seed.js'

const CARDS = 1_000_000
const ROUNDS = 3
const STALLED = 20
const INDEXED = 100_000

export async function measureExport(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(sizeOf(CARDS))
  const service = await startService(databaseUrl)
  const cookies = await logInMany(service)
  const others = { path: '/api/decks', cookies, connections: 1 }
  const [cookie] = cookies as [string]
  // Warms up, so that only the export causes the growth of memory that is measured below.
  await load(service, { ...others, connections: 4, seconds: 3 })
  const memory = watchMemory(service)
  const copies: number[] = []
  const exports: number[] = []
  const idle: number[] = []
  const busy: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    copies.push(await copyWithPsql(postgres, databaseUrl))
    exports.push(await download(service, cookie))
    idle.push((await load(service, { ...others, seconds: 5 })).p99)
    const [disturbed] = await Promise.all([load(service, { ...others, seconds: 5 }), download(service, cookie)])
    busy.push(disturbed.p99)
  }
  const growth = memory.stop()
  await service.stop()
  const usual = await downloadTheUsualWay(databaseUrl)
  const slower = median(busy.map((p99, round) => p99 / Math.max(idle[round] as number, 1)))
  return [
    {
      what: `export of ${CARDS} cards; limit: psql \\copy of the same four raw columns; the cards of a deck lie scattered`,
      usual: `${usual.seconds.toFixed(1)} s`,
      ...besideCopies(exports, copies),
    },
    {
      what: 'the same, memory above idle',
      usual: `${Math.round(usual.memory)} MB`,
      ...below(64, growth, 'MB'),
    },
    {
      what: 'p99 of GET /api/decks, one connection: idle, then during an export',
      service: `${median(idle)} ms, ${median(busy)} ms`,
      ...below(3, slower, '×'),
    },
    await measureAsImported(postgres, databaseUrl),
    ...(await measureStalledReaders(databaseUrl)),
    await measureBesideIndexing(databaseUrl),
  ]
}

/** Measures the export with the cards of a deck stored together, as an import writes them. */
async function measureAsImported(postgres: Postgres, databaseUrl: string): Promise<Measure> {
  await withDatabase(databaseUrl, async (db) => {
    await sql`create index cards_as_imported_idx on cards (deck_id, sort_order, id)`.execute(db)
    await sql`cluster cards using cards_as_imported_idx`.execute(db)
    await sql`drop index cards_as_imported_idx`.execute(db)
    await sql`vacuum analyze cards`.execute(db)
  })
  const service = await startService(databaseUrl)
  const [cookie] = (await logInMany(service, 1)) as [string]
  await download(service, cookie)
  const copies: number[] = []
  const exports: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    copies.push(await copyWithPsql(postgres, databaseUrl))
    exports.push(await download(service, cookie))
  }
  await service.stop()
  return {
    what: 'the same; the cards of a deck lie side by side, as an import writes them',
    ...besideCopies(exports, copies),
  }
}

function besideCopies(exports: number[], copies: number[]): Omit<Measure, 'what'> {
  const [whole, copy] = [median(exports), median(copies)]
  const ratio = median(exports.map((seconds, round) => (copies[round] as number) / seconds))
  return {
    service: `${whole.toFixed(1)} s, ${Math.round(CARDS / whole)} cards/s`,
    limit: `${copy.toFixed(1)} s, ${Math.round(CARDS / copy)} cards/s`,
    ...atLeast(0.5, ratio, 'limit'),
  }
}

/** Measures other requests while clients do not read their downloads, with a single database connection. */
async function measureStalledReaders(databaseUrl: string): Promise<Measure[]> {
  const service = await startService(databaseUrl, { DATABASE_POOL_MAX: '1' })
  const cookies = await logInMany(service)
  const others = { path: '/api/decks', cookies, connections: 4, seconds: 4 }
  await load(service, others)
  const before = await load(service, others)
  const memory = watchMemory(service)
  const { hostname, port } = new URL(service.url)
  const sockets = await Promise.all(
    Array.from({ length: STALLED }, async () => {
      const socket = connect(Number(port), hostname).pause()
      await once(socket, 'connect')
      socket.write(`GET /api/decks/export-anki HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookies[0]}\r\n\r\n`)
      return socket
    }),
  )
  // The buffers of the stalled downloads fill during the first load, which is not measured.
  await load(service, others)
  const during = await load(service, others)
  const growth = memory.stop()
  for (const socket of sockets) socket.destroy()
  await service.stop()
  return [
    { what: 'GET /api/decks, 4 connections, a pool of one', service: before },
    {
      what: `the same beside ${STALLED} stalled downloads`,
      service: during,
      ...atLeast(0.5, shareOf(before, during), 'without them'),
    },
    { what: `memory for ${STALLED} stalled downloads`, service: `${(growth / STALLED).toFixed(1)} MB each` },
  ]
}

/** Measures requests while the search index is built on the same single database connection. */
async function measureBesideIndexing(databaseUrl: string): Promise<Measure> {
  const service = await startService(databaseUrl, { DATABASE_POOL_MAX: '1' })
  const cookies = await logInMany(service)
  const others = { path: '/api/decks', cookies, connections: 4, seconds: 4 }
  await load(service, others)
  const before = await load(service, others)
  await withDatabase(databaseUrl, (db) =>
    sql`
      insert into search_pending (kind, ids)
      select 'card', array_agg(id) from cards where id <= ${INDEXED}::integer group by id / 100`.execute(db),
  )
  // A search starts the indexing.
  await fetch(`${service.url}/api/search?q=befehl`, { headers: { cookie: cookies[0] as string } })
  const during = await load(service, others)
  const { rows } = await withDatabase(databaseUrl, (db) => sql`select id from search_pending limit 1`.execute(db))
  if (rows.length === 0) throw new Error('the index was complete before the measure was')
  await service.stop()
  return {
    what: `GET /api/decks, 4 connections, a pool of one: alone, then while ${INDEXED} cards are indexed for the search`,
    service: `${before.rate}/s, ${during.rate}/s, p99 ${during.p99} ms`,
    ...atLeast(0.4, shareOf(before, during), 'alone'),
  }
}

function shareOf(before: Load, during: Load): number {
  return during.failures > 0 ? 0 : during.rate / before.rate
}

/**
 * Returns the seconds of an export. Uses curl, which needs little processor time.
 * @throws Error if the export has at most 100 bytes per card
 */
async function download(server: Server, cookie: string): Promise<number> {
  const started = performance.now()
  const url = `${server.url}/api/decks/export-anki`
  const { stdout } = await run('curl', [
    '-sS',
    '-o',
    '/dev/null',
    '-w',
    '%{size_download}',
    '-H',
    `cookie: ${cookie}`,
    url,
  ])
  if (!(Number(stdout) > CARDS * 100)) throw new Error(`the export is too short: ${stdout} bytes`)
  return (performance.now() - started) / 1000
}

async function downloadTheUsualWay(databaseUrl: string): Promise<{ seconds: number; memory: number }> {
  const usual = await startUsualServer(databaseUrl)
  const [cookie] = (await logInMany(usual, 1)) as [string]
  const memory = watchMemory(usual)
  const seconds = await download(usual, cookie)
  return { seconds, memory: memory.stop() }
}

async function copyWithPsql(postgres: Postgres, databaseUrl: string): Promise<number> {
  const started = performance.now()
  const query = 'select question, answer, name, level from cards join decks on decks.id = deck_id'
  await run(path.join(postgres.programs, 'psql'), ['-Xqc', `\\copy (${query}) to '/dev/null'`, databaseUrl])
  return (performance.now() - started) / 1000
}
