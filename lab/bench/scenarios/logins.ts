import { tryLogin } from '../../../dist/test/support/process.js'
import { load } from '../load.js'
import { median } from '../median.js'
import { PASSWORD } from '../password.js'
import type { Postgres } from '../postgres.js'
import { logInMany, type Server, startService, startUsualServer } from '../processes.js'
import { below, type Measure } from '../report.js'
import { SMALL } from '../seed.js'

const ROUNDS = 3
const LOGINS = 50
/** Number of concurrent logins; exceeds the queue of the service, which holds 100. */
const FLOOD = 200

/** Measures the effect of waves of fifty logins on other requests, then sends more logins than the queue can hold. */
export async function measureLogins(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(SMALL)
  const service = await startService(databaseUrl)
  const usual = await startUsualServer(databaseUrl)
  const [own, naive] = [await disturb(service), await disturb(usual)]
  const flood = await Promise.all(Array.from({ length: FLOOD }, (_, index) => logIn(service, index)))
  const refused = flood.filter(({ status }) => status === 503)
  const isPolite = refused.every(({ retryAfter }) => retryAfter !== null)
  return [
    {
      what: `p99 of GET /api/decks, 4 connections: idle, then during waves of ${LOGINS} logins at once`,
      service: `${own.idle} ms, ${own.busy} ms; ${own.logins} logins`,
      usual: `${naive.idle} ms, ${naive.busy} ms; ${naive.logins} logins`,
      ...below(5, own.ratio, '×'),
    },
    {
      what: 'the same, answers 5xx and broken connections',
      service: String(own.broken),
      usual: String(naive.broken),
      target: '0',
      reached: String(own.broken),
      met: own.broken === 0,
    },
    {
      what: `${FLOOD} logins at once: the queue holds 100`,
      service: `${flood.filter(({ status }) => status === 200).length} × 200, ${refused.length} × 503`,
      target: '503 with Retry-After',
      reached: `${refused.length} × 503${isPolite ? ' with Retry-After' : ''}`,
      met: refused.length > 0 && isPolite && flood.every(({ status }) => status === 200 || status === 503),
    },
  ]
}

async function disturb(server: Server) {
  const others = { path: '/api/decks', cookies: await logInMany(server), connections: 4, seconds: 4 }
  await load(server, others)
  const idle: number[] = []
  const busy: number[] = []
  let [logins, broken] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    idle.push((await load(server, others)).p99)
    let isMeasured = true
    const attack = async () => {
      while (isMeasured) {
        const wave = await Promise.all(Array.from({ length: LOGINS }, (_, index) => logIn(server, index)))
        logins += wave.length
        broken += wave.filter(({ status }) => status >= 500).length
      }
    }
    const attacking = attack()
    const disturbed = await load(server, others)
    isMeasured = false
    await attacking
    busy.push(disturbed.p99)
    broken += disturbed.failures
  }
  const ratio = median(busy.map((p99, round) => p99 / Math.max(idle[round] as number, 1)))
  return { idle: median(idle), busy: median(busy), ratio, logins, broken }
}

async function logIn(server: Server, index: number): Promise<{ status: number; retryAfter: string | null }> {
  const response = await tryLogin(server.url, { username: `lernende-${(index % 100) + 100}`, password: PASSWORD })
  await response.arrayBuffer()
  return { status: response.status, retryAfter: response.headers.get('retry-after') }
}
