import { Writable } from 'node:stream'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { stopMonotonicClock } from '../support/clock.js'
import { createUser } from '../support/factories.js'
import { holdLoginLimits } from '../support/login-limits.js'
import { errorBody, startService } from '../support/service.js'

/** Starts a service that collects its log entries. The requests come from 127.0.0.1. */
async function startLogging(t: Test, trustProxy: string[]) {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(chunk))
      done()
    },
  })
  const service = await startService(t, { logger: pino(stream), config: { trustProxy, rateLimit: 1 } })
  const warnings = () => lines.filter(({ level }) => level === 40)
  return { ...service, lines, warnings }
}

t.test('ignores the port of a forwarded address', async (t) => {
  const { anonymous, lines, loginAs, warnings, db } = await startLogging(t, ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'])
  const from = (address: string) => anonymous.get('/api/decks', { headers: { 'x-forwarded-for': address } })
  for (const [forwarded, address] of [
    ['203.0.113.10', '203.0.113.10'],
    ['203.0.113.10:1000', '203.0.113.10'],
    ['203.0.113.10:', '203.0.113.10'],
    ['198.51.100.1, 203.0.113.10:65535', '203.0.113.10'],
    ['203.0.113.10:1000, 10.1.2.3:443,[fd00::1]:80', '203.0.113.10'],
    ['[2001:db8::1]:1000', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[203.0.113.10]:1000', '203.0.113.10'],
    ['[::ffff:203.0.113.10]:1', '::ffff:203.0.113.10'],
    // Values that are not an address with a port stay unchanged.
    ['203.0.113.300:1000', '203.0.113.300:1000'],
    ['203.0.113.10:http', '203.0.113.10:http'],
    ['2001:db8::1:[', '2001:db8::1:['],
    ['unknown', 'unknown'],
    ['_hidden:1', '_hidden:1'],
  ] as const) {
    await from(forwarded)
    t.equal(lines.filter(({ msg }) => msg === 'request').at(-1)?.address, address, forwarded)
  }
  stopMonotonicClock(t)
  const statuses = []
  for (let port = 1000; port < 1012; port++) statuses.push((await from(`203.0.113.77:${port}`)).status)
  t.strictSame(statuses, [...Array(10).fill(401), 429, 429], 'ports of one address share the limit')

  const { username } = await createUser(db)
  const member = await loginAs(username)
  for (let port = 2000; port < 2008; port++) {
    const login = { username, password: 'falsch' }
    const headers = { 'x-forwarded-for': `203.0.113.78:${port}` }
    statuses.push((await anonymous.post('/api/auth/login', login, { headers })).status)
    await holdLoginLimits(db)
  }
  t.strictSame(
    statuses.slice(12),
    [...Array(6).fill(401), 429, 429],
    'the limit of wrong passwords ignores the port as well',
  )
  const again = { username, password: 'geheim-genug' }
  await anonymous.post('/api/auth/login', again, { headers: { 'x-forwarded-for': '[2001:db8::5]:9' } })
  const { sessions } = (await member.get('/api/accounts/me/sessions')).body
  t.equal(sessions[0].address, '2001:db8::5')
  t.strictSame(warnings(), [])
})

t.test('logs one warning for forwarded headers from an untrusted address', async (t) => {
  for (const trustProxy of [[], ['10.0.0.0/8']]) {
    const { anonymous, warnings } = await startLogging(t, trustProxy)
    await anonymous.get('/api/decks')
    t.strictSame(warnings(), [])
    for (let i = 0; i < 3; i++) {
      const response = await anonymous.get('/healthz', { headers: { 'x-forwarded-for': `203.0.113.${i}` } })
      t.equal(response.status, 200)
    }
    t.match(warnings(), [{ address: '127.0.0.1', msg: /TRUST_PROXY/ }])
    t.equal(warnings().length, 1)
  }
  const { anonymous, warnings } = await startLogging(t, ['127.0.0.1'])
  for (const forwarded of ['203.0.113.1', 'garbage', '127.0.0.1, 127.0.0.1']) {
    t.strictSame(
      (await anonymous.get('/api/decks', { headers: { 'x-forwarded-for': forwarded } })).body,
      errorBody(401, 'Nicht angemeldet'),
    )
  }
  t.strictSame(warnings(), [])
})
