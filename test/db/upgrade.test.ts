import { CompiledQuery, sql } from 'kysely'
import t from 'tap'
import { isMigrated, migrateToLatest } from '../../db/migrate.js'
import { listDecks } from '../../db/queries/decks.js'
import { listQuizResults } from '../../db/queries/quiz-results.js'
import { createEmptyDatabase } from '../support/database.js'
import { createCard, createUser } from '../support/factories.js'
import { loadVersion, readStatements } from '../support/versions.js'

const VERSION = '0002'

t.test('the data of an earlier version survive the migrations', async (t) => {
  const database = await createEmptyDatabase()
  t.teardown(() => database.close())
  const { db } = database
  await loadVersion(database, VERSION)
  await migrateToLatest(db)
  t.equal(await isMigrated(db), true)

  const decksOfErika = async () => JSON.parse(await listDecks(db, 2, '2026-11-21')).decks
  const decks = await decksOfErika()
  t.match(decks, [{ id: 1, slug: 'git', card_count: 4, reviewed: 4, correct: 2, due: 2 }])
  t.equal(decks.length, 1)
  const results = await listQuizResults(db, 2)
  t.strictSame(
    results.map((result) => [result.deck_slug, result.score_percent, result.created_at.toISOString()]),
    [
      ['all', -13, '2026-11-20T09:20:00.000Z'],
      ['git', 67, '2026-11-20T09:10:00.000Z'],
    ],
  )
  const { rows } = await sql<{ table: string; count: number }>`
    select 'users' as table, count(*) from users
    union all select 'cards', count(*) from cards
    union all select 'card_progress', count(*) from card_progress
    union all select 'imported_cards', count(*) from imported_cards
    union all select 'cheatsheets', count(*) from cheatsheets`.execute(db)
  t.strictSame(Object.fromEntries(rows.map(({ table, count }) => [table, Number(count)])), {
    ...{ users: 2, cards: 7, card_progress: 7, imported_cards: 7, cheatsheets: 1 },
  })
  t.equal((await createUser(db)).id, 3, 'ids go on')
  await createCard(db, { deck_id: 1 })
  t.equal((await decksOfErika())[0].card_count, 5, 'triggers work')
})

t.test('during a rolling upgrade every statement of the earlier version works on the new schema', async (t) => {
  const database = await createEmptyDatabase()
  t.teardown(() => database.close())
  const { db } = database
  await loadVersion(database, VERSION)
  await migrateToLatest(db)
  const statements = await readStatements(VERSION)
  t.ok(statements.length > 30)
  // In their order, since later ones need the rows of earlier ones.
  for (const { sql, values } of statements) {
    const text = sql.replaceAll(/\s+/g, ' ').slice(0, 80)
    await t.resolves(db.executeQuery(CompiledQuery.raw(sql, values)), text)
  }
})

t.test('an instance of the earlier version stays ready when a later one has migrated', async (t) => {
  const database = await createEmptyDatabase()
  t.teardown(() => database.close())
  await migrateToLatest(database.db)
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '')`.execute(database.db)
  t.equal(await isMigrated(database.db), true)
})
