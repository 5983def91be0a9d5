import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { listDecks } from '../../../dist/db/queries/content/decks.js'
import { alternate, load, medianLoad } from '../load.js'
import { median } from '../median.js'
import { type Postgres, runPgbench } from '../postgres.js'
import { logInMany, makeFolder, ROOT, startServer, startService, startUsualServer } from '../processes.js'
import { atLeast, below, type Measure } from '../report.js'
import { SMALL } from '../seed.js'
import { CALLER, createScript } from '../statements.js'

const ROUNDS = 5
const SECONDS = 4

/** The deck list beside the same statements from pgbench, a route without a database, and the usual way. */
export async function measureDecks(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(SMALL)
  const service = await startService(databaseUrl)
  const usual = await startUsualServer(databaseUrl)
  const cookies = await logInMany(service)
  const usualCookies = await logInMany(usual)
  const payload = path.join(await makeFolder(), 'payload.json')
  const answer = await fetch(`${service.url}/api/decks`, { headers: { cookie: cookies[0] as string } })
  await writeFile(payload, await answer.text())
  const bare = await startServer(`${ROOT}lab/bench/bare-server.mjs`, [], { PAYLOAD: payload })
  const script = await createScript(databaseUrl, 'lernende-%', (db) => listDecks(db, CALLER, '2026-11-21'))

  const ask = { path: '/api/decks', seconds: SECONDS }
  const [own, limits, naive, fromMemory] = await alternate(
    ROUNDS,
    () => load(service, { ...ask, cookies }),
    () => runPgbench(postgres, databaseUrl, script, { seconds: SECONDS }),
    () => load(usual, { ...ask, cookies: usualCookies }),
    () => load(bare, { path: '/', cookies: [], seconds: 2 }),
  )
  const ofLimit = own.map(({ rate }, round) => rate / (limits[round] as number))
  const ofUsual = own.map(({ rate }, round) => rate / (naive[round]?.rate as number))
  const middle = medianLoad(own)
  return [
    {
      what: 'GET /api/decks: 50 decks, 5,000 cards, 1,000 progress rows a user, 20 connections; limit: pgbench, prepared, the same two statements',
      service: middle,
      limit: `${Math.round(median(limits))}/s`,
      usual: medianLoad(naive),
      ...atLeast(0.6, median(ofLimit), 'limit'),
    },
    { what: 'the same, each round: service / pgbench', service: ofLimit.map((ratio) => ratio.toFixed(2)).join(', ') },
    { what: 'the same beside the usual way', ...atLeast(4, median(ofUsual), 'usual way') },
    { what: 'the same, p99 / p50', ...below(8, middle.p99 / Math.max(middle.p50, 1), '×') },
    { what: 'limit: a bare Fastify route with the same payload from memory', limit: medianLoad(fromMemory) },
  ]
}
