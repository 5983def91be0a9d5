import { constants } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedStore, openEmbeddedStore } from './index.js'

/**
 * Opens a database for a test in a folder that close() removes. It does not wait for the disk.
 *
 * @param template data folder of a store that was closed, whose content the new one starts with (1 s instead of 4 s)
 * @param parent where the folder is made
 */
export async function openTemporaryStore(
  template?: string,
  parent = tmpdir(),
): Promise<EmbeddedStore & { dataDir: string }> {
  const dataDir = await mkdtemp(join(parent, 'svc-training-'))
  if (template !== undefined) {
    await cp(join(template, 'pglite'), join(dataDir, 'pglite'), { recursive: true, mode: constants.COPYFILE_FICLONE })
  }
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
