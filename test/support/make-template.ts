import { rm } from 'node:fs/promises'
import { openEmbeddedStore } from '../../db/embedded/index.js'
import { TEMPLATE, TEST_DATABASE_URL } from './database.js'

/** Runs once before all test files. */
await rm(TEMPLATE, { recursive: true, force: true })
if (TEST_DATABASE_URL === undefined) {
  const store = await openEmbeddedStore(TEMPLATE, { fsync: false })
  await store.close()
}
