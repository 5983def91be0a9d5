import { listQuizResults } from '../../../dist/db/queries/quiz/results.js'
import { alternate, load, medianLoad } from '../load.js'
import { median } from '../median.js'
import { type Postgres, runPgbench } from '../postgres.js'
import { logInMany, startService, startUsualServer } from '../processes.js'
import { atLeast, type Measure } from '../report.js'
import { SMALL } from '../seed.js'
import { CALLER, createScript } from '../statements.js'

const ROUNDS = 3
const SECONDS = 3

export async function measureHistory(postgres: Postgres): Promise<Measure[]> {
  const sides = []
  for (const results of [20, 100_000]) {
    const databaseUrl = await postgres.database({ ...SMALL, results })
    const [service, usual] = [await startService(databaseUrl), await startUsualServer(databaseUrl)]
    const ask = { path: '/api/quiz/history', seconds: SECONDS }
    const [cookies, usualCookies] = [await logInMany(service, 1), await logInMany(usual, 1)]
    const script = await createScript(databaseUrl, 'lernende-1', (db) => listQuizResults(db, CALLER))
    sides.push({
      own: () => load(service, { ...ask, cookies }),
      limit: () => runPgbench(postgres, databaseUrl, script, { seconds: SECONDS }),
      usual: () => load(usual, { ...ask, cookies: usualCookies }),
    })
  }
  const [few, many] = sides as [(typeof sides)[0], (typeof sides)[0]]
  const [ownFew, ownMany, limitFew, limitMany, usualFew, usualMany] = await alternate(
    ROUNDS,
    few.own,
    many.own,
    few.limit,
    many.limit,
    few.usual,
    many.usual,
  )
  const ratios = ownMany.map(({ rate }, round) => rate / (ownFew[round]?.rate as number))
  const show = (limits: number[]) => `${Math.round(median(limits))}/s`
  return [
    {
      what: 'GET /api/quiz/history, 20 results, 20 connections; limit: pgbench, the same two statements',
      service: medianLoad(ownFew),
      limit: show(limitFew),
      usual: medianLoad(usualFew),
    },
    {
      what: 'the same, 100,000 results',
      service: medianLoad(ownMany),
      limit: show(limitMany),
      usual: medianLoad(usualMany),
    },
    { what: 'the same: rate with 100,000 results / with 20 ("the same rate")', ...atLeast(0.9, median(ratios), '20') },
  ]
}
