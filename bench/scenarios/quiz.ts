import { load, median } from '../load.js'
import type { Postgres } from '../postgres.js'
import { ROOT, startServer, startService } from '../processes.js'
import { atLeast, type Measure, showLoad } from '../report.js'
import { SMALL } from '../seed.js'
import { logInMany } from './decks.js'

const SIZES = [1_000, 100_000, 1_000_000]
const ROUNDS = 3

/** Quizzes over all decks, as the cards grow. */
export async function measureQuiz(postgres: Postgres): Promise<Measure[]> {
  const measures: Measure[] = []
  const rates: number[] = []
  const servers = []
  for (const cards of SIZES) {
    const databaseUrl = await postgres.database({ ...SMALL, cards, progress: 0 })
    const service = await startService(databaseUrl)
    servers.push({ cards, databaseUrl, service, cookies: await logInMany(service) })
  }
  const loads = servers.map(() => [] as Awaited<ReturnType<typeof load>>[])
  // The sizes take turns, so that all see the same machine; the first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, { service, cookies }] of servers.entries()) {
      const measured = await load(service, { path: '/api/quiz/generate?count=10', cookies, seconds: 4 })
      if (round > 0) loads[index]?.push(measured)
    }
  }
  for (const [index, { cards, service }] of servers.entries()) {
    const middle = median(loads[index] ?? [])
    rates.push(middle.rate)
    measures.push(showLoad(`GET /api/quiz/generate?count=10, ${cards} cards`, middle))
    await service.stop()
  }
  for (const { cards, databaseUrl } of servers) {
    const usual = await startServer(`${ROOT}bench/usual-server.mjs`, [], { DATABASE_URL: databaseUrl }, '/readyz')
    const cookies = await logInMany(usual)
    const measured = await load(usual, { path: '/api/quiz/generate?count=10', cookies, connections: 4, seconds: 10 })
    measures.push(showLoad(`the usual way, ${cards} cards, 4 connections`, measured))
    await usual.stop()
  }
  measures.push(atLeast('1,000,000 cards / 1,000 cards', (rates.at(-1) ?? 0) / (rates[0] ?? 1), 0.5))
  return measures
}
