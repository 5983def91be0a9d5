import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { tryLock } from 'fs-native-extensions'
import { EmbeddedStoreInUseError } from './errors.js'

/**
 * Locks `dataDir` for this process. The kernel holds the lock on an open file and releases it when the process ends,
 * even after a crash. A file with a process id is unreliable: in containers the next process often has the same id.
 *
 * @returns the locked file; closing it releases the folder
 * @throws EmbeddedStoreInUseError if another process holds the lock; Error if the folder cannot be locked
 */
export async function lockFolder(dataDir: string): Promise<FileHandle> {
  const file = await open(join(dataDir, 'pglite.lock'), 'a', 0o600)
  try {
    if (!tryLock(file.fd)) {
      throw new EmbeddedStoreInUseError(
        `Der Datenordner ${dataDir} wird schon von einem laufenden Prozess benutzt; bitte diesen zuerst beenden.`,
      )
    }
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
