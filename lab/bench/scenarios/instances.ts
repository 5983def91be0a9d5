import { alternate, load, medianLoad } from '../load.js'
import { median } from '../median.js'
import type { Postgres } from '../postgres.js'
import { logInMany, startService } from '../processes.js'
import type { Measure } from '../report.js'
import { SMALL } from '../seed.js'

const ROUNDS = 3

/** Compares one instance with two on one database. PostgreSQL and the load generator use the same processor cores. */
export async function measureInstances(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(SMALL)
  const [first, second] = await Promise.all([startService(databaseUrl), startService(databaseUrl)])
  const cookies = await logInMany(first)
  const ask = { path: '/api/decks', cookies, seconds: 4 }
  const [alone, together] = await alternate(
    ROUNDS,
    () => load(first, ask),
    () => Promise.all([first, second].map((instance) => load(instance, { ...ask, connections: 10 }))),
  )
  const rates = together.map((loads) => loads.reduce((sum, { rate }) => sum + rate, 0))
  const ratios = rates.map((rate, round) => rate / (alone[round]?.rate as number))
  return [
    { what: 'GET /api/decks, one instance, 20 connections', service: medianLoad(alone) },
    ...[0, 1].map((index) => ({
      what: `the same, instance ${index + 1} of two, 10 connections each; the sessions are of the first`,
      service: medianLoad(together.map((loads) => loads[index] as (typeof loads)[0])),
    })),
    { what: 'both together', service: `${Math.round(median(rates))}/s`, reached: `${median(ratios).toFixed(2)} × one` },
  ]
}
