import { openSession } from '../../../dist/test/support/process.js'
import { alternate, load, medianLoad } from '../load.js'
import { median } from '../median.js'
import { PASSWORD } from '../password.js'
import type { Postgres } from '../postgres.js'
import { startService } from '../processes.js'
import type { Measure } from '../report.js'
import { LEARNER, sizeOf } from '../seed.js'

const ROUNDS = 3
const SECONDS = 1
const SIZES = [1_000, 100_000, 1_000_000]
const PATHS = [
  '/api/decks',
  '/api/decks/deck-7',
  '/api/quiz/generate?count=10',
  '/api/quiz/generate?deck=deck-7&count=10',
  '/api/quiz/history',
  '/api/review/queue',
  '/api/review/history',
]

export async function measureGrowth(postgres: Postgres): Promise<Measure[]> {
  const sides: { service: Awaited<ReturnType<typeof startService>>; cookies: string[] }[] = []
  for (const cards of SIZES) {
    const service = await startService(await postgres.database(sizeOf(cards)))
    const usernames = [LEARNER, ...Array.from({ length: 19 }, (_, index) => `lernende-${100 + index}`)]
    const cookies = await Promise.all(
      usernames.map((username) => openSession(service.url, { username, password: PASSWORD })),
    )
    sides.push({ service, cookies })
  }
  const measures: Measure[] = []
  for (const path of PATHS) {
    const loads = await alternate(
      ROUNDS,
      ...sides.map(
        ({ service, cookies }) =>
          () =>
            load(service, { path, cookies, seconds: SECONDS }),
      ),
    )
    const rates = loads.map((found) => Math.round(medianLoad(found).rate))
    const ratios = (loads.at(-1) ?? []).map(({ rate }, round) => rate / (loads[0]?.[round]?.rate as number))
    measures.push({
      what: `GET ${path} with 1,000, 100,000 and 1,000,000 cards, 20 connections, one of them of a user with up to 10,000 progress rows`,
      service: rates.map((rate) => `${rate}/s`).join(', '),
      reached: `${median(ratios).toFixed(2)} × 1,000`,
    })
  }
  return measures
}
