import { gzipSync } from 'node:zlib'
import t from 'tap'
import { errorBody, PUBLIC_URLS, startService } from '../support/service.js'
import { writeBuiltApp } from '../support/web.js'

const webDir = await writeBuiltApp(t)
const service = await startService(t, { config: { corsOrigins: ['https://app.example.org'], web: true }, webDir })
const { anonymous } = service
const member = await service.member()
const admin = await service.admin()

const GROUPS = [
  { name: 'admin', fallback: errorBody(404, 'Unbekannter Admin-Endpunkt'), bare: '' },
  { name: 'quiz', fallback: errorBody(404, 'Unbekannter Quiz-Endpunkt'), bare: '' },
  { name: 'review', fallback: errorBody(404, 'Unbekannter Review-Endpunkt'), bare: '' },
  { name: 'decks', fallback: errorBody(405, 'Methode nicht erlaubt'), bare: 'list' },
  { name: 'cheatsheets', fallback: errorBody(404, 'Unbekannter Cheatsheet-Endpunkt'), bare: 'list' },
  { name: 'accounts', fallback: errorBody(404, 'Unbekannter Konto-Endpunkt'), bare: 'list' },
]

t.test('an anonymous caller gets 401 for any path and input', async (t) => {
  const refused = errorBody(401, 'Nicht angemeldet')
  for (const { name } of GROUPS) {
    for (const path of ['', '/', '/x/y', '/generate?count=abc']) {
      t.strictSame((await anonymous.get(`/api/${name}${path}`)).body, refused, `GET /api/${name}${path}`)
    }
  }
  for (const method of ['POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'] as const) {
    t.strictSame((await anonymous.send({ method, url: '/api/quiz/x' })).body, refused, method)
  }
  t.equal((await anonymous.send({ method: 'HEAD', url: '/api/quiz/generate' })).status, 401)
  t.strictSame((await anonymous.post('/api/quiz/submit', { deck: 5 })).body, refused)
})

t.test('a member is refused on every admin path', async (t) => {
  const refused = errorBody(403, 'Administratorrechte erforderlich')
  for (const url of ['/api/admin', '/api/admin/users', '/api/admin/unknown']) {
    t.strictSame((await member.get(url)).body, refused, url)
  }
  for (const method of ['POST', 'DELETE', 'PUT'] as const) {
    t.strictSame((await member.send({ method, url: '/api/admin/users/1/2' })).body, refused, method)
  }
  t.equal((await member.post('/api/admin/users', { username: 5 })).status, 403)
})

t.test('unmatched requests get the fallback of their group', async (t) => {
  for (const { name, fallback, bare } of GROUPS) {
    const extra = ['decks', 'cheatsheets', 'accounts'].includes(name) ? [] : ['/unknown', '/unknown/']
    for (const path of ['/a/b', '/a/b/', ...extra]) {
      t.strictSame((await admin.get(`/api/${name}${path}`)).body, fallback, `GET /api/${name}${path}`)
    }
    for (const method of ['PUT', 'PATCH', 'OPTIONS'] as const) {
      t.strictSame((await admin.send({ method, url: `/api/${name}` })).body, fallback, `${method} /api/${name}`)
    }
    const head = await admin.send({ method: 'HEAD', url: `/api/${name}` })
    t.equal(head.status, fallback.statusCode, 'HEAD is not handled as GET')
    t.equal(head.text, '')
    if (bare === '') t.strictSame((await admin.get(`/api/${name}`)).body, fallback)
    else t.equal((await admin.get(`/api/${name}/`)).status, 200, 'a trailing slash changes nothing')
  }
  t.strictSame((await admin.post('/api/quiz/generate')).body, errorBody(404, 'Unbekannter Quiz-Endpunkt'))
  t.strictSame((await admin.get('/api/quiz/submit')).body, errorBody(404, 'Unbekannter Quiz-Endpunkt'))
  t.strictSame((await admin.delete('/api/admin/users')).body, errorBody(404, 'Unbekannter Admin-Endpunkt'))
  t.strictSame((await admin.get('/api/admin/import')).body, errorBody(404, 'Unbekannter Admin-Endpunkt'))
})

