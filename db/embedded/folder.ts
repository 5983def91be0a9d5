import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath } from '../sync-path.js'
import { EmbeddedStoreError } from './errors.js'

/** The PostgreSQL major version inside the installed PGlite. */
const postgresMajor = '18'

/**
 * Finds the database folder below `dataDir`, or has it made: beside its place, and moved there when complete, so that
 * a creation that was killed is simply done again. The caller holds the lock of `dataDir`.
 *
 * @param create makes a database in the (empty) folder it is given
 * @throws EmbeddedStoreError when the folder is no database or one of another PostgreSQL major version
 */
export async function prepareFolder(dataDir: string, create: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(dataDir, 'pglite')
  const version = await readVersion(folder)
  if (version === undefined) {
    await refuseForeignFiles(folder)
    const unfinished = join(dataDir, 'pglite.new')
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { mode: 0o700 })
    await create(unfinished)
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

/** Brings everything in `folder` to the disk (1,000 small files), so that a power cut cannot leave half a database. */
async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    await (entry.isDirectory() ? syncTree(path) : syncPath(path))
  }
  await syncPath(folder)
}
