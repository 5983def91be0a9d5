import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectToStore } from '../../db/client.js'
import { openEmbeddedStore } from '../../db/embedded/index.js'
import { migrateToLatest } from '../../db/migrate.js'

const FOLDER = fileURLToPath(new URL('../../../.tap/migrated-stores', import.meta.url))
const MIGRATIONS = fileURLToPath(new URL('../../db/migrations', import.meta.url))

let made: Promise<string> | undefined

/**
 * Returns the folder of a migrated store. Copying it is faster than migrating a new store. It is built on first use,
 * kept for later runs, and rebuilt when migrations or PGlite change.
 */
export function findTemplate(): Promise<string> {
  made ??= makeTemplate()
  return made
}

async function makeTemplate(): Promise<string> {
  const folder = path.join(FOLDER, await fingerprint())
  if (await exists(folder)) return folder
  await mkdir(FOLDER, { recursive: true })
  const outdated = await readdir(FOLDER)
  const draft = await mkdtemp(path.join(FOLDER, 'draft-'))
  const database = connectToStore(await openEmbeddedStore(draft, { fsync: false }), () => {})
  await migrateToLatest(database.db)
  await database.close()
  try {
    await rename(draft, folder)
  } catch (error) {
    // Another process may have built the folder.
    if (!(await exists(folder))) throw error
    await rm(draft, { recursive: true })
    return folder
  }
  for (const name of outdated) {
    if (!name.startsWith('draft-')) await rm(path.join(FOLDER, name), { recursive: true, force: true })
  }
  return folder
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(MIGRATIONS)).sort()) {
    if (name.endsWith('.js')) hash.update(name).update(await readFile(path.join(MIGRATIONS, name)))
  }
  const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  hash.update(readFileSync(path.join(path.dirname(pglite), '..', 'package.json')))
  return hash.digest('hex').slice(0, 16)
}

async function exists(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => undefined)) !== undefined
}
