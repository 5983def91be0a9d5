import { sql } from 'kysely'
import t from 'tap'
import { readStore } from '../../db/backup/read-store.js'
import { writeStore } from '../../db/backup/write-store.js'
import { createDatabaseToSpoil, TEST_DATABASE_URL, waitUntilBlocked } from '../support/database.js'

// The embedded database has a single connection, so no restore ever waits for a lock.
const skip = TEST_DATABASE_URL === undefined && 'needs a server'

t.test('a restore lets a transaction finish that holds one table and wants another', { skip }, async (t) => {
  const database = await createDatabaseToSpoil()
  t.teardown(database.close)
  const { db } = database
  const lines = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((transaction) => collect(readStore(transaction, new Date(0))))
  const rest = lines.slice(1).values()
  let restored: ReturnType<typeof writeStore> | undefined
  await db.transaction().execute(async (request) => {
    await sql`select from cards`.execute(request)
    restored = db.transaction().execute((restore) => writeStore(restore, toAsync(rest), { replace: true }))
    await waitUntilBlocked(database)
    await sql`update users set display_name = username`.execute(request)
  })
  t.match(await restored, { users: 0, cards: 0 })
})

async function* toAsync(lines: Iterable<string>): AsyncGenerator<string> {
  yield* lines
}

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = []
  for await (const line of lines) collected.push(line)
  return collected
}
