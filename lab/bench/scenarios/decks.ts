import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { listDecks } from '../../../dist/db/queries/content/decks.js'
import { alternate, type Load, load, medianLoad } from '../load.js'
import { median } from '../median.js'
import { type Postgres, runPgbench } from '../postgres.js'
import { logInMany, makeFolder, ROOT, startServer, startService, startUsualServer } from '../processes.js'
import { atLeast, below, type Measure } from '../report.js'
import { SMALL } from '../seed.js'
import { CALLER, createScript, listTexts } from '../statements.js'

const ROUNDS = 5
const SECONDS = 4

/**
 * Measures the deck list in comparison with the same statements in pgbench and in a bare Fastify handler, a route
 * without a database, and the conventional implementation.
 */
export async function measureDecks(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(SMALL)
  const service = await startService(databaseUrl)
  const usual = await startUsualServer(databaseUrl)
  const cookies = await logInMany(service)
  const usualCookies = await logInMany(usual)
  const payload = path.join(await makeFolder(), 'payload.json')
  const response = await fetch(`${service.url}/api/decks`, { headers: { cookie: cookies[0] as string } })
  await writeFile(payload, await response.text())
  const bare = await startServer(`${ROOT}lab/bench/bare-server.mjs`, [], { PAYLOAD: payload })
  const statements = path.join(await makeFolder(), 'statements.json')
  await writeFile(statements, JSON.stringify(await listTexts(databaseUrl, (db) => listDecks(db, CALLER, '2026-11-21'))))
  const peer = await startServer(
    `${ROOT}lab/bench/peer-server.mjs`,
    [],
    { DATABASE_URL: databaseUrl, STATEMENTS: statements },
    '/readyz',
  )
  const script = await createScript(databaseUrl, 'lernende-%', (db) => listDecks(db, CALLER, '2026-11-21'))

  const ask = { path: '/api/decks', seconds: SECONDS }
  const [own, ofPeer, limits, naive, fromMemory] = await alternate(
    ROUNDS,
    () => load(service, { ...ask, cookies }),
    () => load(peer, { ...ask, cookies }),
    () => runPgbench(postgres, databaseUrl, script, { seconds: SECONDS }),
    () => load(usual, { ...ask, cookies: usualCookies }),
    () => load(bare, { path: '/', cookies: [], seconds: 2 }),
  )
  const ofLimit = own.map(({ rate }, round) => rate / (limits[round] as number))
  const cost = own.map((load, round) => costOf(load) / costOf(ofPeer[round] as Load))
  const ofUsual = own.map(({ rate }, round) => rate / (naive[round]?.rate as number))
  const middle = medianLoad(own)
  return [
    {
      what: 'GET /api/decks: 50 decks, 5,000 cards, 1,000 progress rows a user, 20 connections; limit: pgbench, prepared, the same two statements',
      service: middle,
      limit: `${Math.round(median(limits))}/s`,
      usual: medianLoad(naive),
      ...atLeast(0.45, median(ofLimit), 'limit'),
    },
    { what: 'the same, each round: service / pgbench', service: ofLimit.map((ratio) => ratio.toFixed(2)).join(', ') },
    { what: 'the same beside the usual way', ...atLeast(4, median(ofUsual), 'usual way') },
    { what: 'the same, p99 / p50', ...below(8, middle.p99 / Math.max(middle.p50, 1), '×') },
    {
      what: 'processor time of the process for a request, in turn with a bare Fastify handler that sends the same two named statements through pg; neither logs a request',
      service: `${Math.round(1e6 * median(own.map(costOf)))} µs`,
      limit: `${Math.round(1e6 * median(ofPeer.map(costOf)))} µs`,
      ...below(1.7, median(cost), '×'),
    },
    { what: 'the same, each round: service / handler', service: cost.map((ratio) => ratio.toFixed(2)).join(', ') },
    { what: 'limit: a bare Fastify route with the same payload from memory', limit: medianLoad(fromMemory) },
  ]
}

/**
 * Returns the processor seconds per request.
 * @throws Error if a request failed, because a failed request takes less processor time
 */
function costOf({ cpu, rate, failures }: Load): number {
  if (failures > 0) throw new Error(`${failures} requests failed`)
  return cpu / rate
}
