// Creates an empty PostgreSQL database. The embedded store copies it at its first start, because creating a
// database with PGlite takes seconds.
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const [folder] = process.argv.slice(2)
rmSync(folder, { recursive: true, force: true })
mkdirSync(path.dirname(folder), { recursive: true })
const database = await PGlite.create(folder)
await database.close()
// Makes the store readable for all users, because the service may run as another user than the build.
chmodSync(folder, 0o755)
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  chmodSync(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}
