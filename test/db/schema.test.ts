import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import type { OpenDatabase } from '../../db/client.js'
import { isMigrated, migrateToLatest } from '../../db/migrate.js'
import { ROOT } from '../support/constants.js'
import {
  createDatabase,
  createDatabaseToSpoil,
  createEmptyDatabase,
  onServer,
  openOnServer,
  TEST_DATABASE_URL,
} from '../support/database.js'

const { generateTypes }: { generateTypes: (db: OpenDatabase['db']) => Promise<string> } = await import(
  path.join(ROOT, 'scripts/db-types.mjs')
)

const database = await createEmptyDatabase()
t.teardown(() => database.close())
const { db } = database

t.test('a second migration applies nothing', async (t) => {
  t.ok((await migrateToLatest(db)).length > 0)
  t.strictSame(await migrateToLatest(db), [])
  t.equal(await isMigrated(db), true)
})

t.test('db/types.ts is what `npm run db:types` writes', async (t) => {
  t.equal(await generateTypes(db), await readFile(path.join(ROOT, 'db/types.ts'), 'utf8'))
})

t.test('the types follow a change of a column', async (t) => {
  const spoilt = await createDatabaseToSpoil()
  t.teardown(() => spoilt.close())
  await sql`alter table decks alter column description drop not null, add column colour text not null`.execute(
    spoilt.db,
  )
  const types = await generateTypes(spoilt.db)
  t.match(types, 'description: Generated<string | null>;')
  t.match(types, 'colour: string;')
})

t.test('every constraint and index has an explicit name', async (t) => {
  const { rows } = await sql<{ name: string; tab: string }>`
    select conname as name, conrelid::regclass::text as tab from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n'
    union all
    select indexname, tablename from pg_indexes where schemaname = 'public'`.execute(db)
  for (const { name, tab } of rows.filter(({ tab }) => !tab.startsWith('kysely'))) {
    t.ok(name.startsWith(tab) || name.startsWith('cards_'), `${tab}: ${name}`)
    t.match(name, /_(pkey|key|fkey|check|idx)$/)
  }
})

t.test('refuses a schema newer than the program', async (t) => {
  const row = { name: '9999_from_the_future', timestamp: new Date().toISOString() }
  await sql`insert into kysely_migration (name, timestamp) values (${row.name}, ${row.timestamp})`.execute(db)
  await t.rejects(migrateToLatest(db), { message: /neuer als dieses Programm.*9999_from_the_future/ })
  await sql`delete from kysely_migration where name = ${row.name}`.execute(db)
  t.equal(await isMigrated(db), true)
})

t.test(
  'refuses a database that cannot store or fold German text',
  { skip: !TEST_DATABASE_URL && 'needs a server' },
  async (t) => {
    const serverUrl = TEST_DATABASE_URL as string
    for (const [name, options, message] of [
      ['test_latin1', "encoding 'LATIN1' locale 'C' template template0", /UTF8/],
      ['test_c_locale', "encoding 'UTF8' locale 'C' template template0", /Umlaute/],
    ] as const) {
      const databaseUrl = await createDatabase(serverUrl, name, options)
      const wrong = await openOnServer(databaseUrl, { poolMax: 1 })
      await t.rejects(migrateToLatest(wrong.db), { message })
      await wrong.close()
      await onServer(serverUrl, `drop database ${name}`)
    }
  },
)

t.test(
  'several instances that start at once all find the schema complete',
  { skip: !TEST_DATABASE_URL && 'the embedded store has one process' },
  async (t) => {
    const serverUrl = TEST_DATABASE_URL as string
    const databaseUrl = await createDatabase(serverUrl, 'test_race')
    const instances = await Promise.all(Array.from({ length: 5 }, () => openOnServer(databaseUrl, { poolMax: 2 })))
    const applied = await Promise.all(instances.map((instance) => instance.withoutLimit(migrateToLatest)))
    t.equal(applied.filter((names) => names.length > 0).length, 1)
    await Promise.all(instances.map((instance) => instance.close()))
    await onServer(serverUrl, 'drop database test_race')
  },
)
