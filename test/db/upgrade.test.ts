import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { OpenDatabase } from '../../db/client.js'
import { isMigrated, migrateToLatest } from '../../db/migrate.js'
import { createEmptyDatabase, TEST_DATABASE_URL } from '../support/database.js'
import { createUser } from '../support/factories.js'
import { SCRATCH } from '../support/scratch.js'
import {
  listVersions,
  loadVersion,
  RECORDINGS,
  readRows,
  reasonToSkipRecording,
  recordVersion,
  replayVersion,
} from '../support/versions.js'

async function openVersion(t: Test, folder: string, version: string): Promise<OpenDatabase> {
  const database = await createEmptyDatabase()
  t.teardown(() => database.close())
  await loadVersion(database.db, folder, version)
  return database
}

/** Migrates the data of a recorded version and replays its statements on the new schema. */
async function testVersion(t: Test, folder: string, version: string): Promise<void> {
  const { db } = await openVersion(t, folder, version)
  const before = await readRows(db)
  await migrateToLatest(db)
  t.equal(await isMigrated(db), true)
  const after = await readRows(db)
  for (const [table, rows] of Object.entries(before)) {
    const columns = Object.keys(rows[0] ?? {})
    const kept = after[table]?.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])))
    t.strictSame(kept?.map((row) => JSON.stringify(row)).sort(), rows.map((row) => JSON.stringify(row)).sort(), table)
  }
  t.ok((await replayVersion(db, folder, version)) > 100, 'every statement works')
  t.ok((await createUser(db)).id > (before.users?.length ?? 0), 'ids continue')
}

// The list is empty as long as no version has been released.
for (const version of await listVersions(RECORDINGS)) {
  t.test(`version ${version} can be upgraded, also while it runs`, (t) => testVersion(t, RECORDINGS, version))
}

t.test(
  'records this version and detects incompatible changes',
  { skip: await reasonToSkipRecording(TEST_DATABASE_URL) },
  async (t) => {
    const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-recording-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const version = await recordVersion(TEST_DATABASE_URL ?? '', folder)
    t.strictSame(await listVersions(folder), [version])
    await testVersion(t, folder, version)

    const { db } = await openVersion(t, folder, version)
    await sql`alter table quiz_results rename column score_percent to score`.execute(db)
    await t.rejects(replayVersion(db, folder, version), { message: /insert into "?quiz_results/ })
  },
)

t.test('an instance of an older version stays ready after a migration', async (t) => {
  const database = await createEmptyDatabase()
  t.teardown(() => database.close())
  await migrateToLatest(database.db)
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '')`.execute(database.db)
  t.equal(await isMigrated(database.db), true)
})
