import { load, median } from '../load.js'
import type { Postgres } from '../postgres.js'
import { startService } from '../processes.js'
import { atLeast, type Measure, showLoad } from '../report.js'
import { SMALL } from '../seed.js'
import { logInMany } from './decks.js'

/** The history of a user with many results beside one with few. */
export async function measureHistory(postgres: Postgres): Promise<Measure[]> {
  const loads = new Map<number, Awaited<ReturnType<typeof load>>[]>([
    [20, []],
    [100_000, []],
  ])
  const servers = []
  for (const results of loads.keys()) {
    const service = await startService(await postgres.database({ ...SMALL, results }))
    servers.push({ results, service, cookies: await logInMany(service, 1) })
  }
  for (let round = 0; round <= 3; round++) {
    for (const { results, service, cookies } of servers) {
      const measured = await load(service, { path: '/api/quiz/history', cookies, seconds: 4 })
      if (round > 0) loads.get(results)?.push(measured)
    }
  }
  for (const { service } of servers) await service.stop()
  const [few, many] = [...loads.values()].map(median)
  if (few === undefined || many === undefined) throw new Error('nothing measured')
  return [
    showLoad('GET /api/quiz/history, 20 results', few),
    showLoad('GET /api/quiz/history, 100,000 results', many),
    atLeast('100,000 / 20 results', many.rate / few.rate, 0.9),
  ]
}
