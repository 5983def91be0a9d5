import { type FileHandle, mkdtemp, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../../../db/make-folder.js'
import { NO_ROOM } from '../../domain/content/refusals.js'

type WorkKind = 'upload' | 'export'

const WORK_FOLDER = /^svc-training-(?:upload|export)-/
/** Name of the lock file in a work folder; the process that uses the folder holds the lock */
const LOCK = '.lock'
const LEFTOVER_MS = 24 * 60 * 60_000
const NO_SPACE = ['ENOSPC', 'EDQUOT']

/**
 * Creates the parent folder, checks that it is writable, and deletes work folders that a killed process has left. Does
 * not delete work folders that other instances use.
 */
export async function prepareWorkFolders(tmpDir: string): Promise<void> {
  await makeFolder(tmpDir)
  // Creates a folder, because checking the permissions would not detect a read-only file system.
  await rmdir(await mkdtemp(path.join(tmpDir, 'svc-training-upload-')))
  for (const name of await readdir(tmpDir)) {
    if (!WORK_FOLDER.test(name)) continue
    const folder = path.join(tmpDir, name)
    if (await isAbandoned(folder)) await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/** Returns whether no process uses the folder. Without a lock file, the folder is considered unused after 24 hours. */
async function isAbandoned(folder: string): Promise<boolean> {
  const file = await open(path.join(folder, LOCK), 'r+').catch(() => undefined)
  if (file === undefined) {
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    return Date.now() - mtimeMs > LEFTOVER_MS
  }
  try {
    return await tryLock(file)
  } finally {
    await file.close()
  }
}

/**
 * Locks the folder and returns the open lock file. Closing the file or the end of the process releases the lock. On
 * file systems without locks, the file keeps its temporary name, so that the folder is treated like a folder without a
 * lock file.
 */
async function lockFolder(folder: string): Promise<FileHandle | undefined> {
  const free = path.join(folder, `${LOCK}-new`)
  const file = await open(free, 'w', 0o600)
  // The file is renamed after it is locked; otherwise a starting instance could find it unlocked and delete the folder.
  if (await tryLock(file)) await rename(free, path.join(folder, LOCK))
  return file
}

/** Returns false if another process holds the lock or the file system does not support locks. */
async function tryLock({ fd }: FileHandle): Promise<boolean> {
  const { tryLock } = await import('fs-native-extensions')
  try {
    return tryLock(fd)
  } catch {
    return false
  }
}

/** Runs `work` with a private folder, which is deleted afterwards. @throws NO_ROOM if the disk is full */
export async function withWorkFolder<T>(
  tmpDir: string,
  kind: WorkKind,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  let folder: string | undefined
  let lock: FileHandle | undefined
  try {
    await makeFolder(tmpDir)
    folder = await mkdtemp(path.join(tmpDir, `svc-training-${kind}-`))
    lock = await lockFolder(folder)
    return await work(folder)
  } catch (error) {
    throw isDiskFull(error) ? NO_ROOM : error
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    await lock?.close()
  }
}

/**
 * Returns whether the error means a full disk. SQLite reports every failed write with the same message and without a
 * code, but in a new private folder a full disk is practically the only cause.
 */
function isDiskFull(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException
  return NO_SPACE.includes(code) || /^(?:disk I\/O error|database or disk is full)$/.test(message)
}
