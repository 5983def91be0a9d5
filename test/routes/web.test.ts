import { once } from 'node:events'
import { request as ask, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { PNG } from 'pngjs'
import t from 'tap'
import { SESSION_COOKIE } from '../../plugins/session-cookie.js'
import { parseLogo } from '../../src/domain/company/logo.js'
import { SECURITY_HEADERS } from '../../src/http/security-headers.js'
import { stopMonotonicClock } from '../support/clock.js'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'
import { BUILT, startStrippingProxy, writeBuiltApp } from '../support/web.js'

const webDir = await writeBuiltApp(t)
const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { config: { web: true }, webDir, database: counter.database })
const { app, db } = service
/** Database for several services; a closing service does not close it */
const database = { ...counter.database, close: async () => {} }

const PAGE = BUILT['index.html'] as string
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html dompurify service-worker"
/** Request headers of a browser navigation */
const LINK = { 'sec-fetch-mode': 'navigate', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const NOT_FOUND = errorBody(404, 'Nicht gefunden')

const get = (url: string, headers: Record<string, string> = {}, of: FastifyInstance = app) =>
  of.inject({ url, headers, method: 'GET' })

t.test('serves the page at / to everyone under its own policy', async (t) => {
  const page = await get('/')
  t.equal(page.statusCode, 200)
  t.equal(page.body, PAGE)
  t.match(page.headers, {
    ...SECURITY_HEADERS,
    'content-security-policy': POLICY,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    etag: /^"[\w-]{43}"$/,
    'x-request-id': String,
  })
  t.equal(page.headers['set-cookie'], undefined)
  t.equal((await get('/?quelle=mail')).body, PAGE)
  const head = await app.inject({ method: 'HEAD', url: '/' })
  t.equal(head.statusCode, 200)
  t.equal(head.headers.etag, page.headers.etag)
  t.strictSame((await app.inject({ method: 'POST', url: '/' })).json(), NOT_FOUND)
})

t.test('the page names the company and its logo', async (t) => {
  const companyLogo = parseLogo(PNG.sync.write(new PNG({ width: 1, height: 1 })))
  if ('problem' in companyLogo) throw new Error(companyLogo.problem)
  const config = { web: true, companyName: 'Müller & "Söhne" <$&>', companyLogo }
  const named = await startService(t, { config, webDir, database })
  const page = await get('/', {}, named.app)
  const name = 'Müller &amp; &quot;Söhne&quot; &lt;$&amp;&gt;'
  t.match(page.body, `<title>Training · ${name}</title>`)
  t.match(page.body, `<meta name="company" content="${name}">`)
  t.match(page.body, `<meta name="company-logo" content="api/auth/logo?v=${companyLogo.sha256.slice(0, 16)}">`)
  const workers = [await get('/sw.js'), await get('/sw.js', {}, named.app)].map(({ body }) => body)
  t.ok(workers[0]?.startsWith(BUILT['sw.js'] as string))
  t.not(workers[0], workers[1], 'a browser that keeps the page installs the worker again')
})

t.test('serves the app in the language of the reader', async (t) => {
  const english: Record<string, string> = {
    'en/index.html': PAGE.replace('lang="de"', 'lang="en"').replace('index-abc123', 'index-def456'),
    'en/assets/index-def456.js': 'export const words = "cards"\n',
    'en/sw.js': 'addEventListener("install", () => {})\n',
    'en/manifest.webmanifest': '{ "lang": "en" }\n',
  }
  const both = await startService(t, { config: { web: true }, webDir: await writeBuiltApp(t, english), database })
  const read = (headers: Record<string, string>, url = '/') => get(url, headers, both.app)
  const languageFor = async (headers: Record<string, string>) => /lang="(\w+)"/.exec((await read(headers)).body)?.[1]
  t.equal(await languageFor({}), 'de')
  t.equal(await languageFor({ 'accept-language': 'en-GB,en;q=0.9,de;q=0.5' }), 'en')
  t.equal(await languageFor({ 'accept-language': 'fr' }), 'de')
  t.equal(await languageFor({ 'accept-language': 'en', cookie: 'a=b; language=de' }), 'de', 'the choice goes first')
  t.equal(await languageFor({ cookie: 'language=en' }), 'en')
  t.equal(await languageFor({ cookie: 'language=en.account' }), 'en', 'the setting of the last account')
  t.equal(await languageFor({ cookie: 'language=xx' }), 'de')
  const [german, other] = [await read({}), await read({ cookie: 'language=en' })]
  t.match(other.body, '<meta name="languages" content="de en">')
  t.not(german.headers.etag, other.headers.etag)
  t.equal(german.headers.vary, 'Accept-Language, Cookie')
  t.equal((await read({}, '/assets/index-def456.js')).body, english['en/assets/index-def456.js'])
  t.equal((await read({}, '/en/index.html')).statusCode, 404)
  for (const file of ['sw.js', 'manifest.webmanifest']) {
    t.ok((await read({ cookie: 'language=en' }, `/${file}`)).body.startsWith(english[`en/${file}`] as string), file)
    t.ok((await read({}, `/${file}`)).body.startsWith(BUILT[file] as string), file)
  }
})

t.test('responds 304 if the page is unchanged', async (t) => {
  const etag = String((await get('/')).headers.etag)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    for (const url of ['/', '/lernen']) {
      const response = await get(url, { ...LINK, 'if-none-match': known })
      t.strictSame([response.statusCode, response.body, response.headers.etag], [304, '', etag], `${url} ${known}`)
      t.equal(response.headers['content-security-policy'], POLICY)
    }
  }
  t.equal((await get('/', { 'if-none-match': '"other"' })).statusCode, 200)
})

