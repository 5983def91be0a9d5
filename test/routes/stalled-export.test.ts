import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { ASSIGNMENT } from '../support/assignments.js'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createDeck } from '../support/factories.js'
import { detectLastChunk } from '../support/last-chunk.js'
import { waitForDisconnect, waitForQuiet } from '../support/quiet.js'
import { startService } from '../support/service.js'

const CARDS = 5_000
const BATCHES = CARDS / 500
/** With 10 kB each, more than the buffers of a connection hold */
const PERSONS = 1_500

// The embedded database has a single connection, so a stalled export must not hold it.
const { database, count, countOf } = countStatements(await createMigratedDatabase())
const service = await startService(t, { database, now: () => new Date('2026-12-04T10:00:00Z') })
const { app, db } = service
const member = await service.member()
const deck = await createDeck(db)
await sql`
  insert into cards (deck_id, question, answer)
  select ${deck.id}, 'Frage ' || number, repeat('0123456789', 1000) from generate_series(1, ${CARDS}::integer) as number`.execute(
  db,
)
// Prevents statements of the search index during the test.
await sql`delete from search_pending`.execute(db)
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo

async function stall(path = '/api/decks/export-anki') {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${member.cookie}\r\n\r\n`)
  await waitForQuiet(database, count)
  return socket
}

t.test('a stalled download holds no connection and stops reading', async (t) => {
  const before = count()
  const sockets = await Promise.all([stall(), stall(), stall()])
  // An export sends statements for the session and the decks, and for batches until the buffers are full.
  t.ok(count() - before < sockets.length * (2 + BATCHES - 1), `${count() - before} statements`)
  const statements = await countOf(async () => {
    for (const path of ['/api/decks', '/api/quiz/generate', '/api/cheatsheets']) {
      t.equal((await member.get(path)).status, 200, path)
    }
  })
  t.equal(statements, 6)

  const [first, ...others] = sockets
  for (const socket of others) socket.destroy()
  let bytes = 0
  const isLastChunk = detectLastChunk()
  first?.on('data', (chunk) => {
    bytes += chunk.length
    if (isLastChunk(chunk)) first.end()
  })
  first?.resume()
  await once(first as (typeof sockets)[0], 'close')
  t.ok(bytes > CARDS * 10_000, 'a client that continues to read gets the rest')
})

t.test('stops reading after a disconnect', async (t) => {
  const before = count()
  const socket = await stall()
  socket.destroy()
  await waitForDisconnect(app.server)
  await waitForQuiet(database, count)
  t.ok(count() - before < 2 + BATCHES - 1, `${count() - before} statements`)
  t.equal((await member.get('/api/decks')).status, 200)
})

t.test('a stalled table does not delay the expensive requests of its user', async (t) => {
  await sql`
    insert into users (username, display_name, created_at)
    select 'person-' || number, 'Person ' || number, '2026-01-01'
    from generate_series(1, ${PERSONS}::integer) as number`.execute(db)
  const admin = await service.admin()
  const parts = [{ kind: 'personal', title: 'Rundgang' }]
  const values = { ...ASSIGNMENT, parts, audience: { everybody: true }, responsible_id: member.id }
  const { id } = (await admin.post('/api/assignments', values)).body.assignment
  await sql`update assignments set title = repeat('0123456789', 1000)`.execute(db)
  await sql`update assignment_parts set title = repeat('0123456789', 1000)`.execute(db)
  for (const path of [`/api/assignments/${id}/occurrences.csv`, '/api/proofs/expiring.csv']) {
    const socket = await stall(path)
    t.equal((await member.get('/api/quiz/generate')).status, 200, path)
    let head = ''
    let bytes = 0
    const isLastChunk = detectLastChunk()
    socket.on('data', (chunk) => {
      if (bytes === 0) head = chunk.toString('latin1')
      bytes += chunk.length
      if (isLastChunk(chunk)) socket.end()
    })
    socket.resume()
    await once(socket, 'close')
    t.match(head, /^HTTP\/1\.1 200 /, path)
    t.ok(bytes > PERSONS * 10_000, path)
  }
})
