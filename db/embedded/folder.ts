import { chmod, cp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { syncPath } from '../sync-path.js'
import { EmbeddedStoreError } from './errors.js'

/** PostgreSQL major version of the installed PGlite */
const postgresMajor = '18'

/** Folder of a database without tables, created by the build (`scripts/create-store.mjs`) */
const EMPTY_STORE = fileURLToPath(new URL('../../empty-store', import.meta.url))

/**
 * Returns the database folder below `dataDir`. If there is none, copies an empty database to a temporary folder and
 * renames that folder when the copy is complete. After an interrupted copy, the next call copies again. The caller must
 * hold the lock of `dataDir`.
 *
 * @throws EmbeddedStoreError if the folder contains files but no database, or a database of another PostgreSQL major
 * version
 */
export async function prepareFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'pglite')
  const version = await readVersion(folder)
  if (version === undefined) {
    await refuseForeignFiles(folder)
    const unfinished = join(dataDir, 'pglite.new')
    await rm(unfinished, { recursive: true, force: true })
    await cp(EMPTY_STORE, unfinished, { recursive: true })
    await chmod(unfinished, 0o700)
    await syncTree(unfinished)
    await rename(unfinished, folder)
    await syncPath(dataDir)
  } else if (version !== postgresMajor) {
    throw new EmbeddedStoreError(
      `Die Datenbank in ${folder} stammt von PostgreSQL ${version}, dieses Programm braucht PostgreSQL ${postgresMajor}: ` +
        'bitte mit der früheren Programmversion sichern (svc-training backup DATEI) und mit dieser in einen neuen ' +
        'Datenordner einspielen (DATA_DIR=… svc-training restore DATEI).',
    )
  }
  return folder
}

async function readVersion(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function refuseForeignFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.length > 0) {
    throw new EmbeddedStoreError(
      `Der Ordner ${folder} enthält Dateien, aber keine Datenbank (PG_VERSION fehlt); bitte prüfen oder einen anderen Datenordner wählen.`,
    )
  }
}

/** Flushes all files of the folder (about 1,000), so that a power failure cannot leave half a database. */
async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    await (entry.isDirectory() ? syncTree(path) : syncPath(path))
  }
  await syncPath(folder)
}
