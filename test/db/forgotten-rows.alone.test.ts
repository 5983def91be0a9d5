import { getHeapSpaceStatistics } from 'node:v8'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import type { Database } from '../../db/types.js'
import { createEmptyDatabase } from '../support/database.js'

const STATEMENTS = 500
/** Above 128 kB a text would be a large object, which is counted elsewhere. */
const CHARACTERS = 120_000

/** Bytes among the old objects, which only a full collection frees. */
function readOldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? Number.NaN
}

/** By how many bytes they grew, whatever was freed meanwhile, while rows were read and forgotten. */
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

// In a process of its own: V8 takes a literal for old by what it has seen of it, and other files do the unusual.
t.test('rows that nobody needs any longer go with the young objects', async (t) => {
  const { db, close } = await createEmptyDatabase()
  t.teardown(close)
  // What the start has left grows old meanwhile.
  await readAndForget(db)
  const grown = await readAndForget(db)
  // Of kept rows nearly all grow old.
  t.ok(grown < (STATEMENTS * CHARACTERS) / 4, `${grown} bytes`)
})
