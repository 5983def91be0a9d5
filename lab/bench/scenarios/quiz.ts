import { drawCards } from '../../../dist/db/queries/quiz/draw.js'
import { alternate, load, medianLoad } from '../load.js'
import { median } from '../median.js'
import { type Postgres, runPgbench } from '../postgres.js'
import { logInMany, startService, startUsualServer } from '../processes.js'
import { atLeast, type Measure } from '../report.js'
import { SMALL, sizeOf } from '../seed.js'
import { createScript } from '../statements.js'

const ROUNDS = 3
const SECONDS = 3
const SIZES = [
  ['1,000 cards', sizeOf(1_000)],
  ['100,000 cards', sizeOf(100_000)],
  ['1,000,000 cards', sizeOf(1_000_000)],
  ['100,000 cards with 250 answers, one of them on 99.7 %', { ...SMALL, cards: 100_000, answers: 'skewed' }],
] as const

export async function measureQuiz(postgres: Postgres): Promise<Measure[]> {
  const path = '/api/quiz/generate?count=10'
  const sides = []
  for (const [name, size] of SIZES) {
    const databaseUrl = await postgres.database(size)
    const service = await startService(databaseUrl)
    const usual = await startUsualServer(databaseUrl)
    const [cookies, usualCookies] = [await logInMany(service), await logInMany(usual, 4)]
    const script = await createScript(databaseUrl, 'lernende-%', (db) => drawCards(db, undefined, 10))
    sides.push({ name, databaseUrl, service, usual, cookies, usualCookies, script })
  }
  const rounds = await alternate(
    ROUNDS,
    ...sides.map(({ databaseUrl, service, cookies, script }) => async () => ({
      own: await load(service, { path, cookies, seconds: SECONDS }),
      limit: await runPgbench(postgres, databaseUrl, script, { seconds: SECONDS }),
    })),
  )
  const loads = rounds.map((results) => results.map(({ own }) => own))
  const measures: Measure[] = []
  for (const [index, { name, usual, usualCookies }] of sides.entries()) {
    // Only four connections, because each request to the conventional implementation sorts all cards.
    const naive = await load(usual, { path, cookies: usualCookies, connections: 4, seconds: 8 })
    measures.push({
      what: `GET ${path}, ${name}, 20 connections (usual way: 4); limit: pgbench, the same two statements`,
      service: medianLoad(loads[index] ?? []),
      limit: `${Math.round(median((rounds[index] ?? []).map(({ limit }) => limit)))}/s`,
      usual: naive,
    })
  }
  const ratios = (loads[2] ?? []).map(({ rate }, round) => rate / (loads[0]?.[round]?.rate as number))
  measures.push({ what: 'the same: rate with 1,000,000 cards / with 1,000', ...atLeast(0.5, median(ratios), '1,000') })
  return measures
}
