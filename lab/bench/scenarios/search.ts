import { searchCheatsheets } from '../../../dist/db/queries/content/cheatsheets.js'
import { createGermanWriter } from '../german-text.js'
import { load } from '../load.js'
import { median } from '../median.js'
import { type Postgres, runPgbench } from '../postgres.js'
import { logInMany, type Server, startService, startUsualServer } from '../processes.js'
import { createRandom } from '../random.js'
import { atLeast, below, type Measure } from '../report.js'
import { RARE_WORD, SMALL } from '../seed.js'
import { createScript } from '../statements.js'

const SECONDS = 3
/** Queries, each with the target for its median response time in milliseconds */
const SEARCHES = [
  [RARE_WORD.toUpperCase(), 10],
  ['xq', 300],
  ['ei', 300],
  ['N_d_l', 300],
] as const

const TERMS = 50
const ROUNDS = 5

export async function measureSearch(postgres: Postgres): Promise<Measure[]> {
  const measures: Measure[] = []
  for (const sheets of [1_000, 10_000]) {
    const databaseUrl = await postgres.database({ ...SMALL, cards: 0, progress: 0, sheets })
    const [service, usual] = [await startService(databaseUrl), await startUsualServer(databaseUrl)]
    const [cookies, usualCookies] = [await logInMany(service, 1), await logInMany(usual, 1)]
    const ours: Asker = { server: service, cookie: cookies[0] as string }
    const theirs: Asker = { server: usual, cookie: usualCookies[0] as string }
    const { long, short } = await drawTerms()
    measures.push(
      ...compare(
        `words and parts of words of three characters and more in ${sheets} sheets`,
        await ask(ours, theirs, long),
        5,
      ),
      ...compare(`two characters in ${sheets} sheets`, await ask(ours, theirs, short), 1.5),
    )
    if (sheets < 10_000) continue
    for (const [q, limit] of SEARCHES) {
      const path = pathOf(q)
      const options = { path, connections: 1, seconds: SECONDS }
      const found = await fetch(service.url + path, { headers: { cookie: ours.cookie } })
      const { cheatsheets } = (await found.json()) as { cheatsheets: unknown[] }
      const own = await load(service, { ...options, cookies })
      const script = await createScript(databaseUrl, 'lernende-1', (db) => searchCheatsheets(db, q))
      const rate = await runPgbench(postgres, databaseUrl, script, { connections: 1, seconds: SECONDS })
      measures.push({
        what: `search for ${q} in 10,000 sheets of 4 kB: ${cheatsheets.length} found, one connection; limit: pgbench, the same two statements`,
        service: own,
        limit: `${rate.toFixed(1)}/s, ${(1000 / rate).toFixed(1)} ms`,
        usual: await load(usual, { ...options, cookies: usualCookies }),
        ...below(limit, own.p50, 'ms'),
      })
    }
  }
  return measures
}

const pathOf = (q: string) => `/api/cheatsheets/search?${new URLSearchParams({ q })}`

/** Draws search terms from German text. Half of the long terms are whole words, half are parts of words. */
async function drawTerms(): Promise<{ long: string[]; short: string[] }> {
  const random = createRandom()
  const words = (await createGermanWriter(random))(400_000).match(/\p{L}{3,}/gu) ?? []
  const word = () => words[Math.floor(words.length * random())] ?? ''
  const part = (length: number) => {
    const from = word()
    const start = Math.floor((Math.max(from.length - length, 0) + 1) * random())
    return from.slice(start, start + length)
  }
  return {
    long: Array.from({ length: TERMS }, (_, index) => (index % 2 === 0 ? word() : part(3 + Math.floor(6 * random())))),
    short: Array.from({ length: TERMS / 5 }, () => part(2)),
  }
}

interface Asker {
  server: Server
  cookie: string
}

interface Answered {
  q: string
  found: number
  /** Median time of the service in milliseconds; `usual` is that of the conventional implementation. */
  own: number
  usual: number
}

/**
 * Sends each term to both servers alternately and returns the medians.
 * @throws Error if the servers find different numbers of sheets
 */
async function ask(ours: Asker, theirs: Asker, terms: readonly string[]): Promise<Answered[]> {
  const answered: Answered[] = []
  for (const q of terms) {
    const [own, usual]: [number[], number[]] = [[], []]
    let found = 0
    for (let round = 0; round < ROUNDS; round++) {
      const ofOurs = await time(ours, q)
      const ofTheirs = await time(theirs, q)
      own.push(ofOurs.milliseconds)
      usual.push(ofTheirs.milliseconds)
      found = ofOurs.found
      if (found !== ofTheirs.found) throw new Error(`${q}: ${found} instead of ${ofTheirs.found} sheets`)
    }
    answered.push({ q, found, own: median(own), usual: median(usual) })
  }
  return answered
}

async function time({ server, cookie }: Asker, q: string): Promise<{ milliseconds: number; found: number }> {
  const started = performance.now()
  const response = await fetch(server.url + pathOf(q), { headers: { cookie } })
  const text = await response.text()
  const milliseconds = performance.now() - started
  return { milliseconds, found: JSON.parse(text).cheatsheets.length }
}

function compare(what: string, answered: Answered[], target: number): Measure[] {
  const ratioOf = ({ own, usual }: Answered) => usual / own
  const slowest = answered.toSorted((one, other) => ratioOf(one) - ratioOf(other))[0] as Answered
  return [
    {
      what: `${what}: ${answered.length} terms drawn from the text, the median of ${ROUNDS} times of each`,
      service: `${median(answered.map(({ own }) => own)).toFixed(1)} ms`,
      usual: `${median(answered.map(({ usual }) => usual)).toFixed(1)} ms`,
      ...atLeast(target, median(answered.map(ratioOf)), 'usual way'),
    },
    {
      what: `the same, the term with the smallest ratio: ${slowest.q}, ${slowest.found} found`,
      service: `${slowest.own.toFixed(1)} ms`,
      usual: `${slowest.usual.toFixed(1)} ms`,
      ...atLeast(1, ratioOf(slowest), 'usual way'),
    },
  ]
}
