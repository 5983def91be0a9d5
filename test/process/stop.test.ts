import { once } from 'node:events'
import { Agent, get, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createStoreVariables, firstLogin, loginOver, openSession, startProcess } from '../support/process.js'

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

t.test('answers new requests and the import if stopped while reading a large deck', async (t) => {
  const folder = await writeContentFolder(t, { 'decks/a.md': deckFile('A', [{ id: 'eins' }]) })
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR: folder }
  const service = await startProcess(t, variables)
  const send = await loginOver(service.url, firstLogin(service, variables))
  const cards = Array.from({ length: 15_000 }, (_, index) => ({
    id: `karte-${index}`,
    answer: 'Ein Satz. '.repeat(20),
  }))
  // The repeated card id makes the import fail after reading, so that only reading takes time.
  await changeFiles(folder, { 'decks/a.md': deckFile('A', [...cards, { id: 'karte-0' }]) })

  const imported = send('/api/admin/import', { method: 'POST' })
  await sleep(200)
  const fresh = Array.from({ length: 20 }, () => ask(`${service.url}/healthz`))
  await Promise.all(fresh.map(({ connected }) => connected))
  const ended = service.stop('SIGTERM')
  t.strictSame(await Promise.all(fresh.map(({ answered }) => answered)), Array(20).fill(200))
  const answer = await imported
  t.equal(answer.status, 400)
  t.match(await answer.json(), { errors: [{ file: 'decks/a.md', message: /hat schon die Karte/ }] })
  t.equal(await ended, 0)
})

t.test('does not wait for a connection that was answered while closing', async (t) => {
  const service = await startProcess(t, await createStoreVariables(t))
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const body = '{"username":"a","password":"b"}'
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const outgoing = request(`${service.url}/api/auth/login`, { method: 'POST', agent, headers })
  const answered = once(outgoing, 'response')
  outgoing.flushHeaders()
  await sleep(200)
  const ended = service.stop('SIGTERM')
  // Half a second is enough for the service to close its idle connections.
  await sleep(500)
  outgoing.end(body)
  const [answer] = await answered
  answer.resume()
  t.equal(answer.statusCode, 401)
  const started = performance.now()
  t.equal(await ended, 0)
  t.ok(performance.now() - started < 5_000, 'well before all connections are cut')
})

const bigDeck = (count: number, id = 'karte') =>
  deckFile(
    'A',
    Array.from({ length: count }, (_, index) => ({ id: `${id}-${index}`, answer: 'Ein Satz. '.repeat(20) })),
  )

t.test('answers an import that ends soon after the signal', async (t) => {
  const folder = await writeContentFolder(t, { 'decks/a.md': deckFile('A', [{ id: 'eins' }]) })
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR: folder }
  const service = await startProcess(t, variables)
  const send = await loginOver(service.url, firstLogin(service, variables))
  await changeFiles(folder, { 'decks/a.md': bigDeck(3_000) })
  const imported = send('/api/admin/import?force=true', { method: 'POST' })
  await sleep(100)
  const ended = service.stop('SIGTERM')
  const answer = await imported
  t.equal(answer.status, 200)
  t.match(await answer.json(), { stats: { cards: { created: 3_000 } } })
  t.equal(await ended, 0)
})

t.test('rolls back work that would outlast the shutdown, and responds with 503', async (t) => {
  const folder = await writeContentFolder(t, { 'decks/a.md': deckFile('A', [{ id: 'eins' }]) })
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR: folder }
  const service = await startProcess(t, variables)
  const login = firstLogin(service, variables)
  const cookie = await openSession(service.url, login)
  const send = await loginOver(service.url, login)
  await changeFiles(folder, { 'decks/a.md': bigDeck(100_000) })
  const upload = (check: boolean, body: string | ReadableStream) =>
    fetch(`${service.url}/api/content/imports?name=B&check=${check}`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/octet-stream' },
      body,
      duplex: 'half',
    } as RequestInit)
  const rows = Array.from({ length: 100_000 }, (_, index) => `Frage ${index};${'Antwort '.repeat(20)}\n`).join('')
  const slow = new ReadableStream({
    async pull(controller) {
      await sleep(100)
      controller.enqueue(Buffer.alloc(10_000, 'a;b\n'))
    },
  })

  const answers = [send('/api/admin/import?force=true', { method: 'POST' }), upload(true, slow)]
  const check = upload(true, rows)
  await sleep(500)
  const started = performance.now()
  const ended = service.stop('SIGTERM')
  // The check may finish before the service stops.
  const checked = await check
  if (checked.status === 200) t.match(await checked.json(), { check: true })
  else answers.push(Promise.resolve(checked))
  for (const pending of answers) {
    const answer = await pending
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('x-error-code'), 'service_stops')
    t.match(answer.headers.get('retry-after'), /^\d+$/)
    t.match(await answer.json(), { message: /^Der Dienst wird gerade beendet; / })
  }
  t.equal(await ended, 0)
  t.ok(performance.now() - started < 9_000, 'before all connections are cut')

  await changeFiles(folder, { 'decks/a.md': deckFile('A', [{ id: 'eins' }, { id: 'zwei' }]) })
  const again = await startProcess(t, variables)
  const ask = await loginOver(again.url, login)
  t.match(await (await ask('/api/decks')).json(), { decks: [{ slug: 'a', card_count: 1 }] })
  t.match(await (await ask('/api/content/state')).json(), {
    last_import: { outcome: 'refused', error: /^Der Dienst wird gerade beendet; / },
  })
  t.equal((await ask('/api/admin/import', { method: 'POST' })).status, 200)
  await again.stop()
})
