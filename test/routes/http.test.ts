import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startService } from '../support/service.js'

const state = { closing: false }
const { app } = await startService(t, { isClosing: () => state.closing })
app.server.requestTimeout = 300
app.server.headersTimeout = 300
app.server.setTimeout(0)
const address = await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = new URL(address)

/** Sends the bytes and returns everything that comes back until the other side hangs up. */
function exchange(bytes: string): Promise<{ status: number; head: string; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1]), head, body: body === '' ? {} : JSON.parse(body) })
    })
    socket.write(bytes)
  })
}

const close = 'host: localhost\r\nconnection: close\r\n\r\n'

t.test('what no hook sees is refused in German, in the one shape', async (t) => {
  for (const [bytes, statusCode, error, message] of [
    ['NONSENSE\r\n\r\n', 400, 'Bad Request', 'Ungültige HTTP-Anfrage'],
    ['GET / HTTP/9.9\r\n\r\n', 400, 'Bad Request', 'Ungültige HTTP-Anfrage'],
    ['GET / HTTP/1.1\r\nbad header\r\n\r\n', 400, 'Bad Request', 'Ungültige HTTP-Anfrage'],
    [
      `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n${close}`,
      431,
      'Request Header Fields Too Large',
      'Kopfzeilen zu groß',
    ],
    [`GET /api/decks/%ZZ HTTP/1.1\r\n${close}`, 400, 'Bad Request', 'Ungültige URL'],
    ['GET /api/decks HTTP/1.1\r\nhost: slow\r\n', 408, 'Request Timeout', 'Zeitüberschreitung der Anfrage'],
    ['GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'Bad Request', 'Ungültige HTTP-Anfrage'],
  ] as const) {
    const answer = await exchange(bytes)
    t.strictSame(answer.body, { statusCode, error, message }, bytes.slice(0, 30))
    t.equal(answer.status, statusCode)
    t.match(answer.head.toLowerCase(), 'content-type: application/json; charset=utf-8')
    t.match(answer.head.toLowerCase(), 'cache-control: no-store')
  }
})

t.test('a slug of 2,000 characters reaches its endpoint, also when each is escaped', async (t) => {
  for (const slug of ['x'.repeat(2_000), '%2F'.repeat(2_000)]) {
    const { body } = await exchange(`GET /api/decks/${slug} HTTP/1.1\r\n${close}`)
    t.equal(body.message, 'Nicht angemeldet')
  }
})

t.test('methods that nobody knows get the fallback as well', async (t) => {
  for (const method of ['TRACE', 'PROPFIND', 'MKCOL', 'LINK', 'PURGE']) {
    const { status, body } = await exchange(`${method} /api/decks HTTP/1.1\r\n${close}`)
    t.strictSame([status, body.message], [401, 'Nicht angemeldet'], method)
  }
})

t.test('alive and ready are told without a login, by HEAD too, and ready no longer while closing', async (t) => {
  for (const path of ['/healthz', '/readyz', '/healthz/']) {
    const answer = await fetch(address + path)
    t.strictSame([answer.status, await answer.json()], [200, { status: 'ok' }])
    const head = await fetch(address + path, { method: 'HEAD' })
    t.strictSame([head.status, await head.text()], [200, ''])
  }
  state.closing = true
  const ready = await fetch(`${address}/readyz`)
  t.equal(ready.status, 503)
  t.ok(Number(ready.headers.get('retry-after')) > 0)
  t.match(await ready.json(), {
    statusCode: 503,
    error: 'Service Unavailable',
    message: 'Dienst vorübergehend nicht verfügbar',
    requestId: String,
  })
  const alive = await fetch(`${address}/healthz`)
  t.equal(alive.status, 200)
  t.equal(alive.headers.get('connection'), 'close')
  t.equal((await fetch(`${address}/api/decks`)).status, 401, 'requests are still served')
  state.closing = false
  await sleep(0)
})
