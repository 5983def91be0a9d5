import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createStoreVariables, firstLogin, loginOver, startProcess } from '../support/process.js'

const variables = {
  ...(await createStoreVariables(t)),
  LOG_LEVEL: 'info',
  METRICS_PORT: '0',
  // Logs every statement as slow.
  SLOW_QUERY_MS: '0',
}
const service = await startProcess(t, variables)
const login = firstLogin(service, variables)
const call = await loginOver(service.url, login)
const metricsUrl = /Metriken: (http\S+)/.exec(service.output())?.[1] ?? ''

const readLog = () =>
  service
    .output()
    .split('\n')
    .filter((line) => /^\{.*\}$/.test(line))
    .map((line) => JSON.parse(line))

/**
 * Waits for log entries with the request id of a response and returns them. The service may write the entries after the
 * response.
 */
async function entryOf(response: Response) {
  const id = response.headers.get('x-request-id')
  for (;;) {
    const entries = readLog().filter((entry) => entry.reqId === id)
    if (entries.length > 0) return entries
    await sleep(20)
  }
}

t.test('logs one line per request with caller, route and outcome', async (t) => {
  const known = await entryOf(await call('/api/decks?x=1'))
  t.equal(known.length, 1)
  t.match(known[0], {
    level: 30,
    msg: 'request',
    method: 'GET',
    path: '/api/decks',
    route: '/api/decks',
    status: 200,
    durationMs: Number,
    address: '127.0.0.1',
    userId: Number,
    via: 'session',
  })
  const created = await call('/api/auth/tokens', { body: { name: 'log' } })
  const { token } = (await created.json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  const script = await entryOf(await fetch(`${service.url}/api/decks`, { headers }))
  t.match(script, [{ status: 200, userId: known[0].userId, via: 'token' }])
  t.notOk(service.output().includes(token))
  const stranger = await entryOf(await fetch(`${service.url}/api/quiz/nothing`))
  t.match(stranger, [{ status: 401, userId: undefined }])
  t.strictSame((await fetch(`${service.url}/healthz`)).status, 200)
  const unknown = await entryOf(await fetch(`${service.url}/nothing`))
  t.match(unknown, [{ status: 404, route: undefined }])
  t.notOk(readLog().some((entry) => entry.path === '/healthz'))
})

t.test('logs no passwords or cookies', async (t) => {
  const log = JSON.stringify(readLog())
  t.notOk(log.includes(login.password))
  t.notMatch(log, /svc_training_session|cookie/)
})

t.test('logs malformed HTTP', async (t) => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.end('GARBAGE\r\n\r\n')
  await socket.toArray()
  const lines = () => readLog().filter((entry) => entry.msg === 'no valid HTTP request')
  while (lines().length === 0) await sleep(20)
  t.match(lines(), [{ address: '127.0.0.1' }])
})

t.test('does not report a client that disconnects as a fault', async (t) => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  const head = 'POST /api/auth/login?half HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99'
  socket.end(`${head}\r\n\r\n{"username":`)
  await socket.toArray()
  const find = () => readLog().filter((entry) => entry.path === '/api/auth/login' && entry.status !== 200)
  while (find().length === 0) await sleep(20)
  t.match(find(), [{ level: 30, status: 499, aborted: true, abortedBy: 'client' }])
  t.strictSame(
    readLog().filter((entry) => entry.level >= 50),
    [],
  )
})

t.test('logs slow statements without values', async (t) => {
  await call('/api/cheatsheets/search?q=geheimer-text')
  const readSlow = () => readLog().filter((entry) => entry.msg === 'slow query')
  while (!readSlow().some((entry) => /fold_text\(\$1/.test(entry.sql))) await sleep(20)
  t.notOk(readSlow().some((entry) => JSON.stringify(entry).includes('geheimer-text')))
})

t.test('serves metrics on a separate port', async (t) => {
  await fetch(`${service.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"username":"admin","password":"falsch"}',
  })
  await call('/api/admin/import', { method: 'POST' })
  t.equal((await fetch(`${service.url}/metrics`)).status, 404)
  const response = await fetch(metricsUrl)
  t.match(response.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  const numbers = new Map(
    (await response.text())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
  t.equal(numbers.get('http_request_duration_seconds_count{method="GET",route="/api/decks",status="200"}'), 2)
  t.equal(numbers.get('http_request_duration_seconds_count{method="GET",route="none",status="404"}'), 2)
  t.equal(numbers.get('http_requests_in_progress'), 0)
  t.equal(numbers.get('logins_total{outcome="success"}'), 1)
  t.equal(numbers.get('logins_total{outcome="refused"}'), 1)
  t.equal(numbers.get('import_duration_seconds_count{outcome="success"}'), 1)
  t.ok(numbers.has('database_pool_connections{state="waiting"}'))
  t.ok((numbers.get('database_query_duration_seconds_count') ?? 0) > 5)
  t.ok(numbers.has('nodejs_eventloop_lag_p99_seconds'))
})

t.test('stops cleanly', async (t) => {
  t.equal(await service.stop('SIGTERM'), 0)
  await t.rejects(fetch(metricsUrl))
})
