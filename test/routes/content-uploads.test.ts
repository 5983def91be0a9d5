import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { tryLock } from '../../db/queries/try-lock.js'
import { commandLineActor } from '../../src/commands/actor.js'
import { IMPORT_RUNS } from '../../src/domain/content/refusals.js'
import { importUpload } from '../../src/services/content/upload/import.js'
import { readUpload } from '../../src/services/content/upload/read.js'
import { withReceivedFile } from '../../src/services/content/upload/receive.js'
import { prepareWorkFolders, withWorkFolder } from '../../src/services/content/work-folder.js'
import { createDatabaseToSpoil, lend, TEST_DATABASE_URL, waitUntilBlocked } from '../support/database.js'
import { createCard, createDeck } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'
import { until } from '../support/until.js'

const tmpDir = await mkdtemp(path.join(tmpdir(), 'svc-training-uploads-'))
t.teardown(() => rm(tmpDir, { recursive: true }))
const database = await createDatabaseToSpoil()
const service = await startService(t, { database, config: { tmpDir } })
const { app, db } = service
const admin = await service.admin()
const member = await service.member()

/** Starts the service, or the given one, on a port. */
async function listen(one = app): Promise<number> {
  await one.listen({ host: '127.0.0.1', port: 0 })
  return (one.server.address() as AddressInfo).port
}
const port = await listen()
/** Port of a service on the same database with a short time limit for bodies that are no uploads */
const impatient = await listen(
  (await startService(t, { database: lend(database), config: { tmpDir }, requestTimeoutMs: 700 })).app,
)

const TYPE = { 'content-type': 'application/octet-stream' }
const tableOf = (cards: Record<string, string>) =>
  Buffer.from(
    `id;Frage;Antwort\n${Object.entries(cards)
      .map(([id, answer]) => `${id};Frage ${id}?;${answer}\n`)
      .join('')}`,
  )
const upload = (query: string, table: Buffer) => admin.post(`/api/content/imports?${query}`, table, { headers: TYPE })
const countCards = async () =>
  Number((await sql<{ n: number }>`select count(*) as n from cards`.execute(db)).rows[0]?.n)

const isEmpty = async () => (await readdir(tmpDir)).length === 0

/** Sends a body in pieces with pauses of `pause` milliseconds. Returns the response's status and parsed body. */
async function drip(
  url: string,
  headers: Record<string, string>,
  pieces: Buffer[],
  { pause = 1, to = port }: { pause?: number; to?: number } = {},
) {
  const outgoing = request({
    host: '127.0.0.1',
    port: to,
    method: 'POST',
    path: url,
    headers: { cookie: admin.cookie, ...headers },
  })
  const answered = once(outgoing, 'response')
  outgoing.on('error', () => {})
  for (const piece of pieces) {
    outgoing.write(piece)
    await sleep(pause)
  }
  outgoing.end()
  const [answer] = await answered
  const text = (await answer.toArray()).join('')
  return { status: answer.statusCode as number, body: JSON.parse(text) }
}

t.test('an upload may be slow, other bodies may not', async (t) => {
  const table = tableOf({ a: 'eins', b: 'zwei' })
  const pieces = [...table].map((byte) => Buffer.from([byte])).slice(0, 20)
  pieces.push(table.subarray(20))
  const slow = await drip(
    '/api/content/imports?name=langsam.csv',
    { ...TYPE, 'transfer-encoding': 'chunked' },
    pieces,
    { pause: 60, to: impatient },
  )
  t.match(slow, { status: 200, body: { stats: { cards: { created: 2 } } } }, 'longer than 0.7 s')

  const json = Buffer.from('{"username":"a","password":"b"}')
  const headers = { 'content-type': 'application/json', 'content-length': String(json.length) }
  const bytes = [...json].map((byte) => Buffer.from([byte]))
  const cut = await drip('/api/auth/login', headers, bytes, { pause: 60, to: impatient })
  t.match(cut, { status: 408, body: { message: 'Zeitüberschreitung der Anfrage' } })
})

