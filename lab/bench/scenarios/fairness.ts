import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { type Kysely, sql } from 'kysely'
import { type OpenDatabase, openDatabase } from '../../../dist/db/client.js'
import { migrateToLatest } from '../../../dist/db/migrate.js'
import type { Database } from '../../../dist/db/types.js'
import { openSession } from '../../../dist/test/support/process.js'
import { median } from '../median.js'
import { PASSWORD } from '../password.js'
import type { Postgres } from '../postgres.js'
import { logInMany, readCpu, type Server, startService } from '../processes.js'
import { type Measure, within } from '../report.js'
import { LEARNER } from '../seed.js'
import { type Company, seedCompany } from '../seed-company.js'

const CONNECTIONS = 4
/** Seconds of one measurement of the deck list */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2)
/** Milliseconds from the start of the load to the first measured request */
const WARM_UP_MS = 700
const PAUSE_MS = 10
const TARGET = 3
/** Ratio from which a route is measured twice more; its median counts. */
const REPEAT_FROM = 2
const BASELINE = '/api/auth/me'
/** Pause, in milliseconds, after which the service is quiet if it used less than a tenth of a core */
const QUIET_MS = 200
const MAX_WAIT_MS = 10_000
/** Maximum time of a request; a route that exceeds it is reported and not measured. */
const DEADLINE_MS = 20_000

interface Known extends Company {
  /** Id of an attempt that is open */
  open: number
  /** Id of an attempt that has ended */
  ended: number
  calendar: string
}

/**
 * Queries with the most expensive parameters, by path; each is measured by itself. Paths without an entry are measured
 * with the maximum `limit`, if they have that parameter.
 */
const QUERIES: Record<string, string[]> = {
  '/api/quiz/generate': ['count=50', 'count=50&deck=gross'],
  '/api/cheatsheets/search': ['q=ei', 'q=e%25n'],
  '/api/review/queue': ['limit=300'],
  '/api/review/cards': ['limit=1000', 'limit=1000&state=learned', 'limit=1000&q=zzz'],
  '/api/review/stats': ['days=365'],
  '/api/search': ['q=ein+den+ung+ver+sch+ent+ste+der+die+das+und+ich&limit=50'],
  '/api/tests/practice': ['count=50', 'count=50&deck=gross'],
  '/api/accounts': ['limit=1000&q=e&sort=last_seen_on'],
  '/api/proofs': ['q=zzz&limit=200', 'q=person&limit=200', 'state=expiring&days=90&limit=200'],
  '/api/proofs/expiring': ['days=90'],
  '/api/proofs/expiring.csv': ['days=90'],
  '/api/proofs/export': ['purpose=Messung'],
  '/api/assignments/{id}/proofs.zip': ['purpose=Messung'],
  '/api/assignments/{id}/list.pdf': ['state=open'],
  '/api/content/tests/{slug}/export': ['format=moodle', 'format=csv'],
  '/api/content/sources/{id}/questions': ['format=moodle', 'format=csv'],
  '/api/content/export': ['format=apkg&progress=true', 'format=csv', 'format=markdown'],
  '/api/content/cards': ['deck=gross&limit=1000', 'deck=gross&limit=1000&q=zzz'],
  '/api/content/cards/similar': ['question=Was+macht+der+Befehl+Nummer+17+mit+einem+Begriff'],
}

/** Returns the value of a path parameter. */
function parameterOf(path: string, known: Known): string | number | undefined {
  if (path.startsWith('/api/decks/')) return known.deck
  if (path.startsWith('/api/cheatsheets/') || path.startsWith('/api/content/sheets/')) return known.sheet
  if (path === '/api/tests/attempts/{id}') return known.open
  if (path === '/api/tests/attempts/{id}/review') return known.ended
  if (path.startsWith('/api/tests/') || path.startsWith('/api/content/tests/')) return known.test
  if (path.startsWith('/api/accounts/')) return known.user
  if (path.startsWith('/api/teams/')) return known.team
  if (path.startsWith('/api/proofs/')) return known.proof
  if (path.startsWith('/api/assignments/')) return known.assignment
  if (path.startsWith('/api/calendar/')) return known.calendar
  if (path.startsWith('/api/content/media/')) return known.picture
  if (path.startsWith('/api/content/sources/')) return known.source
  if (path.includes('/cards/')) return known.card
  return undefined
}

/**
 * Measures the deck list of a learner while another user requests one route on four connections, for each GET operation
 * of the OpenAPI document, in turn with the same beside `GET /api/auth/me`. `BENCH_ROUTES` restricts the paths by a
 * regular expression, and `BENCH_SECONDS` sets the duration of a measurement.
 */
export async function measureFairness(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.createDatabase()
  const company = await withStore(databaseUrl, ({ withoutLimit }) =>
    withoutLimit(async (db) => {
      await migrateToLatest(db)
      return seedCompany(db)
    }),
  )
  return withStore(databaseUrl, ({ db }) => measureRoutes(databaseUrl, db, company))
}

