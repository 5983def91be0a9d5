import { Worker } from 'node:worker_threads'
import { CONVERTING_TOO_LONG } from '../../../domain/content/refusals.js'
import { accountShare, FairTurns } from '../../fair-turns.js'

/** Queue for conversions: runs at most two at a time, one for each user */
const threads = new FairTurns({
  concurrent: 2,
  runningPerOwner: 1,
  waitingOthers: 50,
  waitingPerOwner: 3,
  retryAfterSeconds: 2,
})
const DEFAULT_TIMEOUT_MS = 2_000
const MAX_HEAP_MB = 192

export interface ConvertOptions {
  userId: number
  /** Timeout from the start of the thread; default: 2 s */
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
  return threads.run(accountShare(userId), () => convertInThread(html, timeoutMs ?? DEFAULT_TIMEOUT_MS, signal), signal)
}

async function convertInThread(html: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<string> {
  const worker = new Worker(new URL('./convert-worker.js', import.meta.url), {
    workerData: { html },
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  let timer: NodeJS.Timeout | undefined
  let abort = () => {}
  try {
    return await new Promise<string>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? CONVERTING_TOO_LONG : error),
      )
      worker.once('exit', (code) => reject(new Error(`the converter ended with ${code}`)))
      worker.once('online', () => {
        timer = setTimeout(() => reject(CONVERTING_TOO_LONG), timeoutMs)
      })
      abort = () => reject(signal?.reason)
      signal?.addEventListener('abort', abort)
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
