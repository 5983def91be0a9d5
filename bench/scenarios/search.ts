import { load } from '../load.js'
import type { Postgres } from '../postgres.js'
import { startService } from '../processes.js'
import { below, type Measure, showLoad } from '../report.js'
import { RARE_WORD, SMALL } from '../seed.js'
import { logInMany } from './decks.js'

/** Searches in 10,000 sheets of 4 kB. */
export async function measureSearch(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database({ ...SMALL, cards: 0, progress: 0, sheets: 10_000 })
  const service = await startService(databaseUrl)
  const cookies = await logInMany(service, 1)
  const measures: Measure[] = []
  for (const [q, limit] of [
    [RARE_WORD.toUpperCase(), 10],
    [RARE_WORD.slice(2, 7), 10],
    [RARE_WORD.slice(-3), 10],
    ['xq', 300],
    ['ei', 300],
    ['N_d_l', 300],
  ] as const) {
    const path = `/api/cheatsheets/search?${new URLSearchParams({ q })}`
    const found = await fetch(service.url + path, { headers: { cookie: cookies[0] as string } })
    const { cheatsheets } = (await found.json()) as { cheatsheets: unknown[] }
    const measured = await load(service, { path, cookies, connections: 1, seconds: 4 })
    measures.push(showLoad(`q=${q}, ${cheatsheets.length} found, one connection`, measured))
    measures.push(below(`p50 of q=${q}`, measured.p50, limit, 'ms'))
  }
  await service.stop()
  return measures
}
