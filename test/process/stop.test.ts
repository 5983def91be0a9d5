import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { buffer, json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import t, { type Test } from 'tap'
import { migrateToLatest } from '../../db/migrate.js'
import type { Database } from '../../db/types.js'
import { issueCertificate } from '../support/assignments.js'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { openOnServer, startBehindLock } from '../support/database.js'
import { createUser, PASSWORD } from '../support/factories.js'
import {
  createStoreVariables,
  firstLogin,
  loginOver,
  openSession,
  repeatRefused,
  startProcess,
  withStore,
} from '../support/process.js'

const CUT = /cutting connections/

/** Settings under which running requests finish, however slow the machine is */
const FINISH = { SHUTDOWN_GRACE: '600' }
/** Settings under which running requests are aborted at once */
const ABORT = { SHUTDOWN_GRACE: '0' }

/** Sends a request on a new connection. `answered` resolves with the response status or the error code. */
function ask(url: string): { connected: Promise<void>; answered: Promise<number | string> } {
  const request = get(url, { agent: false })
  const answered = new Promise<number | string>((resolve) => {
    request.once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
  const connected = new Promise<void>((resolve) => {
    request.once('socket', (socket) => socket.once('connect', () => resolve()))
    request.once('error', () => resolve())
  })
  return { connected, answered }
}

/** Sends the headers of a POST. Resolves when the service has received them, because it then answers with 100. */
async function beginPost(url: string, options: RequestOptions & { headers: Record<string, string> }) {
  const headers = { ...options.headers, expect: '100-continue' }
  const outgoing = request(url, { agent: false, ...options, method: 'POST', headers })
  const answered = once(outgoing, 'response').then(([response]) => response as IncomingMessage)
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  return { outgoing, answered }
}

async function untilListenerIsClosed(url: string): Promise<void> {
  while ((await ask(`${url}/healthz`).answered) !== 'ECONNREFUSED') await sleep(20)
}

t.test('answers new requests and the import if stopped while reading a large deck', async (t) => {
  const folder = await writeContentFolder(t, { 'decks/a.md': deckFile('A', [{ id: 'eins' }]) })
  const variables: Record<string, string> = { ...(await createStoreVariables(t)), ...FINISH, CONTENT_DIR: folder }
  const service = await startProcess(t, variables)
  const cookie = await openSession(service.url, firstLogin(service, variables))
  const cards = Array.from({ length: 4_000 }, (_, index) => ({
    id: `karte-${index}`,
    answer: 'Ein Satz. '.repeat(20),
  }))
  // The repeated card id makes the import fail after reading, so that only reading takes time.
  await changeFiles(folder, { 'decks/a.md': deckFile('A', [...cards, { id: 'karte-0' }]) })

  const { outgoing, answered: imported } = await beginPost(`${service.url}/api/admin/import`, { headers: { cookie } })
  outgoing.end()
  const fresh = Array.from({ length: 20 }, () => ask(`${service.url}/healthz`))
  await Promise.all(fresh.map(({ connected }) => connected))
  const ended = service.stop('SIGTERM')
  t.strictSame(await Promise.all(fresh.map(({ answered }) => answered)), Array(20).fill(200))
  const response = await imported
  t.equal(response.statusCode, 400)
  t.match(await json(response), { errors: [{ file: 'decks/a.md', message: /hat schon die Karte/ }] })
  t.equal(await ended, 0)
})

t.test('does not wait for a connection that was answered while closing', async (t) => {
  const service = await startProcess(t, { ...(await createStoreVariables(t)), ...FINISH })
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const body = '{"username":"a","password":"b"}'
  const headers = { 'content-type': 'application/json', 'content-length': `${body.length}` }
  // On a busy machine, the service refuses requests just after its start.
  await repeatRefused(() => fetch(`${service.url}/api/decks`))
  const { outgoing, answered } = await beginPost(`${service.url}/api/auth/login`, { agent, headers })
  const ended = service.stop('SIGTERM')
  await untilListenerIsClosed(service.url)
  outgoing.end(body)
  const response = await answered
  response.resume()
  t.equal(response.statusCode, 401)
  t.equal(await ended, 0)
  t.notMatch(service.output(), CUT)
})

const bigDeck = (count: number, id = 'karte') =>
  deckFile(
    'A',
    Array.from({ length: count }, (_, index) => ({ id: `${id}-${index}`, answer: 'Ein Satz. '.repeat(20) })),
  )

t.test('answers an import that ends soon after the signal', async (t) => {
  const folder = await writeContentFolder(t, { 'decks/a.md': deckFile('A', [{ id: 'eins' }]) })
  const variables: Record<string, string> = { ...(await createStoreVariables(t)), ...FINISH, CONTENT_DIR: folder }
  const service = await startProcess(t, variables)
  const cookie = await openSession(service.url, firstLogin(service, variables))
  await changeFiles(folder, { 'decks/a.md': bigDeck(100) })
  const { outgoing, answered } = await beginPost(`${service.url}/api/admin/import?force=true`, { headers: { cookie } })
  outgoing.end()
  const ended = service.stop('SIGTERM')
  const response = await answered
  t.equal(response.statusCode, 200)
  t.match(await json(response), { stats: { cards: { created: 100 } } })
  t.equal(await ended, 0)
})

async function expectStopping(t: Test, response: IncomingMessage): Promise<void> {
  t.equal(response.statusCode, 503)
  t.match(response.headers, { 'x-error-code': 'service_stops', 'retry-after': /^\d+$/ })
  t.match(await json(response), { message: /^Der Dienst wird gerade beendet; / })
}

t.test('rolls back work that would outlast the shutdown, and responds with 503', async (t) => {
  const folder = await writeContentFolder(t, { 'decks/a.md': deckFile('A', [{ id: 'eins' }]) })
  const variables: Record<string, string> = { ...(await createStoreVariables(t)), ...ABORT, CONTENT_DIR: folder }
  const service = await startProcess(t, variables)
  const login = firstLogin(service, variables)
  const cookie = await openSession(service.url, login)
  await changeFiles(folder, { 'decks/a.md': deckFile('A', [{ id: 'zwei' }]) })
  const upload = await beginPost(`${service.url}/api/content/imports?name=B&check=true`, {
    headers: { cookie, 'content-type': 'application/octet-stream' },
  })
  upload.outgoing.write('this upload never ends;by itself\n')
  let ended: Promise<number | string> | undefined
  const stop = async () => {
    ended = service.stop('SIGTERM')
    await expectStopping(t, await upload.answered)
  }
  const databaseUrl = variables.DATABASE_URL
  if (databaseUrl === undefined) await stop()
  else {
    const database = await openOnServer(databaseUrl, { poolMax: 2 })
    t.teardown(() => database.close())
    const lockCards = (transaction: Transaction<Database>) => sql`lock table cards in share mode`.execute(transaction)
    const startImport = async () => {
      const { outgoing, answered } = await beginPost(`${service.url}/api/admin/import?force=true`, {
        headers: { cookie },
      })
      outgoing.end()
      return answered
    }
    // The service aborts the work in progress. The import notices it before its next statement, after the lock.
    for (const response of await startBehindLock(database, lockCards, [startImport], stop))
      await expectStopping(t, response)
  }
  t.equal(await ended, 0)
  t.notMatch(service.output(), CUT)

  await changeFiles(folder, { 'decks/a.md': deckFile('A', [{ id: 'eins' }, { id: 'zwei' }]) })
  const again = await startProcess(t, variables)
  const ask = await loginOver(again.url, login)
  t.match(await (await ask('/api/decks')).json(), { decks: [{ slug: 'a', card_count: 1 }] })
  if (databaseUrl !== undefined) {
    const refused = { outcome: 'refused', error: /^Der Dienst wird gerade beendet; / }
    t.match(await (await ask('/api/content/state')).json(), { last_import: refused })
  }
  t.equal((await ask('/api/admin/import', { method: 'POST' })).status, 200)
  await again.stop()
})

t.test('cuts a ZIP of proofs short, so that the client cannot take it for a whole one', async (t) => {
  const variables: Record<string, string> = { ...(await createStoreVariables(t)), ...ABORT }
  // More than the buffers of both sockets hold, so that the service waits for the client.
  const { assignmentId, username } = await withStore(variables, async (db) => {
    await migrateToLatest(db)
    const { id: user_id, username } = await createUser(db, { is_admin: true })
    const row = { title: 'Brandschutz', description: '', mandatory: true, retention_years: 2, created_on: '2026-12-01' }
    const values = { ...row, starts_on: '2026-12-01', due_on: '2026-12-31' }
    const { id } = await db.insertInto('assignments').values(values).returning('id').executeTakeFirstOrThrow()
    for (let at = 0; at < 1_200; at++)
      await issueCertificate(db, { id, title: 'Brandschutz' }, user_id, { name: 'Ada' })
    return { assignmentId: id, username }
  })
  const service = await startProcess(t, variables)
  const cookie = await openSession(service.url, { username, password: PASSWORD })
  const url = `${service.url}/api/assignments/${assignmentId}/proofs.zip?purpose=Archiv`
  const download = get(url, { agent: false, headers: { cookie } })
  const [response] = (await once(download, 'response')) as [IncomingMessage]
  t.equal(response.statusCode, 200)
  await once(response, 'readable')
  t.equal(await service.stop('SIGTERM'), 0)
  t.notMatch(service.output(), CUT)
  await t.rejects(buffer(response), { code: 'ECONNRESET' })
})
