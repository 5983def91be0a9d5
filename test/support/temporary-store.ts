import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EmbeddedStore, openEmbeddedStore } from '../../db/embedded/index.js'

/**
 * Opens a database in a folder that `close()` removes. The database does not flush to the disk.
 * @param template data folder of a closed store to copy; without it the store is empty
 * @param parent folder that will contain the data folder
 */
export async function openTemporaryStore(
  template?: string,
  parent = tmpdir(),
): Promise<EmbeddedStore & { dataDir: string }> {
  const dataDir = await mkdtemp(join(parent, 'svc-training-'))
  if (template !== undefined) await copyStore(template, dataDir)
  const store = await openEmbeddedStore(dataDir, { fsync: false })
  return {
    dataDir,
    connect: store.connect,
    async close() {
      await store.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Copies the data folder of a closed store, about 1,200 files. The system's `cp` needs a third of the processor time of
 * `node:fs`.
 */
export async function copyStore(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await promisify(execFile)('cp', ['-R', `${from}/.`, to])
}
