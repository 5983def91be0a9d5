import { getHeapSpaceStatistics } from 'node:v8'
import { sql } from 'kysely'
import t from 'tap'
import { createEmptyDatabase } from '../support/database.js'

const STATEMENTS = 500
const CHARACTERS = 120_000

/** Bytes among the old objects, which only a full collection frees. */
function readOldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name === 'old_space')
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)
}

t.test('rows that nobody needs any longer go with the young objects', async (t) => {
  const { db, close } = await createEmptyDatabase()
  t.teardown(close)
  let highest = 0
  const before = readOldBytes()
  for (let statement = 0; statement < STATEMENTS; statement++) {
    const { rows } = await sql<{ text: string }>`select repeat('x', ${CHARACTERS}::integer) as text`.execute(db)
    if (rows[0]?.text.length !== CHARACTERS) t.fail('another text')
    highest = Math.max(highest, readOldBytes() - before)
  }
  t.ok(highest < (STATEMENTS * CHARACTERS) / 4, `${highest} bytes`)
})
