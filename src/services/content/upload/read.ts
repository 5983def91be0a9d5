import { Worker } from 'node:worker_threads'
import type { Kysely } from 'kysely'
import { findSource } from '../../../../db/queries/content/sources.js'
import { listLevels } from '../../../../db/queries/content/stored.js'
import type { Database } from '../../../../db/types.js'
import { FaultyContent, READING_TOO_LONG, ReadersBusy } from '../../../domain/content/refusals.js'
import type { Incoming } from '../../../domain/content/upload/incoming.js'
import { Refusal } from '../../../domain/refusal.js'
import { accountShare, FairTurns } from '../../fair-turns.js'
import { NO_MEMORY } from './readers/limits.js'
import type { ReadOptions } from './readers/options.js'
import type { Outcome } from './readers/read-file.js'

/**
 * Limits concurrent readers: each may take 500 MB for a minute. Two in all and one per user, so that the large files of
 * one administrator do not hold up another.
 */
const readers = new FairTurns({
  concurrent: 2,
  runningPerOwner: 1,
  waitingOthers: 50,
  waitingPerOwner: 10,
  retryAfterSeconds: 5,
})
/** Maximum time to wait for a reader; the caller then learns why, and tries again. */
const MAX_WAIT_MS = 10_000
const DEFAULT_TIMEOUT_MS = 60_000
/** Limits the worker's JavaScript heap; SQLite uses additional memory. */
const MAX_HEAP_MB = 320

/** Both end the reading: the timeout with a refusal, the signal with its reason. */
interface Limits {
  /** Default 60 s; Infinity for the command line */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
}

export interface UploadReadOptions extends Omit<ReadOptions, 'levels' | 'defaultDeck'>, Limits {
  /** Id of the source to update, whose name is the deck of rows that name none */
  sourceId?: number | undefined
  /** Name of a new source */
  name: string
  /** User whose turn it is; null is the command line, which has no other users. */
  userId: number | null
  /** Maximum time to wait for a reader; default 10 s */
  maxWaitMs?: number
}

/** Reads an upload with the stored levels. See `readIncoming`. @throws ReadersBusy */
export async function readUpload(
  db: Kysely<Database>,
  path: string,
  { sourceId, name, userId, maxWaitMs = MAX_WAIT_MS, ...options }: UploadReadOptions,
): Promise<Incoming> {
  const { signal } = options
  const impatience = new AbortController()
  const timer = setTimeout(() => impatience.abort(new ReadersBusy()), maxWaitMs)
  const read = async () => {
    clearTimeout(timer)
    const source = sourceId === undefined ? undefined : await findSource(db, sourceId)
    return readIncoming(path, { ...options, defaultDeck: source?.name ?? name, levels: await listLevels(db) })
  }
  const waiting = AbortSignal.any(signal === undefined ? [impatience.signal] : [signal, impatience.signal])
  return readers.run(accountShare(userId), read, waiting).finally(() => clearTimeout(timer))
}

/**
 * Reads an uploaded file: an Anki package, a table or an archive of Markdown. Runs in a worker thread, so that a
 * malicious file cannot block other requests, and terminates it after the timeout.
 * @param path the file, which is not changed
 * @throws FaultyContent with all faults, as `file:line`
 * @throws NOT_A_PACKAGE, PACKAGE_TOO_NEW, FileTooLarge, READING_TOO_LONG, DamagedPackage
 */
export async function readIncoming(
  path: string,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal, ...options }: ReadOptions & Limits,
): Promise<Incoming> {
  signal?.throwIfAborted()
  const worker = new Worker(new URL('./readers/read-file.js', import.meta.url), {
    workerData: { path, options },
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  let timer: NodeJS.Timeout | undefined
  let abort = () => {}
  try {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? NO_MEMORY : error),
      )
      worker.once('exit', (code) => reject(new Error(`the reader ended with ${code}`)))
      abort = () => reject(signal?.reason)
      signal?.addEventListener('abort', abort)
      if (Number.isFinite(timeoutMs)) timer = setTimeout(() => reject(READING_TOO_LONG), timeoutMs)
    })
    if ('incoming' in outcome) return outcome.incoming
    if ('faults' in outcome) throw new FaultyContent(outcome.faults)
    const { kind, code, message } = outcome.refusal
    throw new Refusal(kind, code, message)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
