import { open } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { NO_FILE, UPLOAD_TOO_SLOW, UploadTooLarge } from '../../../domain/content/refusals.js'
import { CALLER_GONE } from '../../../domain/refusal.js'
import { withWorkFolder } from '../work-folder.js'

/** Minimum average rate of an upload in each window, because a stalled upload would occupy a connection and a file */
const MIN_BYTES_PER_SECOND = 1_024
const RATE_WINDOW_MS = 20_000
const GONE = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']

export interface ReceivedFile {
  path: string
  /** Size in bytes */
  size: number
  folder: string
}

/**
 * Stores the request body in a private temporary file, runs `work` with it, and deletes the file.
 * @param signal aborts receiving; the signal's reason is thrown
 * @throws UploadTooLarge if the body exceeds `maxBytes`
 * @throws UPLOAD_TOO_SLOW if less than 1 KiB/s on average arrives within 20 seconds
 * @throws NO_FILE if the body is empty
 * @throws NO_ROOM if the disk is full
 * @throws CALLER_GONE if the client disconnects
 */
export async function withReceivedFile<T>(
  body: Readable,
  tmpDir: string,
  maxBytes: number,
  work: (file: ReceivedFile) => Promise<T>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T> {
  return withWorkFolder(tmpDir, 'upload', async (folder) => {
    const file = path.join(folder, 'upload')
    const size = await receive(body, file, maxBytes, signal)
    if (size === 0) throw NO_FILE
    return work({ path: file, size, folder })
  })
}

async function receive(
  body: Readable,
  path: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  signal?.throwIfAborted()
  const file = await open(path, 'wx', 0o600)
  let size = 0
  let before = 0
  let timer: NodeJS.Timeout | undefined
  let abort = () => {}
  const ended = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    timer = setInterval(() => {
      if (size - before < (MIN_BYTES_PER_SECOND * RATE_WINDOW_MS) / 1000) reject(UPLOAD_TOO_SLOW)
      before = size
    }, RATE_WINDOW_MS)
  })
  // Avoids an unhandled rejection if `ended` rejects while a chunk is being written.
  ended.catch(() => {})
  try {
    // Destroying the stream would close the connection before the response.
    const chunks = body.iterator({ destroyOnReturn: false })
    for (;;) {
      const { done, value: chunk } = await Promise.race([chunks.next(), ended])
      if (done) break
      size += chunk.length
      if (size > maxBytes) throw new UploadTooLarge(maxBytes)
      await file.appendFile(chunk)
    }
  } catch (error) {
    throw GONE.includes((error as NodeJS.ErrnoException).code ?? '') ? CALLER_GONE : error
  } finally {
    clearInterval(timer)
    signal?.removeEventListener('abort', abort)
    // Discards the rest of the body, which would block the next request on the connection.
    body.resume()
    await file.close()
  }
  return size
}
