import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../../dist/db/client.js'
import { migrateToLatest } from '../../../dist/db/migrate.js'
import { median } from '../median.js'
import { type Postgres, withDatabase } from '../postgres.js'
import { logInMany, makeFolder, type Server, startService } from '../processes.js'
import { below, type Measure } from '../report.js'
import { fillWithGerman } from './search-all.js'

const CARDS = 20_000
const SHEETS = 2_000
const SEARCHERS = 12
const ROUNDS = 3
/** Number of requests for the deck list per measurement */
const LISTS = 100
const PAUSE_MS = 20

const QUERIES = {
  '100 × „ä“': 'ä '.repeat(100).trim(),
  'a word of 100 × „ä“': 'ä'.repeat(100),
  'eight words of 24 letters': Array.from({ length: 8 }, (_, index) =>
    'abcdefghijklmnopqrstuvwx'.slice(index).concat('netzwerk'.slice(0, index)),
  ).join(' '),
  'one typing error': 'Netzwrekkabel',
  'an ordinary word': 'Netzwerk',
}

/**
 * Measures the deck list of a learner while twelve others search without a pause, on PostgreSQL and the embedded
 * database.
 */
export async function measureSearchers(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.createDatabase()
  await withDatabase(databaseUrl, (db) => fillWithGerman(db, CARDS, SHEETS, SEARCHERS + 1))
  const server = await measureStore('PostgreSQL', { DATABASE_URL: databaseUrl })
  const dataDir = await makeFolder()
  const store = await openDatabase({ databaseUrl: undefined, dataDir, poolMax: 1, onIdleError: () => {} })
  await migrateToLatest(store.db)
  await fillWithGerman(store.db, CARDS, SHEETS, SEARCHERS + 1)
  await store.close()
  return [...server, ...(await measureStore('embedded', { DATA_DIR: dataDir }))]
}

async function measureStore(name: string, env: Record<string, string>): Promise<Measure[]> {
  const service = await startService(env.DATABASE_URL ?? '', env)
  const [learner = '', ...searchers] = await logInMany(service, SEARCHERS + 1)
  await listDecks(service, learner)
  const measures: Measure[] = []
  for (const [what, query] of Object.entries(QUERIES)) {
    const rounds: { idle: number; beside: number; searches: number; refused: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const idle = await listDecks(service, learner)
      let isOver = false
      let searches = 0
      let refused = 0
      const search = async (cookie: string) => {
        while (!isOver) {
          const response = await fetch(`${service.url}/api/search?${new URLSearchParams({ q: query })}`, {
            headers: { cookie },
          })
          await response.arrayBuffer()
          if (response.status === 200) searches++
          else refused++
        }
      }
      const running = searchers.map(search)
      await sleep(300)
      const beside = await listDecks(service, learner)
      isOver = true
      await Promise.all(running)
      rounds.push({ idle, beside, searches, refused })
    }
    const idle = median(rounds.map((one) => one.idle))
    const beside = median(rounds.map((one) => one.beside))
    const searches = rounds.reduce((sum, one) => sum + one.searches, 0)
    const refused = rounds.reduce((sum, one) => sum + one.refused, 0)
    const ratio = median(rounds.map((one) => one.beside / one.idle))
    process.stdout.write(
      `${name}: ${what}: idle ${idle.toFixed(1)} ms, beside ${beside.toFixed(1)} ms, ${ratio.toFixed(2)} ×, ${searches} searches, ${refused} refused\n`,
    )
    measures.push({
      what: `${name}: p95 of GET /api/decks beside ${SEARCHERS} searchers for ${what}, idle ${idle.toFixed(1)} ms`,
      service: `${beside.toFixed(1)} ms, ${searches} searches, ${refused} refused`,
      ...below(3, ratio, '×'),
    })
  }
  await service.stop()
  return measures
}

/** Requests the deck list repeatedly and returns the 95th percentile of the response times in milliseconds. */
async function listDecks({ url }: Server, cookie: string): Promise<number> {
  const times: number[] = []
  for (let number = 0; number < LISTS; number++) {
    const started = performance.now()
    const response = await fetch(`${url}/api/decks`, { headers: { cookie } })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${response.status}`)
    times.push(performance.now() - started)
    await sleep(PAUSE_MS)
  }
  return times.sort((one, other) => one - other)[Math.floor(LISTS * 0.95)] ?? 0
}
