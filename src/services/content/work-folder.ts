import { type FileHandle, mkdtemp, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../../../db/make-folder.js'
import { NO_ROOM } from '../../domain/content/refusals.js'

type WorkKind = 'upload' | 'export'

const WORK_FOLDER = /^svc-training-(?:upload|export)-/
/** Name of the file in a work folder that its process holds locked. */
const LOCK = '.lock'
const LEFTOVER_MS = 24 * 60 * 60_000
const NO_SPACE = ['ENOSPC', 'EDQUOT']

/**
 * Creates the parent folder, checks that it can be written, and removes folders that a killed process has left; others
 * may be in use by instances.
 */
export async function prepareWorkFolders(tmpDir: string): Promise<void> {
  await makeFolder(tmpDir)
  // Permissions are no proof: the file system may be read-only.
  await rmdir(await mkdtemp(path.join(tmpDir, 'svc-training-upload-')))
  for (const name of await readdir(tmpDir)) {
    if (!WORK_FOLDER.test(name)) continue
    const folder = path.join(tmpDir, name)
    if (await isAbandoned(folder)) await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/** Some file systems do not support locks; then only the age of the folder counts. */
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

/** Locks the folder for this process. The kernel releases the lock when the process ends, even by SIGKILL. */
async function lockFolder(folder: string): Promise<FileHandle | undefined> {
  const free = path.join(folder, `${LOCK}-new`)
  const file = await open(free, 'w', 0o600)
  // Renamed to its final name only after it is locked: another instance may be starting.
  if (await tryLock(file)) await rename(free, path.join(folder, LOCK))
  return file
}

/** False also where files cannot be locked. */
async function tryLock({ fd }: FileHandle): Promise<boolean> {
  const { tryLock } = await import('fs-native-extensions')
  try {
    return tryLock(fd)
  } catch {
    return false
  }
}

/** Runs work with a private folder, which is deleted afterwards. @throws NO_ROOM if the disk is full */
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
 * SQLite reports every failed write with this text and without a code; in our own new folder only a full disk makes a
 * write fail.
 */
function isDiskFull(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException
  return NO_SPACE.includes(code) || /^(?:disk I\/O error|database or disk is full)$/.test(message)
}