t.test('navigations to any page of the app get the page', async (t) => {
  for (const url of [
    '/lernen',
    '/lernen/git?x=1',
    '/decks/x.y',
    '/apis',
    '/docsx',
    '/index.html',
    '/a/api',
    '/anmelden/',
  ]) {
    for (const headers of [LINK, { 'sec-fetch-mode': 'navigate' }, { accept: 'text/html' }]) {
      const response = await get(url, headers)
      t.strictSame([response.statusCode, response.body], [200, PAGE], `${url} ${JSON.stringify(headers)}`)
      t.equal(response.headers['content-security-policy'], POLICY)
    }
    const head = await app.inject({ method: 'HEAD', url, headers: LINK })
    t.equal(head.statusCode, 200)
  }
})

t.test('a malformed address gets the page for a navigation, and a refusal otherwise', async (t) => {
  for (const url of ['/karten/%E0%A4%A', '/%ZZ', '/decks/%']) {
    const page = await get(url, LINK)
    t.strictSame([page.statusCode, page.body], [400, PAGE], url)
    t.match(page.headers, {
      ...SECURITY_HEADERS,
      'content-security-policy': POLICY,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    })
    t.equal(page.headers.etag, undefined, 'an invalid address has no ETag')
    t.strictSame((await get(url, { accept: '*/*' })).json(), errorBody(400, 'Ungültige URL'), url)
    t.equal((await app.inject({ method: 'POST', url, headers: LINK })).statusCode, 400)
  }
  for (const url of ['/api/karten/%ZZ', '/docs/%', '/assets/%']) {
    t.strictSame((await get(url, LINK)).json(), errorBody(400, 'Ungültige URL'), url)
  }
})

t.test('all other unknown paths are not found, in JSON', async (t) => {
  const refuse = async (options: InjectOptions) => {
    const response = await app.inject(options)
    t.strictSame(response.json(), NOT_FOUND, `${options.method} ${options.url}`)
    t.match(response.headers, { ...SECURITY_HEADERS, 'cache-control': 'no-store' })
  }
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json', 'sec-fetch-mode': 'cors' }]) {
    await refuse({ method: 'GET', url: '/lernen', headers })
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] as const) {
    await refuse({ method, url: '/lernen', headers: LINK })
  }
  for (const url of [
    '/api',
    '/api/unknown',
    '/docs/unknown',
    '/assets',
    '/assets/',
    '/assets/index-000000.js',
    '/openapi.json/x',
    '/healthz/x',
    '/readyz/x?y',
    '/sw.js/x',
  ]) {
    await refuse({ method: 'GET', url, headers: LINK })
  }
  const stranger = await get('/api/decks/x/y', LINK)
  t.equal(stranger.statusCode, 401, 'the API keeps its order of checks')
  t.equal((await get('/docs', LINK)).statusCode, 200)
  t.not((await get('/docs', LINK)).headers['content-security-policy'], POLICY)
})

t.test('caches hashed files for a year and serves them compressed', async (t) => {
  const url = '/assets/index-abc123.js'
  const expected = BUILT['assets/index-abc123.js'] as string
  for (const [accepted, encoding, unpack] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (content: Buffer) => content],
  ] as const) {
    const response = await get(url, { 'accept-encoding': accepted })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-encoding'], encoding)
    t.equal(unpack(response.rawPayload).toString(), expected)
    if (encoding) t.ok(response.rawPayload.length < expected.length / 10)
    t.match(response.headers, {
      ...SECURITY_HEADERS,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': /^(text|application)\/javascript; charset=utf-8$/i,
      vary: /accept-encoding/i,
      etag: String,
    })
    const again = await get(url, { 'accept-encoding': accepted, 'if-none-match': String(response.headers.etag) })
    t.strictSame([again.statusCode, again.body], [304, ''])
  }
  t.match((await get('/assets/index-abc123.css')).headers['content-type'], /^text\/css/)
})

