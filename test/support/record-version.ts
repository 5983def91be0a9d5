import { TEST_DATABASE_URL } from './database.js'
import { RECORDINGS, recordVersion } from './versions.js'

// Run this program once per release; see CONTRIBUTING.md.
if (TEST_DATABASE_URL === undefined) throw new Error('needs TEST_DATABASE_URL, a PostgreSQL server')
const version = await recordVersion(TEST_DATABASE_URL, RECORDINGS)
console.log(`recorded as ${version} in ${RECORDINGS}`)
