import { cp, rm } from 'node:fs/promises'
import { connectToStore } from '../../db/client.js'
import { openEmbeddedStore } from '../../db/embedded/index.js'
import { migrateToLatest } from '../../db/migrate.js'
import { TEMPLATES, TEST_DATABASE_URL } from './database.js'

/** Runs once before all test files. */
for (const folder of Object.values(TEMPLATES)) await rm(folder, { recursive: true, force: true })
if (TEST_DATABASE_URL === undefined) {
  const empty = await openEmbeddedStore(TEMPLATES.empty, { fsync: false })
  await empty.close()
  await cp(TEMPLATES.empty, TEMPLATES.migrated, { recursive: true })
  const migrated = connectToStore(await openEmbeddedStore(TEMPLATES.migrated, { fsync: false }), () => {})
  await migrateToLatest(migrated.db)
  await migrated.close()
}
