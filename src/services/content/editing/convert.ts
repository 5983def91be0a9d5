import { Worker } from 'node:worker_threads'
import { CONVERTING_TOO_LONG } from '../../../domain/content/refusals.js'
import { accountShare, FairTurns } from '../../fair-turns.js'

/** Limits concurrent threads, so that pasted text takes no more than a part of the processors. */
const threads = new FairTurns({
  concurrent: 2,
  runningPerOwner: 1,
  waitingOthers: 50,
  waitingPerOwner: 3,
  retryAfterSeconds: 2,
})
const DEFAULT_TIMEOUT_MS = 2_000
/** Limits the thread's JavaScript heap; 2 MB of nested HTML take about 100 MB. */
const MAX_HEAP_MB = 192

export interface ConvertWishes {
  userId: number
  /** Default 2 s after the start of the thread */
  timeoutMs?: number
  /** Ends the conversion with its reason */
  signal?: AbortSignal
}

/**
 * Converts HTML to Markdown in a thread of its own, so that large input does not hold up other requests.
 * @throws CONVERTING_TOO_LONG also if it needs too much memory
 */
export function convertToMarkdown(html: string, { userId, timeoutMs, signal }: ConvertWishes): Promise<string> {
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