async function withStore<T>(databaseUrl: string, work: (store: OpenDatabase) => Promise<T>): Promise<T> {
  const store = await openDatabase({ databaseUrl, dataDir: '', poolMax: 1, onIdleError: () => {} })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** @param db connection to the same database */
export async function measureRoutes(databaseUrl: string, db: Kysely<Database>, company: Company): Promise<Measure[]> {
  const service = await startService(databaseUrl)
  const abuser = await openSession(service.url, { username: LEARNER, password: PASSWORD })
  const [learner = ''] = await logInMany(service, 1)
  const known = { ...company, ...(await prepare(service, abuser, company)) }

  const only = new RegExp(process.env.BENCH_ROUTES ?? '')
  const urls = (await listUrls(service, known)).filter((url) => only.test(url))
  const failed: string[] = []
  const ratios = new Map<string, number[]>()
  const beside = new Map<string, number>()
  const measureOne = async (url: string) => {
    const baseline = await measureBeside(service, db, { abuser, learner, url: BASELINE })
    const p95 = await measureBeside(service, db, { abuser, learner, url })
    process.stdout.write(`${(p95 / baseline).toFixed(2)} × ${url}: ${p95.toFixed(1)} ms, ${baseline.toFixed(1)} ms\n`)
    ratios.set(url, [...(ratios.get(url) ?? []), p95 / baseline])
    beside.set(url, p95)
  }
  for (const url of urls) {
    const status = await request(service, abuser, url)
    if (typeof status === 'number' && status < 400) await measureOne(url)
    else failed.push(`${url} (${status})`)
  }
  for (const [url, [first = 0]] of ratios) {
    if (first < REPEAT_FROM) continue
    await measureOne(url)
    await measureOne(url)
  }
  await service.stop()
  const worst = [...ratios].map(([url, all]) => ({ url, ratio: median(all) })).sort((a, b) => b.ratio - a.ratio)
  return [
    ...worst.map(({ url, ratio }) => ({
      what: `p95 of GET /api/decks beside ${CONNECTIONS} connections on GET ${url}, against GET ${BASELINE}`,
      service: `${beside.get(url)?.toFixed(1)} ms`,
      ...within(TARGET, ratio, '×'),
    })),
    { what: 'routes that could not be called', service: failed.join(', ') || 'none' },
  ]
}

/** Creates what only the service can create: attempts at a test and the calendar address. */
async function prepare({ url }: Server, cookie: string, { test }: Company) {
  const post = async (path: string, body?: object) => {
    const headers = { cookie, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(url + path, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return JSON.parse(await response.text())
  }
  const start = async (client_id: string): Promise<number> =>
    (await post(`/api/tests/${test}/attempts`, { client_id })).attempt.id
  const ended = await start('erster-versuch')
  await post(`/api/tests/attempts/${ended}/submit`)
  const open = await start('zweiter-versuch')
  const { url: address } = await post('/api/calendar/token')
  return { open, ended, calendar: /([^/]{43})\.ics/.exec(address)?.[1] ?? '' }
}

/** Returns the URLs of all GET operations with their most expensive parameters. */
async function listUrls({ url }: Server, known: Known): Promise<string[]> {
  const document = JSON.parse(await (await fetch(`${url}/openapi.json`)).text())
  const urls: string[] = []
  for (const [path, { get }] of Object.entries<{ get?: { parameters?: { name: string }[] } }>(document.paths)) {
    if (get === undefined || path.startsWith('/scim/')) continue
    const filled = path.replace(/\{\w+\}/, () => String(parameterOf(path, known) ?? ''))
    const hasLimit = get.parameters?.some(({ name }) => name === 'limit')
    for (const query of QUERIES[path] ?? [hasLimit ? 'limit=1000' : '']) {
      urls.push(query === '' ? filled : `${filled}?${query}`)
    }
  }
  return urls
}

/** Returns the status of the response, or a note if the response is not complete within `DEADLINE_MS`. */
async function request({ url }: Server, cookie: string, path: string): Promise<number | string> {
  const signal = AbortSignal.timeout(DEADLINE_MS)
  try {
    const response = await fetch(url + path, { headers: { cookie }, redirect: 'manual', signal })
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    if (!signal.aborted) throw error
    return `no response within ${DEADLINE_MS / 1_000} s`
  }
}

/** Returns the 95th percentile of the deck list in milliseconds while `abuser` requests `url`. */
async function measureBeside(
  service: Server,
  db: Kysely<Database>,
  { abuser, learner, url }: { abuser: string; learner: string; url: string },
): Promise<number> {
  await waitUntilQuiet(service, db)
  const load = autocannon({
    url: service.url + url,
    connections: CONNECTIONS,
    duration: SECONDS + WARM_UP_MS / 1_000,
    headers: { cookie: abuser },
    // A thread of its own, so that this thread measures no work of the load.
    workers: 1,
  })
  await sleep(WARM_UP_MS)
  const times: number[] = []
  for (const end = performance.now() + SECONDS * 1_000; performance.now() < end; await sleep(PAUSE_MS)) {
    const started = performance.now()
    const status = await request(service, learner, '/api/decks')
    if (status !== 200) throw new Error(`GET /api/decks: ${status}`)
    times.push(performance.now() - started)
  }
  await load
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? 0
}

/** Waits until the service and the database have ended the work of the previous load. */
async function waitUntilQuiet({ process: { pid } }: Server, db: Kysely<Database>): Promise<void> {
  for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end; ) {
    const before = await readCpu(pid as number)
    await sleep(QUIET_MS)
    const used = (await readCpu(pid as number)) - before
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`.execute(db)
    if (used < QUIET_MS / 10_000 && rows[0]?.count === 0) return
  }
}
