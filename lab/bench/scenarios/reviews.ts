import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Kysely } from 'kysely'
import { listCards } from '../../../dist/db/queries/review/cards.js'
import { listStudiedDecks } from '../../../dist/db/queries/review/decks.js'
import { listLog } from '../../../dist/db/queries/review/log.js'
import { findQueue } from '../../../dist/db/queries/review/queue.js'
import { findStatistics } from '../../../dist/db/queries/review/statistics.js'
import type { Database } from '../../../dist/db/types.js'
import { addDays } from '../../../dist/src/domain/time/calendar.js'
import { openSession } from '../../../dist/test/support/process.js'
import { median } from '../median.js'
import { PASSWORD } from '../password.js'
import { type Postgres, runPgbench } from '../postgres.js'
import { type Server, startService } from '../processes.js'
import type { Measure } from '../report.js'
import { LEARNER, sizeOf } from '../seed.js'
import { CALLER, createScript } from '../statements.js'

const CARDS = 1_000_000
const ROUNDS = 60
/** Number of warm-up rounds; PostgreSQL plans each of the first five executions of a prepared statement. */
const WARM_UP = 10

type Work = (db: Kysely<Database>) => Promise<unknown>

/**
 * Measures the review endpoints for a learner with 10,000 progress rows and 100,000 log entries, one request after
 * another.
 */
export async function measureReviews(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(sizeOf(CARDS))
  const service = await startService(databaseUrl, { DATABASE_POOL_MAX: '1' })
  const send = createSender(service, await openSession(service.url, { username: LEARNER, password: PASSWORD }))
  const today = new Date().toISOString().slice(0, 10)
  const scope = { userId: CALLER, languages: ['de'], today, deckSlug: undefined }
  const reads: [string, Work?][] = [
    ['queue', (db) => findQueue(db, scope, 20, 300)],
    ['queue?limit=300', (db) => findQueue(db, scope, 300, 300)],
    ['queue?deck=deck-50'],
    ['decks', (db) => listStudiedDecks(db, scope)],
    ['stats?days=365', (db) => findStatistics(db, scope, today, addDays(today, -364))],
    ['history', (db) => listLog(db, CALLER, {}, undefined, 51)],
    ['history?before=50000'],
    ['cards', (db) => listCards(db, scope, {}, undefined, 51)],
    [`cards?after=${CARDS / 2}`],
    ['cards?state=new'],
    ['cards?state=due'],
    ['cards?state=learned'],
    ['cards?state=suspended'],
  ]
  const measures: Measure[] = []
  for (const [path, work] of reads) {
    const times = await measure(() => send('GET', path))
    const limit = work && (await runPgbench(postgres, databaseUrl, await createScript(databaseUrl, LEARNER, work), ONE))
    measures.push({
      what: `GET /api/review/${path}`,
      service: show(times),
      ...(limit !== undefined && { limit: `${(1000 / limit).toFixed(1)} ms` }),
    })
  }
  const reviews: number[] = []
  let card = 1
  const review = await measure(async () => {
    card += 50
    const answer = await send('POST', '', { card_id: card, rating: 'medium' })
    reviews.push((JSON.parse(answer) as { review_id: number }).review_id)
  })
  const undo = await measure(() => send('DELETE', String(reviews.pop())))
  measures.push({ what: 'POST /api/review', service: show(review) })
  measures.push({ what: 'DELETE /api/review/{id}', service: show(undo) })
  const [first, ...others] = measures as [Measure, ...Measure[]]
  const circumstances = `${CARDS} cards, 10,000 progress rows, 100,000 log entries, one connection; limit: pgbench, the same two statements`
  return [{ ...first, what: `${first.what}: ${circumstances}` }, ...others]
}

const ONE = { connections: 1, seconds: 3 }

/** Returns the milliseconds of each measured round, ascending. */
async function measure(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const started = performance.now()
    await work()
    if (round >= WARM_UP) times.push(performance.now() - started)
  }
  return times.toSorted((a, b) => a - b)
}

function show(times: number[]): string {
  return `p50 ${median(times).toFixed(1)} ms, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(1)} ms`
}

function createSender(server: Server, cookie: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return async (method: string, path: string, body?: object): Promise<string> => {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const headers = { cookie, ...(payload !== undefined && { 'content-type': 'application/json' }) }
    return new Promise((resolve, reject) => {
      const sent = request(`${server.url}/api/review/${path}`, { method, agent, headers }, async (response) => {
        const received = await text(response)
        if (response.statusCode === 200) resolve(received)
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${received}`))
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  }
}
