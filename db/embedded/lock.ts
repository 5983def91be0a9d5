import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { tryLock } from 'fs-native-extensions'
import { EmbeddedStoreInUseError } from './errors.js'

/**
 * Locks `dataDir` for this process. The kernel holds the lock on an open file, so it ends with the process however that
 * dies, and no process id is compared: in containers the next process often has the same one.
 *
 * @returns the file that holds the lock; closing it releases the folder
 * @throws EmbeddedStoreInUseError when another process holds the lock; Error when the folder cannot be locked at all
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
