import { once } from 'node:events'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createDeck } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'

const state = { closing: false }
const { app, ...service } = await startService(t, { isClosing: () => state.closing })
app.server.setTimeout(0)
const address = await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = new URL(address)

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

t.test('refuses malformed HTTP in German with the common error body', async (t) => {
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
    ['GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'Bad Request', 'Ungültige HTTP-Anfrage'],
    [`CONNECT example.org:443 HTTP/1.1\r\n${close}`, 400, 'Bad Request', 'Ungültige HTTP-Anfrage'],
  ] as const) {
    const response = await exchange(bytes)
    t.strictSame(response.body, { statusCode, error, message }, bytes.slice(0, 30))
    t.equal(response.status, statusCode)
    t.match(response.head.toLowerCase(), 'content-type: application/json; charset=utf-8')
    t.match(response.head.toLowerCase(), 'cache-control: no-store')
  }
})

t.test('refuses a request whose headers do not arrive in time', async (t) => {
  const { headersTimeout, requestTimeout } = app.server
  Object.assign(app.server, { headersTimeout: 300, requestTimeout: 300 })
  t.teardown(() => Object.assign(app.server, { headersTimeout, requestTimeout }))
  const { body } = await exchange('GET /api/decks HTTP/1.1\r\nhost: slow\r\n')
  t.strictSame(body, errorBody(408, 'Zeitüberschreitung der Anfrage'))
})

t.test('requires exactly one Host header', async (t) => {
  const { cookie } = await service.member()
  const ask = (hosts: string[], version = '1.1') =>
    exchange(
      `GET /api/auth/me HTTP/${version}\r\n${hosts.map((host) => `${host}\r\n`).join('')}cookie: ${cookie}\r\nconnection: close\r\n\r\n`,
    )
  const refused = { statusCode: 400, error: 'Bad Request', message: 'Ungültige HTTP-Anfrage' }
  for (const hosts of [
    ['Host: a.example', 'Host: b.example'],
    ['Host: a.example', 'hOST: a.example'],
    ['Host: a.example', 'Host:'],
    ['Host: a.example, b.example'],
    ['Host: a.example/api'],
    ['Host: user@a.example'],
    ['Host: a b'],
    ['Host: a:b'],
    ['Host: ::1'],
    ['Host: [::1'],
  ]) {
    for (const version of ['1.0', '1.1']) t.strictSame((await ask(hosts, version)).body, refused, hosts.join())
  }
  for (const host of [
    'a_b.example',
    'a.example:',
    'A.example.:8443',
    '[::1]:80',
    '203.0.113.1',
    'xn--mller-kva.example',
    '',
  ]) {
    t.equal((await ask([`Host: ${host}`])).status, 200, host)
  }
})

t.test('refuses other HTTP versions and transfer codings and closes the connection', async (t) => {
  const { cookie } = await service.member()
  const chunked = '2\r\n{}\r\n0\r\n\r\n'
  const post = (version: string, coding: string) =>
    exchange(
      `POST /api/quiz/submit HTTP/${version}\r\nhost: x\r\ncookie: ${cookie}\r\ncontent-type: application/json\r\ntransfer-encoding: ${coding}\r\n\r\n${chunked}`,
    )
  for (const [version, coding] of [
    ['1.0', 'chunked'],
    ['1.1', 'gzip, chunked'],
    ['1.1', 'chunked, gzip'],
    ['1.1', 'identity'],
    ['2.0', 'chunked'],
  ] as const) {
    const { status, body } = await post(version, coding)
    t.strictSame([status, body.message], [400, 'Ungültige HTTP-Anfrage'], `${version} ${coding}`)
  }
  t.equal((await exchange(`GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n`)).status, 400)
  t.equal((await exchange(`GET /healthz HTTP/0.9\r\nhost: x\r\n\r\n`)).status, 400)
})

t.test('loses no header, however many there are', async (t) => {
  const { cookie, id } = await service.member()
  const body = '{"total":2,"correct":1}'
  const many = 'a:1\r\n'.repeat(2_500)
  const response = await exchange(
    `POST /api/quiz/submit HTTP/1.1\r\n${many}cookie: ${cookie}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${close}${body}`,
  )
  t.strictSame(response.body, { score: 50 })
  const foreign = await exchange(
    `POST /api/quiz/submit HTTP/1.1\r\ncookie: ${cookie}\r\n${many}origin: https://evil.example\r\n${close}`,
  )
  t.equal(foreign.status, 403)
  const stored = await service.db.selectFrom('quiz_results').select('id').where('user_id', '=', id).execute()
  t.equal(stored.length, 1)
})

