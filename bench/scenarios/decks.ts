import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { listDecks } from '../../db/queries/decks.js'
import { findSession } from '../../db/queries/sessions.js'
import { type Load, load, median } from '../load.js'
import { type Postgres, runPgbench, withDatabase } from '../postgres.js'
import { logIn, ROOT, type Server, startServer, startService } from '../processes.js'
import { atLeast, below, type Measure, showLoad } from '../report.js'
import { PASSWORD, SMALL } from '../seed.js'
import { recordStatements, toPgbench } from '../statements.js'

const ROUNDS = 5
const SECONDS = 4
const DAY = '2026-11-21'

/** The deck list beside the same statements from pgbench, a route without a database, and the usual way. */
export async function measureDecks(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(SMALL)
  const service = await startService(databaseUrl)
  const usual = await startServer(`${ROOT}bench/usual-server.mjs`, [], { DATABASE_URL: databaseUrl }, '/readyz')
  const cookies = await logInMany(service)
  const payload = path.join(await mkdtemp(path.join(tmpdir(), 'svc-training-bench-')), 'payload.json')
  const answer = await fetch(`${service.url}/api/decks`, { headers: { cookie: cookies[0] as string } })
  await writeFile(payload, await answer.text())
  const bare = await startServer(`${ROOT}bench/bare-server.mjs`, [], { PAYLOAD: payload })
  const script = await createScript(databaseUrl)

  const rounds: { service: Load[]; usual: Load[]; bare: Load[]; pgbench: number[]; ratios: number[] } = {
    service: [],
    usual: [],
    bare: [],
    pgbench: [],
    ratios: [],
  }
  const ask = { path: '/api/decks', cookies, seconds: SECONDS }
  await load(service, ask)
  const usualCookies = await logInMany(usual)
  for (let round = 0; round < ROUNDS; round++) {
    const own = await load(service, ask)
    const limit = await runPgbench(postgres, databaseUrl, script, { seconds: SECONDS })
    rounds.service.push(own)
    rounds.pgbench.push(limit)
    rounds.ratios.push(own.rate / limit)
    rounds.usual.push(await load(usual, { ...ask, cookies: usualCookies }))
    rounds.bare.push(await load(bare, { path: '/', cookies: [], seconds: 2 }))
  }
  for (const server of [service, usual, bare]) await server.stop()

  const own = median(rounds.service)
  const naive = median(rounds.usual)
  const middle = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[ROUNDS >> 1] as number
  return [
    showLoad('GET /api/decks, 50 decks, 20 connections', own),
    { what: 'pgbench, prepared, the same two statements', value: `${Math.round(middle(rounds.pgbench))}/s` },
    showLoad('the usual way', naive),
    showLoad('a bare Fastify route with the same payload', median(rounds.bare)),
    { what: 'rounds: service / pgbench', value: rounds.ratios.map((ratio) => ratio.toFixed(2)).join(', ') },
    atLeast('service / pgbench, median of the rounds', middle(rounds.ratios), 0.6),
    atLeast('service / the usual way', own.rate / naive.rate, 4),
    below('p99 / p50', own.p99 / Math.max(own.p50, 1), 8, '×'),
  ]
}

export async function logInMany(server: Server, count = 20): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => logIn(server, `lernende-${index + 1}`, PASSWORD)))
}

async function createScript(databaseUrl: string): Promise<string> {
  return withDatabase(databaseUrl, async (db) => {
    const { rows } = await sql<{ hash: string; id: number }>`
      select encode(id_hash, 'hex') as hash, user_id as id from sessions limit 1`.execute(db)
    const [session, decks] = await recordStatements(db, async (recorded) => {
      await findSession(recorded, Buffer.alloc(32))
      await listDecks(recorded, 1, DAY)
    })
    if (session === undefined || decks === undefined) throw new Error('no statements')
    const userParameter = decks.parameters.map((value) => (value === 1 ? ':user' : `'${value}'`))
    return [
      '\\set user random(1, 20)\n',
      toPgbench(session, [`'\\x${rows[0]?.hash}'::bytea`]),
      toPgbench(decks, userParameter),
    ].join('')
  })
}
