import { type AddressInfo, connect } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { stopMonotonicClock } from '../support/clock.js'
import { createMigratedDatabase, lend } from '../support/database.js'
import { callerOf, errorBody, PUBLIC_URLS, startService } from '../support/service.js'
import { until } from '../support/until.js'

const LIMITED = errorBody(429, 'Zu viele Versuche, bitte später erneut')
const UNAVAILABLE = { ...errorBody(503, 'Dienst vorübergehend nicht verfügbar'), requestId: String }

const database = await createMigratedDatabase()
/** Database for several services; a closing service does not close it */
const lent = lend(database)
const service = await startService(t, { database })
const { anonymous, app } = service
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo

for (const publicUrl of PUBLIC_URLS) {
  t.test(`limits the requests of an address (${publicUrl})`, async (t) => {
    stopMonotonicClock(t)
    const { anonymous } = await startService(t, {
      database: lent,
      config: { publicUrl, rateLimit: 2, trustProxy: ['127.0.0.1'] },
    })
    const from = (address: string, url = '/api/decks') =>
      anonymous.get(url, { headers: { 'x-forwarded-for': address, origin: 'https://app.example.org' } })
    for (let i = 0; i < 10; i++) {
      t.equal((await from('203.0.113.1')).status, 401)
      t.equal((await from('203.0.113.1', '/api/unknown')).status, 404, 'requests without an endpoint count as well')
    }
    const refused = await from('203.0.113.1')
    t.strictSame([refused.status, refused.body], [429, LIMITED])
    t.equal(refused.headers['retry-after'], '10')
    t.notOk(Object.keys(refused.headers).some((name) => name.startsWith('x-ratelimit')))
    t.equal((await from('203.0.113.1', '/api/auth/login')).status, 429)
    t.equal((await from('203.0.113.1', '/healthz')).status, 200, 'health checks of the proxy are never limited')
    t.equal((await from('203.0.113.2')).status, 401, 'other addresses are served')

    for (let i = 0; i < 21; i++) await from(`2001:db8::${i}`)
    t.equal((await from('2001:db8::ffff')).status, 429, 'a /64 is one address')
    t.equal((await from('2001:db8:0:1::1')).status, 401)
    for (let i = 0; i < 80; i++) t.equal((await from(`2001:db8:1:${i}::1`)).status, 401)
    t.equal((await from('2001:db8:1:ffff::1')).status, 429, 'a /48 has the limit of four /64 networks')
    t.equal((await from('2001:db8:2::1')).status, 401)
  })
}

t.test('the limit uses a monotonic clock', async (t) => {
  stopMonotonicClock(t)
  const { anonymous } = await startService(t, { database: lent, config: { rateLimit: 2 } })
  const ask = () => anonymous.get('/api/decks')
  for (let i = 0; i < 20; i++) t.equal((await ask()).status, 401)
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  for (const hours of [1, -1]) {
    Date.now = () => now() + hours * 3_600_000
    const { status, headers } = await ask()
    t.strictSame([status, headers['retry-after']], [429, '10'])
  }
})

t.test('the limit can be switched off', async (t) => {
  for (let i = 0; i < 100; i++) t.equal((await anonymous.get('/api/decks')).status, 401)
})

t.test('refuses a request at once if 1,000 others wait for a connection', async (t) => {
  const config = { publicUrl: PUBLIC_URLS[1] }
  // The jobs' statements wait as well, so the number that decides about the 999 requests is given.
  let waiting = 999
  const counted = { ...lent, poolState: () => ({ ...database.poolState(), waiting }) }
  const member = await (await startService(t, { database: counted, config })).member()
  const service = await startService(t, { database: lent, config })
  const other = await service.member()
  const refused = { status: 503, body: UNAVAILABLE, headers: { 'retry-after': '2' } }
  waiting = 1_000
  t.match(await member.get('/api/auth/me'), refused, 'the given number')
  waiting = 999

  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const { total } = database.poolState()
  const transactions = Array.from({ length: database.embedded ? 1 : 10 }, () =>
    database.db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction)
      await ended
    }),
  )
  await until(() => database.poolState().total >= total && database.poolState().idle === 0)
  const asked = Array.from({ length: 999 }, () => member.get('/api/auth/me'))
  const statement = sql`select 1`.execute(database.db)
  await until(() => database.poolState().waiting >= 1_000)
  // Responds while the others still wait.
  t.match(await other.get('/api/auth/me'), refused)
  t.equal((await service.anonymous.get('/healthz')).status, 200, 'the health check succeeds')
  end()
  await Promise.all([...transactions, statement])
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  t.strictSame([...new Set(statuses)], [200], 'the others are served')
  t.equal((await other.get('/api/auth/me')).status, 200)
})

for (const publicUrl of PUBLIC_URLS) {
  t.test(`refuses requests while the event loop is delayed (${publicUrl})`, async (t) => {
    const { anonymous } = await startService(t, { database: lent, maxDelayMs: 500, config: { publicUrl } })
    const ask = () => anonymous.get('/api/decks')
    let refused = await ask()
    await until(async () => {
      // Blocks this thread without using the processor.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
      refused = await ask()
      return refused.status === 503
    })
    t.match(refused.body, UNAVAILABLE)
    t.equal((await anonymous.get('/healthz')).status, 200)
    await until(async () => (await ask()).status === 401)
    t.pass('it recovers')
  })
}

t.test('a slow client gets 408 and is cut off', async (t) => {
  t.strictSame([app.server.headersTimeout, app.server.requestTimeout, app.server.timeout], [10_000, 900_000, 600_000])
  t.teardown(() => {
    app.server.headersTimeout = 10_000
  })
  app.server.headersTimeout = 1_000
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /api/decks HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  const drip = setInterval(() => socket.write('x'), 200)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // `events.once` would reject if a byte is written after the end.
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(drip)
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  t.match(head, /^HTTP\/1\.1 408 Request Timeout\r\n/)
  t.match(head, /x-content-type-options: nosniff/)
  t.strictSame(JSON.parse(body), {
    statusCode: 408,
    error: 'Request Timeout',
    message: 'Zeitüberschreitung der Anfrage',
  })
})

t.test('every response has the same security headers', async (t) => {
  const expected = {
    'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
  const caller = await service.member()
  for (const response of [
    await caller.get('/api/decks'),
    await caller.get('/api/decks/export-anki'),
    await anonymous.get('/api/decks'),
    await anonymous.get('/api/unknown'),
    await anonymous.get('/unknown'),
    await anonymous.get('/healthz'),
    await anonymous.get('/api/decks/%ZZ'),
    await anonymous.post('/api/auth/login', '{', { headers: { 'content-type': 'application/json' } }),
    await anonymous.post('/api/quiz/submit', {}, { headers: { 'sec-fetch-site': 'cross-site' } }),
    await callerOf(app).send({ method: 'OPTIONS', url: '/api/decks' }),
  ]) {
    t.match(response.headers, expected, response.text.slice(0, 100))
    t.notOk(response.headers['x-powered-by'])
    t.notOk(response.headers.server)
  }

  const raw = async (request: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.end(request)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  const garbage = await raw('nonsense\r\n\r\n')
  t.match(garbage, /^HTTP\/1\.1 400 /)
  const overflow = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)
  t.match(overflow, /^HTTP\/1\.1 431 [\s\S]*Kopfzeilen zu groß/)
  for (const [name, value] of Object.entries(expected)) {
    t.ok(garbage.includes(`\r\n${name}: ${value}\r\n`), name)
    t.ok(overflow.includes(`\r\n${name}: ${value}\r\n`), name)
  }
})
