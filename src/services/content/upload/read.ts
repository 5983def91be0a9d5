import type { Kysely } from 'kysely'
import { findTableSource } from '../../../../db/queries/content/sources.js'
import { listLevels } from '../../../../db/queries/content/stored.js'
import type { Database } from '../../../../db/types.js'
import { FaultyContent, READING_TOO_LONG, ReadersBusy } from '../../../domain/content/refusals.js'
import type { Incoming } from '../../../domain/content/upload/incoming.js'
import { Refusal } from '../../../domain/refusal.js'
import { accountShare, FairTurns } from '../../fair-turns.js'
import { Threads } from '../../threads.js'
import { NO_MEMORY } from './readers/limits.js'
import type { ReadOptions } from './readers/options.js'
import type { Outcome, ReadTask } from './readers/read-file.js'

/**
 * Limits concurrent readers, because each may use 500 MB of memory for a minute. Each user gets one reader at a time,
 * so that the large files of one user do not block other users.
 */
const readers = new FairTurns({
  concurrent: 2,
  runningPerOwner: 1,
  waitingOthers: 50,
  waitingPerOwner: 10,
  retryAfterSeconds: 5,
})
/** Maximum time that an upload waits for a reader; it then fails with ReadersBusy */
const MAX_WAIT_MS = 10_000
const DEFAULT_TIMEOUT_MS = 60_000
/** Heap limit of a reader; SQLite uses additional memory */
const MAX_HEAP_MB = 320
const threads = new Threads<ReadTask, Outcome>({
  module: new URL('./readers/read-file.js', import.meta.url),
  heapMb: MAX_HEAP_MB,
})

interface Limits {
  /** Timeout of reading; default: 60 s; Infinity on the command line */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
}

export interface UploadReadOptions extends Omit<ReadOptions, 'levels' | 'defaultDeck'>, Limits {
  /** Id of the source to update; its name becomes the name of the deck for rows and questions without a deck. */
  sourceId?: number | undefined
  /** Name of the new source; also of the default deck if `sourceId` is undefined or unknown */
  name: string
  /** User who waits for a reader; null means the command line */
  userId: number | null
  /** Maximum time to wait for a reader; default: 10 s */
  maxWaitMs?: number
}

/**
 * Waits for a free reader, then calls `readIncoming` with the stored levels and the name of the default deck.
 * @throws the refusals of `readIncoming`
 * @throws ReadersBusy if no reader becomes free within `maxWaitMs`
 * @throws TooManyAttempts if 10 uploads of the user already wait
 * @throws Unavailable under the conditions of `FairTurns.run`
 */
export async function readUpload(
  db: Kysely<Database>,
  path: string,
  { sourceId, name, userId, maxWaitMs = MAX_WAIT_MS, ...options }: UploadReadOptions,
): Promise<Incoming> {
  const { signal } = options
  const waitLimit = new AbortController()
  const timer = setTimeout(() => waitLimit.abort(new ReadersBusy()), maxWaitMs)
  const read = async () => {
    clearTimeout(timer)
    const source = sourceId === undefined ? undefined : await findTableSource(db, sourceId)
    const table = { ...options.table, remembered: source?.table_layout ?? undefined }
    return readIncoming(path, { ...options, table, defaultDeck: source?.name ?? name, levels: await listLevels(db) })
  }
  const waiting = AbortSignal.any(signal === undefined ? [waitLimit.signal] : [signal, waitLimit.signal])
  return readers.run(accountShare(userId), read, waiting).finally(() => clearTimeout(timer))
}

/**
 * Reads an uploaded file: an Anki package, a table, a file with questions or an archive of Markdown. Runs in a worker
 * thread, which ends after the timeout, so that a malicious file cannot block other requests.
 * @param path path of the file, which is not changed
 * @throws FaultyContent if the file has faults
 * @throws READING_TOO_LONG if reading exceeds the timeout
 * @throws NO_MEMORY if the thread exceeds its heap limit
 * @throws Refusal with the kind, code and message of the refusals of `readFile`
 */
export async function readIncoming(
  path: string,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal, ...options }: ReadOptions & Limits,
): Promise<Incoming> {
  const outcome = await threads.run(
    { path, options },
    { signal, limit: { ms: timeoutMs, error: READING_TOO_LONG }, noMemory: NO_MEMORY },
  )
  if ('incoming' in outcome) return outcome.incoming
  if ('faults' in outcome) throw new FaultyContent(outcome.faults)
  const { kind, code, message } = outcome.refusal
  throw new Refusal(kind, code, message)
}
