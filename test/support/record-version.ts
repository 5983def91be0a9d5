import { TEST_DATABASE_URL } from './database.js'
import { recordStatements } from './versions.js'

const [version] = process.argv.slice(2)
if (version === undefined || TEST_DATABASE_URL === undefined) throw new Error('needs a version and TEST_DATABASE_URL')
await recordStatements(TEST_DATABASE_URL, version)
