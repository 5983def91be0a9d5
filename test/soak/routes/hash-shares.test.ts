import type { AddressInfo } from 'node:net'
import t from 'tap'
import { costlyHashOfPassword, createUser, PASSWORD, unique } from '../../support/factories.js'
import { startService } from '../../support/service.js'
import { until } from '../../support/until.js'

t.setTimeout(3_600_000)

const password_hash = await costlyHashOfPassword()
const service = await startService(t, { config: { trustProxy: ['127.0.0.1'] } })
const { app, db } = service
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo

async function send(url: string, body: object, headers: Record<string, string>) {
  const response = await fetch(`http://127.0.0.1:${port}${url}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.text()
  return response.status
}

const login = (username: string, password: string, address: string) =>
  send('/api/auth/login', { username, password }, { 'x-forwarded-for': address })

/**
 * Runs ten logins, five at a time, under load. Returns the number of successful logins and the number of statuses to
 * the load by status; 0 counts requests without a response.
 * @param load sends the next wave of requests; returns undefined or 0 to stop
 */
async function countLogins(load: () => Promise<number>[] | undefined | 0, addressOf: (person: number) => string) {
  const people = await Promise.all(Array.from({ length: 10 }, () => createUser(db, { password_hash })))
  const statuses: Record<number, number> = {}
  const note = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  let isOver = false
  const press = async () => {
    while (!isOver) {
      const wave = load()
      if (!wave) return
      await Promise.all(wave.map((request) => request.catch(() => 0).then(note)))
    }
  }
  const pressing = press()
  await until(() => Object.keys(statuses).length > 0)
  let letIn = 0
  for (let first = 0; first < people.length; first += 5) {
    const some = people.slice(first, first + 5)
    const logins = some.map(({ username }, i) => login(username, PASSWORD, addressOf(first + i)))
    for (const result of await Promise.allSettled(logins)) {
      if (result.status === 'fulfilled' && result.value === 200) letIn++
    }
  }
  isOver = true
  await pressing
  return { letIn, statuses }
}

t.test('150 concurrent password changes of one member do not block logins', async (t) => {
  const { username } = await createUser(db, { password_hash })
  const { cookie } = await service.loginAs(username)
  const passwords = { current_password: PASSWORD, new_password: PASSWORD }
  const { letIn, statuses } = await countLogins(
    () => Array.from({ length: 150 }, () => send('/api/auth/password', passwords, { cookie: String(cookie) })),
    (person) => (person % 2 === 0 ? '127.0.0.1' : `198.51.100.${person}`),
  )
  t.ok(letIn >= 9, `${letIn} of ten are let in`)
  t.ok((statuses[200] ?? 0) > 0, 'the member is served as well')
  // A successful change ends the member's other sessions. On a slow machine, the service authenticates the other
  // requests only after this change.
  const refused = (statuses[401] ?? 0) + (statuses[429] ?? 0)
  t.ok(refused >= 100, `the others are refused without a hash: ${JSON.stringify(statuses)}`)
})

t.test('20 anonymous callers in 20 networks do not block logins', async (t) => {
  const waves = [150, 20, 20]
  const { letIn, statuses } = await countLogins(
    () => {
      const count = waves.shift()
      return count && Array.from({ length: count }, (_, i) => login(unique('x'), 'falsch', `203.0.113.${i % 20}`))
    },
    (person) => `198.51.100.${person}`,
  )
  t.ok(letIn >= 9, `${letIn} of ten are let in`)
  t.ok((statuses[503] ?? 0) >= 40, `anonymous requests are refused: ${JSON.stringify(statuses)}`)
})
