import { sql } from 'kysely'
import t from 'tap'
import { commandLineActor } from '../../../../src/commands/actor.js'
import { importContent } from '../../../../src/services/content/folder/import.js'
import { deckFile, writeContentFolder } from '../../../support/content.js'
import { createDatabaseToSpoil } from '../../../support/database.js'

const TABLES = ['cards', 'imported_cards', 'distinct_answers']

const { db, close } = await createDatabaseToSpoil()
t.teardown(close)

/** Returns the number of rows that the planner assumes for each page of a table; null if it was never counted. */
const countRowsPerPage = () =>
  sql<{ rows: number }>`
    select reltuples / nullif(relpages, 0) as rows from pg_class
    where relname = any (${TABLES}) order by relname`.execute(db)

t.test('an import counts the rows of tables that were empty when they were analyzed', async (t) => {
  for (const table of TABLES) {
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db)
  }
  const cards = Array.from({ length: 1_001 }, (_, index) => ({ id: `k-${index}`, answer: `Antwort ${index}` }))
  const files = { 'decks/gross.md': deckFile('Groß', cards), 'cheatsheets/eins.md': '---\ntitle: Eins\n---\nText\n' }
  const folder = await writeContentFolder(t, files)
  t.match(await importContent(db, commandLineActor(), folder), { cards: { created: 1_001 } })
  await sql`delete from decks`.execute(db)
  await sql`analyze`.execute(db)
  t.strictSame((await countRowsPerPage()).rows, [{ rows: 0 }, { rows: 0 }, { rows: 0 }], 'empty pages')

  t.match(await importContent(db, commandLineActor(), folder), { cards: { created: 1_001 } })
  for (const { rows } of (await countRowsPerPage()).rows) t.ok(rows > 1, `${rows} rows per page`)
})
