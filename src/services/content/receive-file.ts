import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { CALLER_GONE, FILE_TOO_LARGE, NO_FILE, NO_ROOM } from '../../domain/refusals.js'

type WorkKind = 'upload' | 'export'

const WORK_FOLDER = /^svc-training-(?:upload|export)-/
const LEFTOVER_MS = 24 * 60 * 60_000
const NO_SPACE = ['ENOSPC', 'EDQUOT']
const GONE = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']

/** A file in a folder of its own, which may be filled further. */
export interface ReceivedFile {
  path: string
  /** Bytes. */
  size: number
  folder: string
}

/**
 * Keeps what arrives in a private temporary file while it is worked on; the file is gone afterwards, however it ends.
 * @throws FILE_TOO_LARGE, NO_FILE when it is empty, NO_ROOM, CALLER_GONE when whoever sends it has gone
 */
export async function withReceivedFile<T>(
  body: Readable,
  tmpDir: string,
  maxBytes: number,
  work: (file: ReceivedFile) => Promise<T>,
): Promise<T> {
  return withWorkFolder(tmpDir, 'upload', async (folder) => {
    const file = path.join(folder, 'upload')
    const size = await receive(body, file, maxBytes)
    if (size === 0) throw NO_FILE
    return work({ path: file, size, folder })
  })
}

/** Makes the folder for them, and removes what a process that was killed has left there. */
export async function prepareWorkFolders(tmpDir: string): Promise<void> {
  await mkdir(tmpDir, { recursive: true })
  for (const name of await readdir(tmpDir)) {
    if (!WORK_FOLDER.test(name)) continue
    const folder = path.join(tmpDir, name)
    // Another instance may be at work on a younger one.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > LEFTOVER_MS) await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/** A private folder that is gone afterwards. @throws NO_ROOM when something written to it finds none */
export async function withWorkFolder<T>(
  tmpDir: string,
  kind: WorkKind,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(tmpDir, { recursive: true })
  const folder = await mkdtemp(path.join(tmpDir, `svc-training-${kind}-`))
  try {
    return await work(folder)
  } catch (error) {
    throw NO_SPACE.includes((error as NodeJS.ErrnoException).code ?? '') ? NO_ROOM : error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function receive(body: Readable, path: string, maxBytes: number): Promise<number> {
  let size = 0
  const file = await open(path, 'wx', 0o600)
  try {
    // A stream that is destroyed takes its connection along, and with it the answer.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > maxBytes) throw FILE_TOO_LARGE
      await file.appendFile(chunk)
    }
  } catch (error) {
    throw GONE.includes((error as NodeJS.ErrnoException).code ?? '') ? CALLER_GONE : error
  } finally {
    // What is left of it is in the way of the next request.
    body.resume()
    await file.close()
  }
  return size
}
