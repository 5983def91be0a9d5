import { createScimToken } from '../../../dist/src/services/accounts/tokens.js'
import { openSession } from '../../../dist/test/support/process.js'
import { median } from '../median.js'
import { PASSWORD } from '../password.js'
import { type Postgres, withDatabase } from '../postgres.js'
import { type Server, startService } from '../processes.js'
import { below, type Measure, within } from '../report.js'
import { SMALL } from '../seed.js'

/** Number of users; BENCH_PEOPLE sets a smaller number for a trial run. A half and a quarter are measured too. */
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 10_000)
/** Number of requests that a provider sends at once */
const CONNECTIONS = 4
/** Pause between the requests for the deck list, in milliseconds */
const PAUSE_MS = 10
/** Number of pairs of measurements beside each other */
const ROUNDS = 3

const actor = { actor_id: null, actor: 'bench', via: 'cli', address: null } as const

interface Provider {
  server: Server
  token: string
}

/**
 * Measures the creation of users by SCIM and a second synchronisation, which changes nothing, for a quarter, a half and
 * all of the users, each in its own database; and the deck list of another user beside it, in turn with the same beside
 * `GET /api/auth/me`.
 */
export async function measureScim(postgres: Postgres): Promise<Measure[]> {
  const counts = [PEOPLE / 4, PEOPLE / 2, PEOPLE]
  let provider = await connect(postgres, 201)
  const runs: Awaited<ReturnType<typeof provision>>[] = []
  for (const [index, count] of counts.entries()) {
    if (index > 0) provider = await connect(postgres, 201 + index)
    runs.push(await provision(provider, count))
  }
  const ratios: number[] = []
  const beside: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const baseline = await measureDecks(provider, (isOver) => loadBaseline(provider, isOver))
    const p95 = await measureDecks(provider, (isOver) => loadScim(provider, `beside-${round}`, isOver))
    ratios.push(p95 / baseline)
    beside.push(p95)
  }
  return [
    {
      what: `POST of ${counts.join(', ')} users, ${CONNECTIONS} connections`,
      ...growthOf(runs.map(({ created }) => created)),
    },
    {
      what: 'second synchronisation: filter and PUT of each user, nothing changed',
      ...growthOf(runs.map(({ again }) => again)),
    },
    {
      what: `p95 of GET /api/decks beside ${CONNECTIONS} connections on POST /scim/v2/Users, against GET /api/auth/me`,
      service: `${median(beside).toFixed(1)} ms`,
      ...within(3, median(ratios), '×'),
    },
  ]
}

/** Compares the times for a quarter, a half and all of the users. Twice the users must not take three times as long. */
function growthOf(seconds: number[]): Pick<Measure, 'service' | 'target' | 'reached' | 'met'> {
  const ratios = seconds.slice(1).map((time, index) => time / (seconds[index] as number))
  return {
    service: seconds.map((time) => `${time.toFixed(1)} s`).join(', '),
    ...below(3, Math.max(...ratios), '× half of them'),
  }
}

/** @param users number of seeded users; each number has a database of its own */
async function connect(postgres: Postgres, users: number): Promise<Provider> {
  const databaseUrl = await postgres.database({ ...SMALL, users })
  const token = await withDatabase(databaseUrl, async (db) => {
    await db.insertInto('users').values({ username: 'bench-admin', display_name: 'x', is_admin: true }).execute()
    return createScimToken(db, actor, 'bench', '2026-01-01')
  })
  return { server: await startService(databaseUrl), token: token as string }
}

const userOf = (name: string) => ({
  userName: `${name}@example.org`,
  externalId: name,
  displayName: `Person ${name}`,
  active: true,
  emails: [{ value: `${name}@example.org`, type: 'work', primary: true }],
})

async function send({ server, token }: Provider, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/scim+json' }) }
  const payload = body && { body: JSON.stringify(body) }
  const response = await fetch(`${server.url}/scim/v2${path}`, { method, headers, ...payload })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

/** Runs `work` for each number on all connections. Returns the time in seconds. */
async function timed(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0
  const start = performance.now()
  const run = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
  return (performance.now() - start) / 1000
}

async function provision(provider: Provider, count: number) {
  const created = await timed(count, (n) => send(provider, 'POST', '/Users', userOf(`person-${n}`)))
  const again = await timed(count, async (n) => {
    const user = userOf(`person-${n}`)
    const filter = encodeURIComponent(`userName eq "${user.userName}"`)
    const { Resources } = await send(provider, 'GET', `/Users?filter=${filter}`)
    await send(provider, 'PUT', `/Users/${Resources[0].id}`, user)
  })
  return { created, again }
}

/** Returns the 95th percentile of the deck list, in milliseconds, while `load` runs. */
async function measureDecks({ server }: Provider, load: (isOver: () => boolean) => Promise<unknown>): Promise<number> {
  const cookie = await openSession(server.url, { username: 'lernende-1', password: PASSWORD })
  let isOver = false
  const loading = load(() => isOver)
  const times: number[] = []
  for (let number = 0; number < 300; number++) {
    const start = performance.now()
    const response = await fetch(`${server.url}/api/decks`, { headers: { cookie } })
    await response.text()
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  isOver = true
  await loading
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

async function loadBaseline({ server }: Provider, isOver: () => boolean): Promise<void> {
  const cookie = await openSession(server.url, { username: 'lernende-2', password: PASSWORD })
  const run = async () => {
    while (!isOver()) await (await fetch(`${server.url}/api/auth/me`, { headers: { cookie } })).text()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
}

async function loadScim(provider: Provider, prefix: string, isOver: () => boolean): Promise<void> {
  let next = 0
  const run = async () => {
    while (!isOver()) await send(provider, 'POST', '/Users', userOf(`${prefix}-${next++}`))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
}
