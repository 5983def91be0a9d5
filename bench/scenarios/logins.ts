import { load } from '../load.js'
import type { Postgres } from '../postgres.js'
import { startService } from '../processes.js'
import { below, type Measure } from '../report.js'
import { PASSWORD, SMALL } from '../seed.js'
import { logInMany } from './decks.js'

const LOGINS = 50

/** Fifty logins at once, and what the others notice. */
export async function measureLogins(postgres: Postgres): Promise<Measure[]> {
  const service = await startService(await postgres.database(SMALL))
  const cookies = await logInMany(service)
  const others = { path: '/api/decks', cookies, connections: 4, seconds: 4 }
  await load(service, others)
  const idle = await load(service, others)
  const statuses: number[] = []
  let waves = 0
  let busyWithLogins = true
  const attack = async () => {
    // Wave after wave, as long as the others are measured.
    while (busyWithLogins) {
      const wave = Array.from({ length: LOGINS }, async (_, index) => {
        const answer = await fetch(`${service.url}/api/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: `lernende-${100 + index}`, password: PASSWORD }),
        })
        await answer.arrayBuffer()
        statuses.push(answer.status)
      })
      await Promise.all(wave)
      waves++
    }
  }
  const attacking = attack()
  const busy = await load(service, others)
  busyWithLogins = false
  await attacking
  await service.stop()
  const broken = statuses.filter((status) => status >= 500).length + busy.failures
  return [
    { what: `waves of ${LOGINS} logins at once`, value: `${waves}, ${statuses.length} logins` },
    { what: 'p99 of GET /api/decks: idle, during the logins', value: `${idle.p99} ms, ${busy.p99} ms` },
    below('p99 during / idle', busy.p99 / Math.max(idle.p99, 1), 5, '×'),
    { what: 'answers 5xx', value: String(broken), target: '0', met: broken === 0 },
  ]
}
