import { FaultyContent, READING_TOO_LONG, ReadersBusy } from '../../../domain/content/refusals.js'
import type { Incoming } from '../../../domain/content/upload/incoming.js'
import { Refusal } from '../../../domain/refusal.js'
import { accountShare, FairTurns } from '../../fair-turns.js'
import { Threads } from '../../threads.js'
import { NO_MEMORY } from './readers/limits.js'
import type { ReadOptions } from './readers/options.js'
import type { ReadOutcome, ReadTask } from './readers/read-file.js'

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
const threads = new Threads<ReadTask, ReadOutcome>({
  module: new URL('./readers/read-file.js', import.meta.url),
  heapMb: MAX_HEAP_MB,
})

interface Reading {
  /** User who waits for a reader; null means the command line */
  userId: number | null
  /** Timeout of reading; default: 60 s; Infinity on the command line */
  timeoutMs?: number | undefined
  /** Maximum time to wait for a reader; default: 10 s */
  maxWaitMs?: number
  signal?: AbortSignal | undefined
}

/**
 * Waits for a free reader, then reads an uploaded file: an Anki package, a table, a file with questions or an archive.
 * Runs `readFile` in a worker thread, which ends after the timeout, so that a malicious file cannot block other requests.
 * @param path path of the file, which is not changed
 * @throws FaultyContent if the file has faults
 * @throws READING_TOO_LONG if reading exceeds the timeout
 * @throws NO_MEMORY if the thread exceeds its heap limit
 * @throws Refusal with the kind, code and message of the refusals of `readFile`
 * @throws ReadersBusy if no reader becomes free within `maxWaitMs`
 * @throws TooManyAttempts if 10 uploads of the user already wait
 * @throws Unavailable under the conditions of `FairTurns.run`
 */
export async function readUpload(
  path: string,
  options: ReadOptions,
  { userId, timeoutMs = DEFAULT_TIMEOUT_MS, maxWaitMs = MAX_WAIT_MS, signal }: Reading,
): Promise<Incoming> {
  const waitLimit = new AbortController()
  const timer = setTimeout(() => waitLimit.abort(new ReadersBusy()), maxWaitMs)
  const waiting = AbortSignal.any(signal === undefined ? [waitLimit.signal] : [signal, waitLimit.signal])
  const read = () => {
    clearTimeout(timer)
    const limit = { ms: timeoutMs, error: READING_TOO_LONG }
    return threads.run({ path, options }, { signal, limit, noMemory: NO_MEMORY })
  }
  const outcome = await readers.run(accountShare(userId), read, waiting).finally(() => clearTimeout(timer))
  if ('incoming' in outcome) return outcome.incoming
  if ('faults' in outcome) throw new FaultyContent(outcome.faults)
  const { kind, code, message, details } = outcome.refusal
  throw new Refusal(kind, code, message, { details })
}
