import { sql } from 'kysely'
import t from 'tap'
import type { OpenDatabase } from '../../../db/client.js'
import { commandLineActor } from '../../../src/commands/actor.js'
import { importContent } from '../../../src/services/content/folder/import.js'
import { deckFile, writeContentFolder } from '../../support/content.js'
import { createMigratedDatabase } from '../../support/database.js'

t.setTimeout(3_600_000)

const cards = (count: number, lang: string) =>
  Array.from({ length: count }, (_, index) => ({
    id: `k-${index}`,
    question: `${lang} ${index}?`,
    answer: `${lang} ${index}`,
  }))

/** Imports the files twice. Returns the numbers of cards of both imports. */
async function importTwice(
  t: Parameters<typeof writeContentFolder>[0],
  { db, close }: OpenDatabase,
  files: Record<string, string>,
) {
  t.teardown(close)
  const folder = await writeContentFolder(t, { ...files, 'cheatsheets/eins.md': '---\ntitle: Eins\n---\nText\n' })
  const first = await importContent(db, commandLineActor(), folder)
  const second = await importContent(db, commandLineActor(), folder)
  return [first.cards, second.cards]
}

t.test('imports two variants of 20,000 cards in one group', async (t) => {
  const variant = { lang: 'en', translation_of: 'gross' }
  const database = await createMigratedDatabase()
  const imported = await importTwice(t, database, {
    'decks/gross.md': deckFile('Groß', cards(20_000, 'de')),
    'decks/large.md': deckFile('Large', cards(20_000, 'en'), variant),
  })
  t.match(imported, [{ created: 40_000 }, { created: 0, updated: 0, unchanged: 40_000 }])
  const { db } = database
  const checked = await db.selectFrom('checked_cards').select(db.fn.countAll<number>().as('rows')).executeTakeFirst()
  t.equal(checked?.rows, 20_000, 'each card of the variant was checked against the original')
})

t.test('imports one deck of 100,000 cards, without statistics and with those of emptied tables', async (t) => {
  for (const isEmptied of [false, true]) {
    const database = await createMigratedDatabase()
    if (isEmptied) await emptyTables(t, database)
    const files = { 'decks/gross.md': deckFile('Groß', cards(100_000, 'de')) }
    t.match(await importTwice(t, database, files), [
      { created: 100_000 },
      { created: 0, updated: 0, unchanged: 100_000 },
    ])
  }
})

/** Imports a deck, deletes it and counts the rows, so that the planner expects no rows in the pages of the tables. */
async function emptyTables(t: Parameters<typeof writeContentFolder>[0], { db }: OpenDatabase): Promise<void> {
  const folder = await writeContentFolder(t, {
    'decks/klein.md': deckFile('Klein', cards(1_000, 'de')),
    'cheatsheets/eins.md': '---\ntitle: Eins\n---\nText\n',
  })
  await importContent(db, commandLineActor(), folder)
  await db.deleteFrom('decks').execute()
  await db.deleteFrom('cheatsheets').execute()
  await sql`analyze`.execute(db)
}
