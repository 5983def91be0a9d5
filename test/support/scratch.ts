import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
const ROOM_NEEDED = 2 ** 31

/**
 * Folder for temporary stores: in memory if there is enough space, because the service waits for the disk at each
 * commit
 */
export const SCRATCH = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir()

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ROOM_NEEDED
  } catch {
    return false
  }
}
