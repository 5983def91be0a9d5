import { CONVERTING_TOO_LONG } from '../../../domain/content/refusals.js'
import { accountShare, FairTurns } from '../../fair-turns.js'
import { Threads } from '../../threads.js'

/** Queue for conversions: runs at most two at a time, one for each user */
const turns = new FairTurns({
  concurrent: 2,
  runningPerOwner: 1,
  waitingOthers: 50,
  waitingPerOwner: 3,
  retryAfterSeconds: 2,
})
// On a busy machine, starting a thread alone takes seconds.
const DEFAULT_TIMEOUT_MS = 10_000
const MAX_HEAP_MB = 192
const threads = new Threads<string, string>({
  module: new URL('./convert-worker.js', import.meta.url),
  heapMb: MAX_HEAP_MB,
})

export interface ConvertOptions {
  userId: number
  /** Timeout of the conversion; default: 10 s, which includes the start of a thread */
  timeoutMs?: number
  signal?: AbortSignal
}

/**
 * Converts HTML to Markdown in a worker thread, so that large input does not block other requests.
 * @throws CONVERTING_TOO_LONG if the conversion exceeds the timeout or the heap limit
 * @throws TooManyAttempts if 3 conversions of the user already wait
 * @throws Unavailable under the conditions of `FairTurns.run`
 */
export function convertToMarkdown(html: string, { userId, timeoutMs, signal }: ConvertOptions): Promise<string> {
  const limit = { ms: timeoutMs ?? DEFAULT_TIMEOUT_MS, error: CONVERTING_TOO_LONG }
  const convert = () => threads.run(html, { signal, limit, noMemory: CONVERTING_TOO_LONG })
  return turns.run(accountShare(userId), convert, signal)
}