t.test('a path outside of all groups is not found, for anyone', async (t) => {
  for (const caller of [anonymous, admin]) {
    t.match(await caller.get('/'), { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    for (const url of ['/api', '/api/', '/api/unknown', '/api/decksx', '/api/Decks', '/other']) {
      t.strictSame((await caller.get(url)).body, errorBody(404, 'Nicht gefunden'), url)
    }
  }
})

t.test('refuses malformed bodies in German', async (t) => {
  const send = (payload: string | Buffer, type?: string) =>
    member.send({ method: 'POST', url: '/api/quiz/submit', payload, headers: type ? { 'content-type': type } : {} })
  const json = 'application/json'
  for (const payload of ['{', '[]', '1', 'null', '"x"', 'undefined', Buffer.from([0x22, 0xff, 0x22])]) {
    t.strictSame((await send(payload, json)).body, errorBody(400, 'Ungültiger JSON-Inhalt'))
  }
  const wrongType = errorBody(415, 'Nur application/json wird unterstützt')
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'nonsense',
    undefined,
  ]) {
    t.strictSame((await send('{}', type)).body, wrongType, `${type}`)
  }
  for (const type of [json, 'text/plain', 'application/x-www-form-urlencoded', 'nonsense', ';', undefined]) {
    t.equal((await send('', type)).status, 200, `an empty body counts as no body: ${type}`)
  }
  t.equal((await send('{}', 'application/json; charset=utf-8')).status, 200)
  const padded = (size: number) => `{"x":"${'x'.repeat(size - 8)}"}`
  t.equal((await send(padded(65_536), json)).status, 200)
  t.strictSame((await send(padded(65_537), json)).body, errorBody(413, 'Anfrage zu groß'))
  const poisoned = await send(
    '{"__proto__":{"total":1},"constructor":{"prototype":{"total":1}},"total":2,"correct":1}',
    json,
  )
  t.strictSame(poisoned.body, { score: 50 })
})

t.test('refuses an encoded body unless the encoding is identity', async (t) => {
  const send = (encoding: string, payload: string | Buffer) =>
    member.send({
      method: 'POST',
      url: '/api/quiz/submit',
      payload,
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    })
  const wrongType = errorBody(415, 'Nur application/json wird unterstützt')
  for (const encoding of ['gzip', 'GZIP', 'br', 'deflate', 'identity, gzip', 'aws-chunked', ';']) {
    t.strictSame((await send(encoding, gzipSync('{"total":2,"correct":1}'))).body, wrongType, encoding)
    t.strictSame((await send(encoding, '{}')).body, wrongType, encoding)
    t.equal((await send(encoding, '')).status, 200, 'an empty body counts as no body')
  }
  for (const encoding of ['identity', 'Identity', ' identity , identity', '']) {
    t.strictSame((await send(encoding, '{"total":2,"correct":1}')).body, { score: 50 }, encoding)
  }
})

t.test('refuses a malformed escape for anyone', async (t) => {
  for (const caller of [anonymous, member]) {
    for (const url of ['/api/decks/%ZZ', '/api/decks/%', '/api/decks/%E4', '/%ZZ']) {
      const response = await caller.get(url)
      t.strictSame(response.body, errorBody(400, 'Ungültige URL'), url)
      t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      t.equal(response.headers['cache-control'], 'no-store')
    }
  }
})

for (const publicUrl of [...PUBLIC_URLS, 'http://training.example.org/', 'https://training.example.org/lernen/']) {
  t.test(`refuses cross-site requests before anything else (${publicUrl})`, async (t) => {
    const config = { publicUrl, corsOrigins: ['https://app.example.org'] }
    const { anonymous, member: newMember } = await startService(t, { config })
    const member = await newMember()
    const refused = errorBody(403, 'Anfrage von fremder Seite abgelehnt')
    const own = publicUrl ?? 'http://localhost:80'
    const otherScheme = own.startsWith('https:') ? own.replace('https:', 'http:') : own.replace('http:', 'https:')
    const cases: [Record<string, string>, boolean][] = [
      [{}, true],
      [{ origin: 'https://evil.example' }, false],
      [{ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
      [{ 'sec-fetch-site': 'cross-site' }, false],
      [{ origin: 'null' }, false],
      [{ origin: 'null', 'sec-fetch-site': 'cross-site' }, false],
      [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-site' }, false],
      [{ 'sec-fetch-site': 'same-site' }, false],
      [{ 'sec-fetch-site': 'nonsense' }, false],
      [{ origin: 'https://evil.example', 'sec-fetch-site': 'nonsense' }, false],
      [{ origin: new URL(own).origin, 'sec-fetch-site': 'same-site' }, true],
      [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, true],
      [{ origin: new URL(own).origin }, true],
      [{ origin: new URL(own).origin, 'sec-fetch-site': 'cross-site' }, true],
      [{ origin: 'https://localhost' }, false],
      [{ origin: 'http://localhost' }, publicUrl === undefined],
      [{ origin: new URL(otherScheme).origin }, false],
      [{ origin: 'https://app.example.org' }, true],
      [{ origin: 'https://app.example.org', 'sec-fetch-site': 'same-site' }, true],
      [{ 'sec-fetch-site': 'same-origin' }, true],
      [{ 'sec-fetch-site': 'none' }, true],
    ]
    for (const [headers, allowed] of cases) {
      const response = await member.post('/api/quiz/submit', undefined, { headers })
      t.equal(response.status, allowed ? 200 : 403, JSON.stringify(headers))
      if (!allowed) t.strictSame(response.body, refused)
    }
    const headers = { origin: 'https://evil.example' }
    t.equal((await member.get('/api/decks', { headers })).status, 200, 'reading is allowed')
    for (const url of ['/api/quiz/unknown', '/api/auth/login', '/api/unknown', '/api/decks']) {
      t.strictSame((await anonymous.post(url, undefined, { headers })).body, refused, url)
    }
  })
}
