import { type Kysely, sql } from 'kysely'
import { openDatabase } from '../../../dist/db/client.js'
import { migrateToLatest } from '../../../dist/db/migrate.js'
import type { Database } from '../../../dist/db/types.js'
import { indexContent } from '../../../dist/src/services/search/index-content.js'
import { createGermanWriter } from '../german-text.js'
import { median } from '../median.js'
import { type Postgres, withDatabase } from '../postgres.js'
import { logInMany, makeFolder, type Server, startService } from '../processes.js'
import { createRandom } from '../random.js'
import { below, type Measure } from '../report.js'
import { SMALL, seed } from '../seed.js'

const CARDS = 100_000
const SHEETS = 10_000
const DECKS = 50
const TERMS = 50
const ROUNDS = 3

export async function measureSearchAll(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.createDatabase()
  const server = await withDatabase(databaseUrl, (db) => fillWithGerman(db, CARDS, SHEETS, 1))
  const ours = await measureStore('PostgreSQL', server, 50, { DATABASE_URL: databaseUrl })
  const dataDir = await makeFolder()
  const store = await openDatabase({ databaseUrl: undefined, dataDir, poolMax: 1, onIdleError: () => {} })
  await migrateToLatest(store.db)
  const embedded = await fillWithGerman(store.db, CARDS, SHEETS, 1)
  await store.close()
  return [...ours, ...(await measureStore('embedded', embedded, 150, { DATA_DIR: dataDir }))]
}

/** Seeds cards and sheets of German text and indexes them. Returns the seconds of the indexing. */
export async function fillWithGerman(
  db: Kysely<Database>,
  cards: number,
  sheets: number,
  users: number,
): Promise<number> {
  await seed(db, { ...SMALL, decks: DECKS, users, cards: 0, progress: 0, results: 0, sheets })
  const write = await createGermanWriter(createRandom())
  for (let first = 0; first < cards; first += 1_000) {
    const texts = Array.from({ length: 1_000 }, () => [write(60).trim(), write(220)] as const)
    await sql`
      insert into cards (deck_id, question, answer, sort_order)
      select 1 + (${first}::integer + number) % ${DECKS}::integer, question, answer, number
      from unnest(${texts.map(([question]) => question)}::text[], ${texts.map(([, answer]) => answer)}::text[])
        with ordinality as input (question, answer, number)`.execute(db)
  }
  const started = performance.now()
  await indexContent(db, async () => true)
  const seconds = (performance.now() - started) / 1000
  await sql`vacuum analyze`.execute(db)
  return seconds
}

async function measureStore(
  name: string,
  indexing: number,
  limit: number,
  env: Record<string, string>,
): Promise<Measure[]> {
  const service = await startService(env.DATABASE_URL ?? '', env)
  const [cookie] = (await logInMany(service, 1)) as [string]
  const { words, parts, pairs, errors } = await drawTerms()
  const measures: Measure[] = [
    { what: `${name}: indexing ${CARDS} cards and ${SHEETS} sheets of 4 kB`, service: `${indexing.toFixed(0)} s` },
  ]
  for (const [what, terms] of [
    ['words as they stand in the text', words],
    ['parts of words, of 3 to 8 characters', parts],
    ['two words that follow each other', pairs],
    ['words with a typing error', errors],
    ['hostile queries', HOSTILE],
  ] as const) {
    const { times, corrected } = await ask(service, cookie, terms)
    const sorted = times.toSorted((one, other) => one - other)
    const isHostile = terms === HOSTILE
    process.stdout.write(`${name}: ${what} ${times.map((time) => time.toFixed(1)).join(' ')}\n`)
    measures.push({
      what: `${name}: ${terms.length} × ${what} in ${CARDS} cards and ${SHEETS} sheets, p50 (each the median of ${ROUNDS}); ${corrected} corrected`,
      service: `p50 ${median(times).toFixed(1)} ms, p90 ${(sorted[Math.floor(sorted.length * 0.9)] ?? 0).toFixed(1)} ms, slowest ${sorted.at(-1)?.toFixed(1)} ms`,
      ...(isHostile ? {} : below(limit, median(times), 'ms')),
    })
  }
  await service.stop()
  return measures
}

const HOSTILE = [
  'e',
  'en',
  'die der und',
  'a b c d e f g h i j k l m n o p q r s t u v w x y z',
  'ein den ung ver sch ent ste der die das und ich',
  'x'.repeat(200),
  'abcdefgh '.repeat(22).trim(),
]

async function drawTerms() {
  const random = createRandom()
  const text = (await createGermanWriter(random))(400_000)
  const all = text.match(/\p{L}{3,}/gu) ?? []
  const long = all.filter((word) => word.length >= 5)
  const pick = (from: readonly string[]) => from[Math.floor(from.length * random())] ?? ''
  const pairs = text.match(/\p{L}{3,} \p{L}{3,}/gu) ?? []
  return {
    words: Array.from({ length: TERMS }, () => pick(all)),
    parts: Array.from({ length: TERMS }, () => {
      const word = pick(long)
      const length = 3 + Math.floor(6 * random())
      const start = Math.floor((Math.max(word.length - length, 0) + 1) * random())
      return word.slice(start, start + length)
    }),
    pairs: Array.from({ length: TERMS }, () => pick(pairs)),
    errors: Array.from({ length: TERMS }, () => {
      const word = pick(long)
      const at = 1 + Math.floor((word.length - 2) * random())
      return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
    }),
  }
}

async function ask(
  server: Server,
  cookie: string,
  terms: readonly string[],
): Promise<{ times: number[]; corrected: number }> {
  const times: number[] = []
  let corrected = 0
  for (const q of terms) {
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      const response = await fetch(`${server.url}/api/search?${new URLSearchParams({ q })}`, { headers: { cookie } })
      const text = await response.text()
      rounds.push(performance.now() - started)
      if (response.status !== 200) throw new Error(`${q}: ${text}`)
      if (round === 0 && JSON.parse(text).corrected) corrected++
    }
    times.push(median(rounds))
  }
  return { times, corrected }
}
