import { once } from 'node:events'
import { Agent, get, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createStoreVariables, firstLogin, loginOver, startProcess } from '../support/process.js'

/** The status of a request on a connection of its own, or the code of the error. */
function ask(url: string): Promise<number | string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

t.test('told to stop while a large deck is read, it answers who has just come, and the import', async (t) => {
  const folder = await writeContentFolder(t, { 'decks/a.md': deckFile('A', [{ id: 'eins' }]) })
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR: folder }
  const service = await startProcess(t, variables)
  const send = await loginOver(service.url, firstLogin(service, variables))
  const cards = Array.from({ length: 15_000 }, (_, index) => ({
    id: `karte-${index}`,
    answer: 'Ein Satz. '.repeat(20),
  }))
  // Refused when it has been read, so that nothing else keeps the import.
  await changeFiles(folder, { 'decks/a.md': deckFile('A', [...cards, { id: 'karte-0' }]) })

  const imported = send('/api/admin/import', { method: 'POST' })
  await sleep(200)
  const fresh = Promise.all(Array.from({ length: 20 }, () => ask(`${service.url}/healthz`)))
  await sleep(5)
  const ended = service.stop('SIGTERM')
  t.strictSame(await fresh, Array(20).fill(200))
  const answer = await imported
  t.equal(answer.status, 400)
  t.match(await answer.json(), { errors: [{ file: 'decks/a.md', message: /hat schon die Karte/ }] })
  t.equal(await ended, 0)
})

t.test('a connection that was answered while closing is not waited for', async (t) => {
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
  // The service has closed all connections that were idle before the answer is sent.
  await sleep(500)
  outgoing.end(body)
  const [answer] = await answered
  answer.resume()
  t.equal(answer.statusCode, 401)
  const started = performance.now()
  t.equal(await ended, 0)
  t.ok(performance.now() - started < 5_000, 'well before all connections are cut')
})
