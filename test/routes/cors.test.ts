import t from 'tap'
import { errorBody, PUBLIC_URLS, startService } from '../support/service.js'

const ORIGIN = 'https://app.example.org'
const preflight = { origin: ORIGIN, 'access-control-request-method': 'PATCH' }
const corsHeaders = (headers: Record<string, unknown>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

for (const publicUrl of PUBLIC_URLS) {
  t.test(`CORS with the public URL ${publicUrl}`, async (t) => {
    const service = await startService(t, { config: { publicUrl, corsOrigins: [ORIGIN, 'http://localhost:5173'] } })
    const { anonymous } = service
    const member = await service.member()

    t.test('answers a preflight before login, on every path and for every method', async (t) => {
      for (const url of ['/api/decks', '/api/admin/users/5', '/api/auth/login', '/api/unknown', '/api/quiz/a/b']) {
        const response = await anonymous.send({
          method: 'OPTIONS',
          url,
          headers: { ...preflight, 'access-control-request-headers': 'content-type,authorization' },
        })
        t.equal(response.status, 204, url)
        t.equal(response.text, '')
        t.match(response.headers, {
          'access-control-allow-origin': ORIGIN,
          'access-control-allow-credentials': 'true',
          'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': 'content-type,authorization',
          vary: /Origin/,
        })
      }
    })

    t.test('an OPTIONS request without preflight headers gets the fallback', async (t) => {
      for (const headers of [
        {},
        { origin: ORIGIN },
        { 'access-control-request-method': 'GET' },
        { ...preflight, origin: 'https://evil.example' },
        { ...preflight, origin: 'null' },
        { ...preflight, origin: `${ORIGIN}:8443` },
      ]) {
        const options = (url: string) => ({ method: 'OPTIONS', url, headers }) as const
        t.strictSame((await anonymous.send(options('/api/decks'))).body, errorBody(401, 'Nicht angemeldet'))
        const fallback = await member.send(options('/api/decks'))
        t.strictSame(fallback.body, errorBody(405, 'Methode nicht erlaubt'), JSON.stringify(headers))
        t.notOk(fallback.headers['access-control-allow-methods'])
        t.strictSame((await member.send(options('/api/unknown'))).body, errorBody(404, 'Nicht gefunden'))
      }
    })

    t.test('responses to an allowed origin are readable with credentials, errors included', async (t) => {
      const headers = { origin: ORIGIN, 'sec-fetch-site': 'same-site' }
      for (const response of [
        await member.get('/api/decks', { headers }),
        await anonymous.get('/api/decks', { headers }),
        await member.get('/api/unknown', { headers }),
        await member.post('/api/quiz/submit', {}, { headers }),
        await member.post('/api/quiz/submit', '{', { headers: { ...headers, 'content-type': 'application/json' } }),
      ]) {
        t.match(response.headers, {
          'access-control-allow-origin': ORIGIN,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': /Retry-After.*X-Error-Code.*X-File-Count/,
          vary: 'Origin',
        })
      }
    })

    t.test('responses outside the hooks are readable as well', async (t) => {
      const url = '/api/decks/%ZZ'
      const headers = { origin: ORIGIN }
      const tooLarge = { ...headers, 'content-type': 'application/json' }
      for (const [status, response] of [
        [400, await member.get(url, { headers })],
        [413, await member.post('/api/quiz/submit', `"${'x'.repeat(70_000)}"`, { headers: tooLarge })],
        [415, await member.post('/api/quiz/submit', 'x', { headers: { ...headers, 'content-type': 'text/plain' } })],
        [404, await member.get('/api/unknown', { headers })],
      ] as const) {
        t.equal(response.status, status)
        t.match(response.headers, {
          'access-control-allow-origin': ORIGIN,
          'access-control-allow-credentials': 'true',
          'x-request-id': String,
          vary: 'Origin',
        })
      }
      const response = await anonymous.send({ method: 'OPTIONS', url, headers: preflight })
      t.equal(response.status, 204)
      t.match(response.headers, { 'access-control-allow-origin': ORIGIN, 'access-control-allow-methods': /PATCH/ })
      const other = await anonymous.send({
        method: 'OPTIONS',
        url,
        headers: { ...preflight, origin: 'https://evil.example' },
      })
      t.strictSame(other.body, errorBody(400, 'Ungültige URL'))
      t.strictSame(corsHeaders(other.headers), [])
    })

    t.test('other origins get no headers', async (t) => {
      for (const headers of [{}, { origin: 'https://evil.example' }, { origin: `${ORIGIN}.evil.example` }]) {
        const response = await member.get('/api/decks', { headers })
        t.strictSame(corsHeaders(response.headers), [])
        t.equal(response.headers.vary, 'Origin', 'a cache must not mix them up')
      }
      const closed = await startService(t, { config: { publicUrl } })
      const response = await closed.anonymous.send({ method: 'OPTIONS', url: '/api/decks', headers: preflight })
      t.strictSame(response.body, errorBody(401, 'Nicht angemeldet'))
      t.strictSame(corsHeaders(response.headers), [])
    })
  })
}