t.test('the worker has its own policy, and files with fixed names are revalidated', async (t) => {
  for (const [url, type, policy] of [
    ['/sw.js', /javascript/, "default-src 'none'; connect-src 'self'"],
    ['/manifest.webmanifest', /^application\/manifest\+json/, SECURITY_HEADERS['content-security-policy']],
    ['/icons/icon.svg', /^image\/svg\+xml/, SECURITY_HEADERS['content-security-policy']],
  ] as const) {
    const response = await get(url, LINK)
    t.equal(response.statusCode, 200)
    t.ok(response.body.startsWith(BUILT[url.slice(1)] as string))
    t.match(response.headers, { 'cache-control': 'no-cache', 'content-type': type, etag: String })
    t.equal(response.headers['content-security-policy'], policy)
    const again = await get(url, { 'if-none-match': String(response.headers.etag) })
    t.equal(again.statusCode, 304, url)
    t.equal((await app.inject({ method: 'HEAD', url })).statusCode, 200)
    const packed = await get(url, { 'accept-encoding': 'br' })
    t.equal(packed.headers['content-encoding'], url === '/sw.js' ? undefined : 'br')
  }
  t.strictSame((await get('/sw.js.br')).json(), NOT_FOUND, 'compressed copies are not separate files')
})

t.test('the app needs no query and no session, logged in or not', async (t) => {
  const { cookie = '' } = await service.member()
  const statements = await counter.countOf(async () => {
    for (const headers of [LINK, { ...LINK, cookie }]) {
      for (const url of ['/', '/lernen', '/assets/index-abc123.js', '/sw.js', '/manifest.webmanifest']) {
        const response = await get(url, headers)
        t.strictSame([response.statusCode, response.headers['set-cookie']], [200, undefined], url)
      }
    }
  })
  t.equal(statements, 0)
})

t.test('the app is not part of the described API', async (t) => {
  const { paths } = (await get('/openapi.json')).json()
  t.strictSame(
    Object.keys(paths).filter((path) => !/^\/(api\/|scim\/|healthz$|readyz$|openapi\.json$)/.test(path)),
    [],
  )
})

t.test('limits requests per address', async (t) => {
  stopMonotonicClock(t)
  const { app } = await startService(t, { config: { web: true, rateLimit: 1 }, webDir, database })
  const statuses = []
  for (const url of ['/', '/lernen', '/assets/index-abc123.js', '/sw.js']) {
    for (let i = 0; i < 3; i++) statuses.push((await get(url, LINK, app)).statusCode)
  }
  t.strictSame(statuses, [...Array(10).fill(200), 429, 429])
  t.equal((await get('/api/decks', {}, app)).statusCode, 401, 'the API has a separate limit')
})

t.test('without a build the API runs, and the page explains what is missing', async (t) => {
  const { anonymous } = await startService(t, { config: { web: true }, webDir: `${webDir}/nowhere`, database })
  const missing = errorBody(
    404,
    'Die Oberfläche ist noch nicht gebaut: „npm run build“ baut sie, danach den Dienst neu starten',
  )
  t.strictSame((await anonymous.get('/')).body, missing)
  t.strictSame((await anonymous.get('/lernen', { headers: LINK })).body, missing)
  for (const url of ['/lernen', '/assets/x.js', '/sw.js']) t.strictSame((await anonymous.get(url)).body, NOT_FOUND)
  t.equal((await anonymous.get('/api/decks')).status, 401)
})

t.test('WEB=off serves the API alone', async (t) => {
  const { anonymous } = await startService(t, { webDir, database })
  for (const url of ['/', '/lernen', '/sw.js', '/assets/index-abc123.js']) {
    t.strictSame((await anonymous.get(url, { headers: LINK })).body, NOT_FOUND, url)
  }
})