t.test('each user reads one file at a time, and an upload that waits too long is refused as busy', async (t) => {
  const folder = await mkdtemp(path.join(tmpDir, 'files-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const options = { fileName: 'x.csv', defaultDeck: 'x', workFolder: folder, levels: [] }
  const table = path.join(folder, 'tabelle')
  await writeFile(table, tableOf({ a: 'eins' }))
  // A reader waits for a named pipe until the pipe is opened for writing.
  const pipes = ['eins', 'zwei'].map((name) => path.join(folder, name))
  execFileSync('mkfifo', pipes)
  const patient = { maxWaitMs: 600_000 }
  const slow = [
    readUpload(pipes[0] as string, options, { userId: 1 }),
    readUpload(pipes[1] as string, options, { userId: 2, maxWaitMs: 0 }),
  ]
  const refused = Promise.all(slow.map((one) => t.rejects(one, { code: 'ESPIPE' })))
  const waiting = [
    readUpload(table, options, { userId: 1, ...patient }),
    readUpload(table, options, { userId: 1, ...patient }),
  ]
  const busy = { kind: 'unavailable', code: 'readers_busy', retryAfter: 5 }
  await t.rejects(readUpload(table, options, { userId: 3, maxWaitMs: 20 }), busy)
  const signal = AbortSignal.timeout(20)
  await t.rejects(readUpload(table, options, { userId: 1, signal }), { name: 'TimeoutError' })
  for (const pipe of pipes) await writeFile(pipe, '')
  await refused
  for (const incoming of await Promise.all(waiting)) t.equal(incoming.kind, 'table')
})

t.test('neither receives nor reads an upload after the signal to stop', async (t) => {
  const folder = await mkdtemp(path.join(tmpDir, 'stopped-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const stopped = { name: 'ServiceStopped' }
  const signal = AbortSignal.abort(Object.assign(new Error('stopped'), stopped))
  const endless = new Readable({ read() {} })
  const unexpected = async () => t.fail('the stopped upload was read')
  await t.rejects(withReceivedFile(endless, folder, 100, unexpected, { signal }), stopped)
  t.same(await readdir(folder), [], 'leaves no file')
  const options = { fileName: 'x.csv', defaultDeck: 'x', workFolder: folder, levels: [] }
  await t.rejects(readUpload(path.join(folder, 'missing'), options, { userId: null, signal }), stopped)
})

t.test('a body that is no longer read has the normal time limit', async (t) => {
  for (const [url, cookie, status] of [
    ['/api/content/imports?name=x.csv', 'a=b', 401],
    ['/api/content/imports?name=x.csv', member.cookie, 403],
    ['/api/content/imports?name=x.csv', admin.cookie, 413],
    ['/api/%zz', 'a=b', 400],
  ] as const) {
    const socket = connect(impatient, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    const closed = once(socket, 'close')
    socket.write(
      `POST ${url} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nContent-Type: application/octet-stream\r\nContent-Length: 99999999999\r\n\r\nx`,
    )
    await closed
    t.equal(text.slice(9, 12), String(status), url)
  }
})

t.test('an interrupted upload leaves no file', async (t) => {
  const before = await countCards()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /api/content/imports?name=x.csv HTTP/1.1\r\nHost: x\r\nCookie: ${admin.cookie}\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\n${'id;Frage;Antwort\n'.repeat(50)}`,
  )
  await until(async () => !(await isEmpty()))
  socket.destroy()
  await until(isEmpty)
  t.equal(await countCards(), before)
  t.equal((await upload('name=danach.csv', tableOf({ c: 'drei' }))).status, 200, 'the lock is free')
})

t.test('a file beyond the limit is refused, and the connection stays usable', async (t) => {
  const piece = Buffer.alloc(2 ** 20, 'x')
  const response = await drip(
    '/api/content/imports?name=x.csv',
    { ...TYPE, 'transfer-encoding': 'chunked' },
    Array(6).fill(piece),
  )
  t.match(response, { status: 413, body: { message: /^Datei zu groß: mehr als \d+ MB \(IMPORT_MAX_MB\)$/ } })
  await until(isEmpty)
})

t.test('of two concurrent imports one is refused; a preview may run', async (t) => {
  const folder = await mkdtemp(path.join(tmpDir, 'pipe-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const table = tableOf({ y: '2' })
  // The first import reads until the pipe is opened for writing.
  const pipe = path.join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const file = { path: pipe, size: 1, folder }
  const options = { name: 'a', fileName: 'a.csv', userId: null, mediaMaxBytes: 0, timeoutMs: 600_000 }
  const first = t.rejects(importUpload(db, commandLineActor(), file, options), { code: 'ESPIPE' })
  t.strictSame((await upload('name=b.csv', table)).body, errorBody(409, 'Import läuft bereits'))
  await t.rejects(importUpload(db, commandLineActor(), file, options), IMPORT_RUNS)
  t.equal((await upload('name=c.csv&check=true', table)).status, 200)
  await writeFile(pipe, '')
  await first
  t.equal((await upload('name=b.csv', table)).status, 200)
})

t.test(
  'the import lock covers all instances',
  { skip: !TEST_DATABASE_URL && 'the embedded database has one' },
  async (t) => {
    const [source] = (await admin.get('/api/content/sources')).body.sources
    await db.transaction().execute(async (transaction) => {
      t.ok(await tryLock(transaction, 'import'))
      for (const response of [
        await upload('name=z.csv', tableOf({ z: '1' })),
        await admin.delete(`/api/content/sources/${source.id}`),
        await admin.post(`/api/content/sources/${source.id}/release`),
      ]) {
        t.strictSame(response.body, errorBody(409, 'Import läuft bereits'))
      }
    })
  },
)

t.test('keeps ratings given during an upload', async (t) => {
  const cards = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, `Antwort ${index}`]))
  const { body } = await upload('name=bewertet.csv', tableOf(cards))
  const { rows } = await sql<{ id: number }>`
    select cards.id from cards join decks on decks.id = deck_id where slug = 'bewertet' order by cards.id`.execute(db)
  const changed = Object.fromEntries(Object.keys(cards).map((id) => [id, `Neu ${id}`]))
  const [imported, ...rated] = await Promise.all([
    upload(`source=${body.source.id}&deck=Anderswo`, tableOf(changed)),
    ...rows.slice(0, 20).map(({ id }) => member.post('/api/review', { card_id: id, rating: 'easy' })),
  ])
  t.match(imported?.body.stats, { cards: { created: 0, updated: 60 }, decks: { created: 1, archived: 1 } })
  for (const { status } of rated) t.equal(status, 200)
  const progress = await db
    .selectFrom('card_progress')
    .innerJoin('decks', 'decks.id', 'deck_id')
    .select('slug')
    .where('user_id', '=', member.id)
    .execute()
  t.strictSame(
    progress.map(({ slug }) => slug),
    Array(20).fill('anderswo'),
  )
})

t.test('a request about a card waits for the upload that moves it to a new deck', async (t) => {
  const { id: card_id } = await createCard(db, { deck_id: (await createDeck(db)).id })
  const actions = {
    'puts it off': () => member.post(`/api/review/cards/${card_id}/tomorrow`, {}),
    'rates it': () => member.post('/api/review', { card_id, rating: 'easy' }),
    'resets it': () => member.post(`/api/review/cards/${card_id}/reset`),
  }
  for (const [name, act] of Object.entries(actions)) {
    let answered: ReturnType<typeof act> | undefined
    await db.transaction().execute(async (transaction) => {
      const deck = await createDeck(transaction)
      await transaction.updateTable('cards').set({ deck_id: deck.id }).where('id', '=', card_id).execute()
      answered = act()
      await waitUntilBlocked(service.database)
    })
    t.match(await answered, { status: 200 }, name)
  }
})

t.test('a failure in the middle rolls everything back', async (t) => {
  const state = async () => ({
    cards: await db.selectFrom('cards').selectAll().orderBy('id').execute(),
    sources: await db.selectFrom('content_sources').selectAll().orderBy('id').execute(),
    audit: (await db.selectFrom('audit_log').select('id').execute()).length,
  })
  await sql`
    create function fail_here() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`.execute(db)
  await sql`create trigger fail_here after insert on imported_cards execute function fail_here()`.execute(db)
  const before = await state()
  const table = tableOf(Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`n${index}`, 'x'])))
  t.equal((await upload('name=kaputt.csv', table)).status, 500)
  t.strictSame(await state(), before)
  await sql`drop trigger fail_here on imported_cards`.execute(db)
  await sql`drop function fail_here`.execute(db)
  t.match((await upload('name=kaputt.csv', table)).body.stats, { cards: { created: 1_100 } })
})

t.test('counts all faults of a file and reports ten of each kind', async (t) => {
  const rows = Array.from({ length: 300 }, (_, index) => `i${index};Frage?;\n`).join('')
  const { status, body } = await upload('name=faul.csv', Buffer.from(`id;Frage;Antwort\n${rows}`))
  t.strictSame([status, body.errors?.length, body.errors_total], [400, 11, 300])
  t.strictSame(body.errors?.slice(-2), [
    { file: 'faul.csv', line: 11, message: 'Die Antwort ist leer' },
    { file: 'faul.csv', line: 12, message: '… und 290 weitere dieser Art: Die Antwort ist leer', more: 290 },
  ])
  t.equal(body.message, 'Import abgebrochen: 300 Fehler in den Inhalten')
})

t.test('reports a full disk', async (t) => {
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
  await t.rejects(
    withWorkFolder(tmpDir, 'upload', () => Promise.reject(full)),
    { message: /kein Platz/ },
  )
  await t.rejects(
    withReceivedFile(Readable.from(['']), tmpDir, 10, async () => 1),
    { message: 'Die Anfrage enthält keine Datei' },
  )
})

t.test('ends an upload that stalls or is too slow', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  /** Returns a body whose chunks arrive one at the end of each window of 20 s. A null ends it; without, it stays open. */
  const arriving = (...sizes: (number | null)[]) => {
    const body = new Readable({
      highWaterMark: 1,
      // Called when the previous chunk has been read.
      read() {
        setImmediate(() => {
          mock.timers.tick(20_000)
          const size = sizes.shift()
          if (size !== undefined) body.push(size === null ? null : Buffer.alloc(size))
        })
      },
    })
    body.push('x'.repeat(20 * 1_024))
    return body
  }
  const stalled = arriving(20 * 1_024, 20 * 1_024 - 1, 20 * 1_024)
  await t.rejects(
    withReceivedFile(stalled, tmpDir, 100_000, async () => 1),
    { kind: 'timeout', code: 'upload_too_slow', message: 'Die Datei kam zu langsam an; bitte noch einmal hochladen' },
  )
  t.notOk(stalled.destroyed, 'the connection stays open for the response')
  t.strictSame(await readdir(tmpDir), [])
  const steady = arriving(20 * 1_024, 20 * 1_024, null)
  t.equal(await withReceivedFile(steady, tmpDir, 100_000, async ({ size }) => size), 60 * 1_024)
})

t.test('reports a full disk that only SQLite detects', async (t) => {
  for (const message of ['disk I/O error', 'database or disk is full']) {
    await t.rejects(
      withWorkFolder(tmpDir, 'export', () => Promise.reject(new Error(message))),
      { code: 'no_room' },
    )
  }
})

t.test('a start deletes the folder of a process that was killed just now, but none in use', async (t) => {
  const program = `
    import { withWorkFolder } from ${JSON.stringify(new URL('../../src/services/content/work-folder.js', import.meta.url).href)}
    await withWorkFolder(${JSON.stringify(tmpDir)}, 'upload', () => new Promise(() => setInterval(() => {}, 1000).ref() && console.log('ready')))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await withWorkFolder(tmpDir, 'upload', async (own) => {
    const inUse = (await readdir(tmpDir)).sort()
    t.equal(inUse.length, 2)
    await prepareWorkFolders(tmpDir)
    t.strictSame((await readdir(tmpDir)).sort(), inUse, 'both are in use')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await prepareWorkFolders(tmpDir)
    t.strictSame(await readdir(tmpDir), [path.basename(own)])
  })
  t.strictSame(await readdir(tmpDir), [])
})

t.test('a start deletes folders of killed processes, but no younger ones', async (t) => {
  const long = new Date(Date.now() - 2 * 24 * 60 * 60_000)
  const names = ['svc-training-upload-neu', 'svc-training-upload-alt', 'svc-training-export-alt', 'fremd']
  for (const name of names) await mkdir(path.join(tmpDir, name))
  await utimes(path.join(tmpDir, 'svc-training-upload-neu'), new Date(), new Date())
  for (const name of names.slice(1)) await utimes(path.join(tmpDir, name), long, long)
  await prepareWorkFolders(tmpDir)
  t.strictSame((await readdir(tmpDir)).sort(), ['fremd', 'svc-training-upload-neu'])
  for (const name of ['fremd', 'svc-training-upload-neu']) await rm(path.join(tmpDir, name), { recursive: true })
})
