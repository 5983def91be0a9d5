import { sql } from 'kysely'
import t from 'tap'
import { isMigrated, migrateToLatest } from '../../db/migrate.js'
import { createEmptyDatabase } from '../support/database.js'

t.test('an instance of the earlier version stays ready when a later one has migrated', async (t) => {
  const database = await createEmptyDatabase()
  t.teardown(() => database.close())
  await migrateToLatest(database.db)
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '')`.execute(database.db)
  t.equal(await isMigrated(database.db), true)
})