t.test("with a public https address, cookies are secure and its pages count as the service's origin", async (t) => {
  const publicUrl = 'https://example.org/training/'
  const { app } = await startService(t, { config: { publicUrl, basePath: '/training/' }, database })
  const { username } = await createUser(db)
  const logIn = (origin: string) =>
    app.inject({
      method: 'POST',
      url: '/api/auth/login',
      headers: { origin, 'sec-fetch-site': 'same-site', host: 'app:3000' },
      payload: { username, password: PASSWORD },
    })
  const response = await logIn('https://example.org')
  t.equal(response.statusCode, 200, 'over plain http, from a proxy without forwarded headers')
  t.match(response.headers['set-cookie'], new RegExp(`^${SESSION_COOKIE}=[^;]+; .*HttpOnly; .*Secure`))
  t.equal(String(response.headers['set-cookie']).match(/Secure/g)?.length, 1)
  for (const origin of ['http://example.org', 'https://other.example.org', 'https://example.org:8443']) {
    t.equal((await logIn(origin)).statusCode, 403, origin)
  }
  const cookie = String(response.headers['set-cookie']).split(';', 1)[0] ?? ''
  t.equal((await get('/api/auth/me', { cookie }, app)).statusCode, 200)
  const proxied = await startService(t, { config: { publicUrl, trustProxy: ['127.0.0.1'] }, database })
  for (const named of [
    { host: 'evil.example' },
    { host: 'example.org', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
  ]) {
    for (const site of [{}, { 'sec-fetch-site': 'same-site' }]) {
      const headers = { ...named, ...site, origin: 'http://evil.example', cookie }
      const refused = await proxied.app.inject({ method: 'POST', url: '/api/quiz/submit', headers })
      t.equal(refused.statusCode, 403, `${JSON.stringify(headers)}: the host of the request is not trusted`)
    }
  }
  const out = await app.inject({ method: 'POST', url: '/api/auth/logout', headers: { cookie } })
  t.match(out.headers['set-cookie'], /^svc_training_session=; .*Secure$/)
  t.strictSame((await get('/openapi.json', {}, app)).json().servers[0].url, '/training')

  const plain = await startService(t, { config: { publicUrl: 'http://training.intern/' }, database })
  const { cookie: plainCookie } = await plain.member()
  t.ok(plainCookie)
  const foreign = await plain.app.inject({
    method: 'POST',
    url: '/api/auth/logout',
    headers: { origin: 'http://training.intern', host: 'app:3000' },
  })
  t.equal(foreign.statusCode, 200)
  t.notMatch(foreign.headers['set-cookie'], /Secure/)
})

t.test('works below a path behind a proxy that strips it', async (t) => {
  const { app } = await startService(t, { config: { web: true, basePath: '/training/' }, webDir, database })
  const address = await app.listen({ port: 0 })
  const front = await startStrippingProxy(t, '/training/', address)
  const { username } = await createUser(db)

  for (const path of ['', 'lernen/git?x=1']) {
    const page = await fetch(`${front}/training/${path}`, { headers: LINK })
    const html = await page.text()
    t.equal(page.status, 200)
    t.match(html, '<base href="/training/">')
    const base = new URL(/<base href="([^"]+)"/.exec(html)?.[1] ?? '', page.url)
    const script = new URL(/src="([^"]+)"/.exec(html)?.[1] ?? '', base)
    t.equal(script.href, `${front}/training/assets/index-abc123.js`)
    const loaded = await fetch(script)
    t.equal(await loaded.text(), BUILT['assets/index-abc123.js'])
    t.equal(loaded.headers.get('content-encoding'), 'gzip')

    const login = await fetch(new URL('api/auth/login', base), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: front, 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ username, password: PASSWORD }),
    })
    t.equal(login.status, 200)
    const cookie = String(login.headers.get('set-cookie'))
    t.match(cookie, /; Path=\/;/)
    const me = await fetch(new URL('api/auth/me', base), { headers: { cookie: cookie.split(';', 1)[0] ?? '' } })
    t.match(await me.json(), { user: { username } })
  }
  for (const path of [
    '/assets/../sw.js',
    '/assets/..%2Findex.html',
    '/assets/%2e%2e/sw.js',
    '/assets/%2E%2E%2Fsw.js',
  ]) {
    const { statusCode, headers } = await askRaw(address, path)
    t.ok([403, 404].includes(Number(statusCode)), `${path}: ${statusCode}`)
    t.match(headers, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  }
  const other = await get('/', {}, app)
  t.not(other.headers.etag, (await get('/')).headers.etag, 'a page with another base path has another ETag')
})

t.test('refuses a path that leaves the folder of the app', async (t) => {
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  for (const path of [
    '/assets/../package.json',
    '/assets/../index.html',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%2fsw.js',
    '/assets/..\\sw.js',
    '/assets/a%00b.js',
    '/assets/.hidden',
    '/assets/index-abc123.js.br',
  ]) {
    // Sends the request over the network, because `inject` would resolve the dots.
    const [response] = (await once(ask({ port, path, agent: false }).end(), 'response')) as [IncomingMessage]
    t.strictSame([response.statusCode, await json(response)], [404, NOT_FOUND], path)
    t.equal(response.headers['x-error-code'], 'not_found')
  }
})

t.test('a build without a base element stops the start', async (t) => {
  const folder = t.testdir({ 'index.html': '<!doctype html><title>x</title>' })
  await t.rejects(startService(t, { config: { web: true }, webDir: folder, database }), { message: /<base href/ })
})

/** Requests the path as it is; `inject` and `fetch` would normalise it. */
function askRaw(address: string, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = ask(address, { path, headers: LINK, agent: false }, (response) => resolve(response.resume()))
    sent.once('error', reject).end()
  })
}
