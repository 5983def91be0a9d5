import path from 'node:path'
import { load } from '../load.js'
import type { Postgres } from '../postgres.js'
import { readMemory, run, type Server, startService } from '../processes.js'
import { atLeast, below, type Measure } from '../report.js'
import { SMALL } from '../seed.js'
import { logInMany } from './decks.js'

const CARDS = 1_000_000

/** The whole export beside psql, and what it costs the others. */
export async function measureExport(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database({ ...SMALL, cards: CARDS, progress: 0 })
  const copies: number[] = []
  const exports: number[] = []
  const service = await startService(databaseUrl)
  const cookies = await logInMany(service)
  const others = { path: '/api/decks', cookies, connections: 4 }
  // Warm, so that the memory counted below is that of the export.
  await load(service, { ...others, seconds: 3 })
  const idle = await load(service, { ...others, connections: 1, seconds: 5 })
  const idleMemory = await readMemory(service.process.pid as number)
  let peak = 0
  const watch = setInterval(async () => {
    peak = Math.max(peak, await readMemory(service.process.pid as number))
  }, 50)
  for (let round = 0; round < 3; round++) {
    copies.push(await copyWithPsql(postgres, databaseUrl))
    exports.push(await download(service, cookies[0] as string))
  }
  clearInterval(watch)
  const [busy] = await Promise.all([
    load(service, { ...others, connections: 1, seconds: 5 }),
    download(service, cookies[0] as string),
  ])
  await service.stop()
  const [copy, whole] = [median(copies), median(exports)]
  return [
    { what: `export of ${CARDS} cards`, value: `${whole.toFixed(1)} s, ${Math.round(CARDS / whole)} cards/s` },
    { what: 'psql \\copy of the four raw columns', value: `${copy.toFixed(1)} s, ${Math.round(CARDS / copy)} cards/s` },
    atLeast('export / psql', copy / whole, 0.5),
    below('memory above idle', peak - idleMemory, 64, 'MB'),
    { what: 'p99 of GET /api/decks, one connection: idle, during the export', value: `${idle.p99} ms, ${busy.p99} ms` },
    below('p99 during / idle', busy.p99 / Math.max(idle.p99, 1), 3, '×'),
  ]
}

/** Seconds. */
async function download(service: Server, cookie: string): Promise<number> {
  const started = performance.now()
  const answer = await fetch(`${service.url}/api/decks/export-anki`, { headers: { cookie } })
  let bytes = 0
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) bytes += chunk.length
  if (bytes < CARDS * 100) throw new Error('the export is too short')
  return (performance.now() - started) / 1000
}

/** Seconds. */
async function copyWithPsql(postgres: Postgres, databaseUrl: string): Promise<number> {
  const started = performance.now()
  const query = 'select question, answer, name, level from cards join decks on decks.id = deck_id'
  await run(path.join(postgres.programs, 'psql'), ['-Xqc', `\\copy (${query}) to '/dev/null'`, databaseUrl])
  return (performance.now() - started) / 1000
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number
}
