import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createDeck } from '../support/factories.js'
import { waitForDisconnect, waitForQuiet } from '../support/quiet.js'
import { startService } from '../support/service.js'

const CARDS = 3_000
const BATCHES = CARDS / 500

// The embedded database has a single connection, so a stalled export must not hold it.
const { database, count, countOf } = countStatements(await createMigratedDatabase())
const service = await startService(t, { database })
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

async function stall() {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  await once(socket, 'connect')
  socket.write(`GET /api/decks/export-anki HTTP/1.1\r\nHost: localhost\r\nCookie: ${member.cookie}\r\n\r\n`)
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
  first?.on('data', (chunk) => {
    bytes += chunk.length
    if (chunk.toString('latin1').endsWith('0\r\n\r\n')) first.end()
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
