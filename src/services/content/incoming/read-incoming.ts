import { Worker } from 'node:worker_threads'
import type { Incoming } from '../../../domain/content/incoming.js'
import type { Fault } from '../../../domain/content/types.js'
import { FaultyContent, FILE_TOO_LARGE, HttpError, READING_TOO_LONG } from '../../../domain/refusals.js'
import type { ReadOptions } from './options.js'

export type { ReadOptions } from './options.js'

/** How a worker ends. */
export type Outcome =
  | { incoming: Incoming }
  | { faults: Fault[] }
  | { refusal: { statusCode: number; message: string; title: string | undefined } }

const DEFAULT_TIMEOUT_MS = 60_000
/** Of the worker's JavaScript; what SQLite uses comes on top. */
const MAX_HEAP_MB = 320

/**
 * What is in an uploaded file: an Anki package, a table or an archive of Markdown. It is read in a thread of its own, so
 * that a file made to harm cannot hold up others; the thread is ended when it takes too long.
 * @param path of the file, which is not changed
 * @param timeoutMs 60 s when it is not said; Infinity for the command line
 * @throws FaultyContent with every fault, as `file:line`
 * @throws NOT_A_PACKAGE, PACKAGE_TOO_NEW, FILE_TOO_LARGE, READING_TOO_LONG, DamagedPackage
 */
export async function readIncoming(
  path: string,
  { timeoutMs = DEFAULT_TIMEOUT_MS, ...options }: ReadOptions & { timeoutMs?: number | undefined },
): Promise<Incoming> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: { path, options },
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  let timer: NodeJS.Timeout | undefined
  try {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? FILE_TOO_LARGE : error),
      )
      worker.once('exit', (code) => reject(new Error(`the reader ended with ${code}`)))
      if (Number.isFinite(timeoutMs)) timer = setTimeout(() => reject(READING_TOO_LONG), timeoutMs)
    })
    if ('incoming' in outcome) return outcome.incoming
    if ('faults' in outcome) throw new FaultyContent(outcome.faults)
    const { statusCode, message, title } = outcome.refusal
    throw new HttpError(statusCode, message, title)
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
