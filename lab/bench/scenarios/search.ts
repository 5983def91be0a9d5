import { searchCheatsheets } from '../../../dist/db/queries/content/cheatsheets.js'
import { load } from '../load.js'
import { type Postgres, runPgbench } from '../postgres.js'
import { logInMany, startService, startUsualServer } from '../processes.js'
import { below, type Measure } from '../report.js'
import { RARE_WORD, SMALL } from '../seed.js'
import { createScript } from '../statements.js'

const SECONDS = 3
/** What is searched for, and the milliseconds that half of the searches may take. */
const SEARCHES = [
  [RARE_WORD.toUpperCase(), 10],
  [RARE_WORD.slice(2, 7), 10],
  [RARE_WORD.slice(-3), 10],
  ['xq', 300],
  ['ei', 300],
  ['N_d_l', 300],
] as const

/** Searches in 10,000 sheets of 4 kB. */
export async function measureSearch(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database({ ...SMALL, cards: 0, progress: 0, sheets: 10_000 })
  const [service, usual] = [await startService(databaseUrl), await startUsualServer(databaseUrl)]
  const [cookies, usualCookies] = [await logInMany(service, 1), await logInMany(usual, 1)]
  const measures: Measure[] = []
  for (const [q, limit] of SEARCHES) {
    const path = `/api/cheatsheets/search?${new URLSearchParams({ q })}`
    const ask = { path, connections: 1, seconds: SECONDS }
    const found = await fetch(service.url + path, { headers: { cookie: cookies[0] as string } })
    const { cheatsheets } = (await found.json()) as { cheatsheets: unknown[] }
    const own = await load(service, { ...ask, cookies })
    const script = await createScript(databaseUrl, 'lernende-1', (db) => searchCheatsheets(db, q))
    const rate = await runPgbench(postgres, databaseUrl, script, { connections: 1, seconds: SECONDS })
    measures.push({
      what: `search for ${q} in 10,000 sheets of 4 kB: ${cheatsheets.length} found, one connection; limit: pgbench, the same two statements`,
      service: own,
      limit: `${rate.toFixed(1)}/s, ${(1000 / rate).toFixed(1)} ms`,
      usual: await load(usual, { ...ask, cookies: usualCookies }),
      ...below(limit, own.p50, 'ms'),
    })
  }
  return measures
}
