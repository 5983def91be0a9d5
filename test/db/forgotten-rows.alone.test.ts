import { getHeapSpaceStatistics } from 'node:v8'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import type { Database } from '../../db/types.js'
import { createEmptyDatabase } from '../support/database.js'

const STATEMENTS = 500
/** Above 128 kB a string would be a large object, which is counted separately. */
const CHARACTERS = 120_000

/** Returns the bytes in the old generation, which only a full collection frees. */
function readOldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? Number.NaN
}

/** Returns by how many bytes it grew while rows were read and dropped. */
async function readAndForget(db: Kysely<Database>): Promise<number> {
  let [before, grown] = [readOldBytes(), 0]
  for (let statement = 0; statement < STATEMENTS; statement++) {
    const { rows } = await sql<{ text: string }>`select repeat('x', ${CHARACTERS}::integer) as text`.execute(db)
    if (rows[0]?.text.length !== CHARACTERS) throw new Error('another text')
    const now = readOldBytes()
    grown += Math.max(0, now - before)
    before = now
  }
  return grown
}

// In a process of its own, because V8 decides about pretenuring by what other code has done.
t.test('dropped rows are freed with the young generation', async (t) => {
  const { db, close } = await createEmptyDatabase()
  t.teardown(close)
  // Lets objects of the start be promoted first
  await readAndForget(db)
  const grown = await readAndForget(db)
  // If rows were kept, nearly all would be promoted.
  t.ok(grown < (STATEMENTS * CHARACTERS) / 4, `${grown} bytes`)
})
