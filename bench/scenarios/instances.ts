import { load } from '../load.js'
import type { Postgres } from '../postgres.js'
import { startService } from '../processes.js'
import { type Measure, showLoad } from '../report.js'
import { SMALL } from '../seed.js'
import { logInMany } from './decks.js'

/** One instance beside two on the same database; they share the cores with PostgreSQL and the load generator. */
export async function measureInstances(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(SMALL)
  const instances = await Promise.all([startService(databaseUrl), startService(databaseUrl)])
  const cookies = await logInMany(instances[0] as (typeof instances)[0])
  const ask = { path: '/api/decks', cookies, seconds: 5 }
  for (const instance of instances) await load(instance, ask)
  const one = await load(instances[0] as (typeof instances)[0], ask)
  const both = await Promise.all(instances.map((instance) => load(instance, { ...ask, connections: 10 })))
  for (const instance of instances) await instance.stop()
  const rate = both.reduce((sum, measured) => sum + measured.rate, 0)
  return [
    showLoad('one instance, 20 connections', one),
    ...both.map((measured, index) => showLoad(`instance ${index + 1} of two, 10 connections`, measured)),
    { what: 'both together', value: `${Math.round(rate)}/s, ${(rate / one.rate).toFixed(2)} × one` },
  ]
}
