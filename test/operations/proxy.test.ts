import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { openDatabase } from '../../db/client.js'
import { ROOT } from '../support/constants.js'
import { TEST_DATABASE_URL } from '../support/database.js'
import { createCard, createDeck } from '../support/factories.js'
import { holdLoginLimits } from '../support/login-limits.js'
import { startNginx } from '../support/nginx.js'
import { createStoreVariables, firstLogin, startProcess } from '../support/process.js'

/** Address of the clients, different from that of the proxy and the instances */
const CLIENT_ADDRESS = '127.0.0.7'
const SHUTDOWN_DELAY = 3
/** Number of concurrent clients during the shutdown: so few that a slow machine is not overloaded */
const CLIENTS = 4

const isMissing = (program: string, flag: string) => spawnSync(program, [flag]).error !== undefined
const skipWithoutNginx =
  (isMissing('nginx', '-v') && 'nginx is not installed') ||
  (isMissing('openssl', 'version') && 'openssl is not installed')
const skip = (TEST_DATABASE_URL === undefined && 'two instances need a server') || skipWithoutNginx

t.test(
  'nginx redirects to its own name only, and passes on no host of the client',
  { skip: skipWithoutNginx },
  async (t) => {
    const upstream = createServer((request, response) => response.end(JSON.stringify(request.headers)))
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    t.teardown(() => upstream.close())
    const { port, plainPort, certificate } = await startNginx(t, [
      `127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    ])
    const send = (options: RequestOptions, by = request) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        by({
          hostname: '127.0.0.1',
          servername: 'localhost',
          ca: certificate,
          agent: false,
          path: '/a?b=1',
          ...options,
        })
          .once('response', resolve)
          .once('error', reject)
          .end()
      })
    const plain = await send({ port: plainPort, headers: { host: 'evil.example' } }, plainRequest)
    t.strictSame([plain.statusCode, plain.headers.location], [301, 'https://localhost/a?b=1'])
    plain.resume()
    const passed = await send({ port, headers: { 'x-forwarded-host': 'evil.example' } })
    t.notOk('x-forwarded-host' in JSON.parse(await text(passed)))
  },
)

t.test('two instances behind nginx with TLS', { skip }, async (t) => {
  const variables: Record<string, string> = {
    ...(await createStoreVariables(t)),
    LOG_LEVEL: 'info',
    TRUST_PROXY: '127.0.0.1',
    SHUTDOWN_DELAY: String(SHUTDOWN_DELAY),
    RATE_LIMIT: '0',
  }
  const instances = [await startProcess(t, variables), await startProcess(t, variables)]
  const login = firstLogin(instances[0] as (typeof instances)[0], variables)
  const { port, plainPort, certificate, accessLog, errorLog } = await startNginx(
    t,
    instances.map(({ url }) => new URL(url).host),
  )
  const clientAt = (localAddress: string) => {
    const agent = new Agent({ ca: certificate, keepAlive: true, maxSockets: 50, localAddress })
    t.teardown(() => agent.destroy())
    const sendOnce = (method: string, url: string, headers: Record<string, string> = {}, body?: unknown) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const all = { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) }
        const address = { host: '127.0.0.1', servername: 'localhost', port }
        const sent = request({ ...address, method, path: url, headers: all, agent })
        sent.once('response', resolve).once('error', reject)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
      })
    /** Sends the request, and repeats it while the service refuses it because the machine is overloaded. */
    const send = async (...args: Parameters<typeof sendOnce>) => {
      for (;;) {
        const response = await sendOnce(...args)
        const seconds = response.headers['retry-after']
        if (response.statusCode !== 503 || seconds === undefined) return response
        response.resume()
        await sleep(Number(seconds) * 1_000)
      }
    }
    const read = async (response: IncomingMessage) => ({
      status: response.statusCode,
      headers: response.headers,
      text: await text(response),
    })
    return {
      send,
      ask: async (...args: Parameters<typeof sendOnce>) => read(await send(...args)),
      askOnce: async (...args: Parameters<typeof sendOnce>) => read(await sendOnce(...args)),
    }
  }
  const { send, ask, askOnce } = clientAt(CLIENT_ADDRESS)
  /** Waits for the log entry of a response, from either instance, and returns it. */
  const entryOf = async ({ headers }: { headers: IncomingMessage['headers'] }) => {
    for (;;) {
      const lines = instances.flatMap(({ output }) => output().split('\n'))
      const line = lines.find(
        (one) => one.startsWith('{') && one.endsWith('}') && one.includes(`"${headers['x-request-id']}"`),
      )
      if (line !== undefined) return JSON.parse(line)
      await sleep(20)
    }
  }

  const loggedIn = await ask('POST', '/api/auth/login', { 'x-forwarded-for': '203.0.113.9' }, login)
  const setCookie = String(loggedIn.headers['set-cookie'])
  const cookie = setCookie.split(';', 1)[0] ?? ''

  await t.test('sets secure cookies, answers health checks and logs the client address', async (t) => {
    t.equal(loggedIn.status, 200)
    t.match(setCookie, /; Secure/)
    t.match(setCookie, /; HttpOnly/)
    t.equal((await ask('GET', '/healthz')).status, 200)
    t.equal((await ask('GET', '/readyz')).status, 200)
    const large = await ask('POST', '/api/content/convert', {}, { html: 'x'.repeat(1_500_000) })
    t.equal(large.status, 401, 'large sheets reach the service')
    const { address } = await entryOf(loggedIn)
    t.equal(address, CLIENT_ADDRESS, "neither the proxy's address nor one that the client claims")
    const own = { origin: `https://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin', cookie }
    t.equal((await ask('POST', '/api/quiz/submit', own, {})).status, 200)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie }
    t.equal((await ask('POST', '/api/quiz/submit', foreign, {})).status, 403)
  })

  await t.test('does not log health checks, compresses large responses and redirects plain http', async (t) => {
    const decks = await send('GET', '/api/decks', { cookie, 'accept-encoding': 'gzip' })
    t.equal(decks.statusCode, 200, 'the decks')
    t.match(decks.headers, { 'content-encoding': 'gzip', vary: /Accept-Encoding/ }, 'the decks are compressed')
    t.match(JSON.parse(gunzipSync(await buffer(decks)).toString()), { decks: Array }, 'the decks can be decompressed')
    t.match(decks.headers['strict-transport-security'], /^max-age=\d{8}/, 'browsers remember TLS')
    const document = await send('GET', '/openapi.json', { 'accept-encoding': 'gzip' })
    t.equal(document.statusCode, 200, 'the document')
    t.equal(document.headers['content-encoding'], 'gzip', 'the document is compressed')
    t.match(JSON.parse(gunzipSync(await buffer(document)).toString()), { paths: Object }, 'and can be decompressed')
    const unasked = await send('GET', '/api/decks', { cookie })
    t.equal(unasked.statusCode, 200, 'the decks for a client without gzip')
    t.equal(unasked.headers['content-encoding'], undefined, 'are not compressed')
    t.match(JSON.parse(await text(unasked)), { decks: Array })

    const page = await send('GET', '/', { 'accept-encoding': 'gzip' })
    t.equal(page.statusCode, 200, 'the page')
    t.match(
      page.headers,
      { 'cache-control': 'no-cache', 'content-security-policy': /script-src 'self'/ },
      'the page is revalidated and loads nothing from other origins',
    )
    const unpacked = await buffer(page)
    const html = (page.headers['content-encoding'] === 'gzip' ? gunzipSync(unpacked) : unpacked).toString()
    const same = await ask('GET', '/', { 'accept-encoding': 'gzip', 'if-none-match': String(page.headers.etag) })
    t.equal(same.status, 304, 'a weak tag of nginx is accepted as well')
    const [script = ''] = /assets[/][^"]+[.]js/.exec(html) ?? []
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const file = await send('GET', `/${script}`, { 'accept-encoding': encoding })
      t.equal(file.statusCode, 200, `${script} as ${encoding}`)
      t.match(
        file.headers,
        { 'content-encoding': encoding, 'cache-control': /immutable/ },
        'as the build has compressed it',
      )
      t.ok(
        unpack(await buffer(file)).equals(await readFile(path.join(ROOT, 'dist/app', script))),
        `${encoding} can be decompressed`,
      )
    }

    const plain = await fetch(`http://localhost:${plainPort}/api/decks?a=1`, { redirect: 'manual' })
    t.equal(plain.status, 301, 'plain http is redirected')
    t.equal(plain.headers.get('location'), 'https://localhost/api/decks?a=1', 'to the same address')

    const code = 'AB7K9QF2M4X8ZC6T3VN5HRWDJE'
    t.equal((await clientAt('127.0.0.9').ask('GET', `/api/proofs/verify/${code}`)).status, 404)
    await clientAt('127.0.0.9').ask('GET', `/nachwe%69s/${code}`)
    await clientAt('127.0.0.9').ask('GET', '/api/search?q=geheimer-text')
    const token = 'N1mZkQ0dUuG3w7C-_xPq9Yb2sV5tR8eLaJfHoIyKcTw'
    await clientAt('127.0.0.9').ask('GET', `/api/calendar/${token}.ics`)
    for (const path of ['/api//Calendar/', '/api/./calendar/x/', '/api%2fcalendar%2F', '/api/calendar%252F']) {
      await clientAt('127.0.0.9').ask('GET', `${path}${token}.ics`)
    }
    await clientAt('127.0.0.9').ask('POST', `/api/mail/unsubscribe?key=${token}`)

    // nginx logs a request only after it has sent the response.
    let logged = ''
    while (!logged.includes('/api/mail/unsubscribe')) {
      await sleep(20)
      logged = await readFile(accessLog, 'utf8')
    }
    t.match(logged, '"GET /api/proofs/verify/*** HTTP/1.1" 404')
    t.match(logged, '"GET /nachweis/*** HTTP/1.1"')
    t.notMatch(logged, code, 'codes of proofs are not logged')
    t.match(logged, '"GET /api/calendar/*** HTTP/1.1" 404')
    t.match(logged, '"POST /api/mail/unsubscribe HTTP/1.1" 200')
    t.notMatch(logged, token, 'tokens of calendars and keys of mails are not logged')
    t.notMatch(logged, 'geheimer-text', 'queries are not logged')
    t.match(logged, /"GET \/api\/decks HTTP\/1\.1" 200/, 'requests are logged')
    t.notMatch(logged, /healthz|readyz/, 'probes are not logged')
  })

  const database = await openDatabase({
    databaseUrl: variables.DATABASE_URL,
    dataDir: '',
    poolMax: 1,
    onIdleError: () => {},
  })
  t.teardown(() => database.close())
  const { db } = database

  await t.test('counts failed logins per client on both instances', async (t) => {
    const stranger = clientAt('127.0.0.8')
    const statuses = []
    for (let i = 0; i < 8; i++) {
      const forged = { 'x-forwarded-for': `203.0.113.${i}` }
      statuses.push((await stranger.ask('POST', '/api/auth/login', forged, { ...login, password: 'falsch' })).status)
      await holdLoginLimits(db)
    }
    t.strictSame(statuses, [401, 401, 401, 401, 401, 401, 429, 429])
    t.equal((await ask('POST', '/api/auth/login', {}, login)).status, 200)
  })

  await t.test("a slow reader of the export does not fill the proxy's disk", async (t) => {
    const { id } = await createDeck(db)
    await createCard(db, { deck_id: id, answer: 'x'.repeat(10_000) })
    await sql`
      insert into cards (deck_id, question, answer, level, sort_order)
      select deck_id, question, answer, level, n from cards, generate_series(1, 3000) as n
      where deck_id = ${id}`.execute(db)
    const earlier = await readFile(errorLog, 'utf8')
    const response = await send('GET', '/api/decks/export-anki', { cookie })
    await sleep(1_500)
    const all = await text(response)
    t.ok(all.length > 30_000_000, 'all of it arrives')
    t.notMatch((await readFile(errorLog, 'utf8')).slice(earlier.length), /buffered to a temporary file/)
  })

  await t.test('stopping an instance under load loses no request', async (t) => {
    const before = await countResults()
    const failures: string[] = []
    let [posts, gets, running] = [0, 0, true]
    const work = async (index: number) => {
      while (running) {
        const isPost = index % 2 === 0
        const response = await (isPost
          ? askOnce('POST', '/api/quiz/submit', { cookie }, { total: 2, correct: 1 })
          : askOnce('GET', '/api/decks', { cookie })
        ).catch((error: Error) => ({ status: 0, text: error.message }))
        if (response.status !== 200) failures.push(`${isPost ? 'POST' : 'GET'}: ${response.status} ${response.text}`)
        if (isPost) posts++
        else gets++
      }
    }
    const watch = async () => {
      while (running) {
        const { status } = await askOnce('GET', '/readyz')
        if (status !== 200) failures.push(`readyz: ${status}`)
        await sleep(200)
      }
    }
    const workers = [watch(), ...Array.from({ length: CLIENTS }, (_, index) => work(index))]
    await sleep(1_500)
    const [first] = instances
    const stopped = first?.stop('SIGTERM')
    const isReady = async () => (await fetch(`${first?.url}/readyz`)).status === 200
    // `fetch` rejects, and the test fails, if the service closes the listener before it reports not-ready.
    while (await isReady()) await sleep(20)
    t.equal(await stopped, 0, 'it stops cleanly')
    while (posts <= 20 || gets <= 20) await sleep(20)
    running = false
    await Promise.all(workers)
    t.comment(`${posts} POST, ${gets} GET, ${failures.length} failed`)
    t.strictSame(failures, [], 'every request is answered')
    t.equal((await countResults()) - before, posts, 'each POST took effect once')
  })

  async function countResults(): Promise<number> {
    const { count } = await db
      .selectFrom('quiz_results')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
})