t.test('sends pending responses before garbage ends the connection', async (t) => {
  const { cookie } = await service.member()
  const submit = (body: string, length: number) =>
    `POST /api/quiz/submit HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
  const ask = 'GET /api/auth/me HTTP/1.1\r\nhost: x\r\n\r\n'
  for (const [bytes, status, message] of [
    [`${ask}NONSENSE\r\n\r\n`, 401, 'Nicht angemeldet'],
    [`${ask}CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n`, 401, 'Nicht angemeldet'],
    [submit('{"deck":"Übung"}', 16), 400, 'Ungültiger JSON-Inhalt'],
    [submit('{}x', 2), 200, undefined],
    [submit('{}', 0), 200, undefined],
  ] as const) {
    const { head, body } = await exchange(bytes)
    t.match(head, `HTTP/1.1 ${status} `)
    t.equal(body.message, message)
    t.match(head.toLowerCase(), 'connection: close')
  }
})

t.test('public routes answer HEAD', async (t) => {
  for (const path of [
    '/docs',
    '/docs/',
    '/docs/json',
    '/docs/static/swagger-ui.css',
    '/docs/static/swagger-initializer.js',
    '/openapi.json',
  ]) {
    const get = await fetch(address + path)
    const head = await fetch(address + path, { method: 'HEAD' })
    t.strictSame([head.status, await head.text()], [200, ''], path)
    t.equal(get.status, 200)
    const [shown, told] = [get, head].map(({ headers }) => Object.fromEntries(headers))
    for (const name of ['date', 'x-request-id', 'connection', 'keep-alive']) {
      delete shown?.[name]
      delete told?.[name]
    }
    t.strictSame(told, shown, 'with the same headers')
    await get.body?.cancel()
  }
  t.equal((await fetch(`${address}/docs/unknown`, { method: 'HEAD' })).status, 404)
})

t.test('refuses a malformed second request on a connection like a first one', async (t) => {
  const socket = connect(Number(port), '127.0.0.1')
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  const ended = once(socket, 'close')
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  while (!received.endsWith('{"status":"ok"}')) await once(socket, 'data')
  socket.write(`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n${close}`)
  await ended
  t.match(received, /\}HTTP\/1\.1 431 [\s\S]*"Kopfzeilen zu groß"\}$/)
})

t.test('a HEAD request gets no body, even if malformed', async (t) => {
  const { status, head, body } = await exchange(`HEAD /api/decks/ä HTTP/1.1\r\n${close}`)
  t.strictSame([status, body], [400, {}])
  t.match(head.toLowerCase(), 'content-type: application/json; charset=utf-8')
})

t.test('garbage during a response cuts it without adding bytes', async (t) => {
  const member = await service.member()
  const { id } = await createDeck(service.db)
  const rows = Array.from({ length: 2_000 }, () => ({ deck_id: id, question: 'x'.repeat(5_000), answer: 'y' }))
  for (let first = 0; first < rows.length; first += 500) {
    await service.db
      .insertInto('cards')
      .values(rows.slice(first, first + 500))
      .execute()
  }
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET /api/decks/export-anki HTTP/1.1\r\nhost: x\r\ncookie: ${member.cookie}\r\n\r\n`)
  await once(socket, 'readable')
  socket.write('NONSENSE\r\n\r\n')
  const received = await text(socket).catch(() => 'reset')
  t.notMatch(received, 'Ungültige HTTP-Anfrage')
  t.notMatch(received, /\r\n0\r\n\r\n$/, 'the response is visibly incomplete')
})

t.test('accepts absolute request targets, HTTP/1.0 without a host and unknown expectations', async (t) => {
  const member = await service.member()
  for (const request of [
    `GET http://localhost/api/auth/me HTTP/1.1\r\ncookie: ${member.cookie}\r\n${close}`,
    `GET HTTPS://other.example:8443/api/auth/me?x=1 HTTP/1.1\r\ncookie: ${member.cookie}\r\n${close}`,
    `GET /api/auth/me HTTP/1.1\r\nexpect: something\r\ncookie: ${member.cookie}\r\n${close}`,
    `GET /api/auth/me HTTP/1.0\r\ncookie: ${member.cookie}\r\n\r\n`,
  ]) {
    const { status, body } = await exchange(request)
    t.equal(status, 200, request.slice(0, 40))
    t.match(body, { user: { id: member.id } })
  }
  for (const target of ['http://localhost', 'http://localhost?x', '*']) {
    const { body } = await exchange(`OPTIONS ${target} HTTP/1.1\r\n${close}`)
    t.strictSame([body.statusCode, body.message], [404, 'Nicht gefunden'], target)
  }
})

t.test('a slug of 2,000 characters reaches its endpoint, even percent-encoded', async (t) => {
  for (const slug of ['x'.repeat(2_000), '%2F'.repeat(2_000)]) {
    const { body } = await exchange(`GET /api/decks/${slug} HTTP/1.1\r\n${close}`)
    t.equal(body.message, 'Nicht angemeldet')
  }
})

t.test('unknown methods get the fallback, which echoes nothing', async (t) => {
  const { cookie } = await service.member()
  for (const method of ['TRACE', 'PROPFIND', 'MKCOL', 'LINK', 'PURGE', 'QUERY'].filter((name) =>
    METHODS.includes(name),
  )) {
    const stranger = await exchange(`${method} /api/decks HTTP/1.1\r\ncookie: secret=1\r\n${close}`)
    t.strictSame(stranger.body, errorBody(401, 'Nicht angemeldet'), method)
    const known = await exchange(`${method} /api/decks HTTP/1.1\r\ncookie: ${cookie}\r\n${close}`)
    t.strictSame([known.status, known.body.message], [405, 'Methode nicht erlaubt'], method)
  }
  const root = await exchange(`TRACE / HTTP/1.1\r\ncookie: secret=1\r\n${close}`)
  t.strictSame(root.body, errorBody(404, 'Nicht gefunden'))
})

t.test('health checks need no login, answer HEAD, and report not ready while closing', async (t) => {
  for (const path of ['/healthz', '/readyz', '/healthz/']) {
    const response = await fetch(address + path)
    t.strictSame([response.status, await response.json()], [200, { status: 'ok' }])
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

t.test('answers 304 to a reader who has the OpenAPI document', async (t) => {
  const { etag } = (await app.inject('/openapi.json')).headers
  const { statusCode, body } = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': `"x", ${etag}` } })
  t.strictSame([statusCode, body], [304, ''])
})
