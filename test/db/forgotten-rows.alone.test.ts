import { getHeapSpaceStatistics } from 'node:v8'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import type { Database } from '../../db/types.js'
import { createEmptyDatabase } from '../support/database.js'

const STATEMENTS = 500
/**
 * Length of the string in each row. V8 puts strings above 128 kB into its large object space and counts them
 * separately.
 */
const CHARACTERS = 120_000

/** Returns the number of bytes in the old generation, which only a full garbage collection frees. */
function readOldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? Number.NaN
}

/** Reads rows and drops them. Returns the growth of the old generation in bytes. */
async function readAndDrop(db: Kysely<Database>): Promise<number> {
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

// Needs a separate process, because the code that ran before affects whether V8 allocates objects directly in the old
// generation.
t.test('dropped rows are freed with the young generation', async (t) => {
  const { db, close } = await createEmptyDatabase()
  t.teardown(close)
  // The first call promotes the objects that remain from the start of the process.
  await readAndDrop(db)
  const grown = await readAndDrop(db)
  // If the rows were still referenced, nearly all of them would be promoted.
  t.ok(grown < (STATEMENTS * CHARACTERS) / 4, `${grown} bytes`)
})
