import pg from 'pg'
import t from 'tap'
import { createDuplex } from '../../db/embedded/duplex.js'

t.test('a connection fails if the embedded database cannot be started', async (t) => {
  const fault = new Error('The store cannot be opened')
  let ended = 0
  const session = { begin: () => Promise.reject(fault), end: () => ended++ }
  const client = new pg.Client({ stream: () => createDuplex(session), user: 'postgres', database: 'postgres' })
  client.on('error', () => {})
  await t.rejects(client.connect(), fault)
  t.equal(ended, 1, 'the next connection does not wait for this one')
})
