import { Worker } from 'node:worker_threads'
import { accountShare, FairTurns } from '../fair-turns.js'
import type { PrintJob } from './thread.js'

/** Queue for the single thread that prints PDFs, so that printing uses at most one processor */
const turns = new FairTurns({ concurrent: 1, waitingOthers: 50, waitingPerOwner: 3, retryAfterSeconds: 2 })
const MAX_HEAP_MB = 256
/** Idle time after which the thread ends; until then, the next PDF does not have to wait for a new thread */
const IDLE_MS = 30_000

let kept: { worker: Worker; end: NodeJS.Timeout } | undefined

/**
 * Returns a PDF. It is printed in a worker thread, because printing takes much processor time.
 * @throws the reason of the signal if it is aborted
 * @throws TooManyAttempts if 3 PDFs of the user already wait
 * @throws Unavailable under the conditions of `FairTurns.run`
 */
export function renderPdf(userId: number, job: PrintJob, signal: AbortSignal): Promise<Buffer> {
  return turns.run(accountShare(userId), () => printInThread(job, signal), signal)
}

async function printInThread(job: PrintJob, signal: AbortSignal): Promise<Buffer> {
  const worker = takeThread()
  let abort = () => {}
  try {
    const pdf = await new Promise<Uint8Array>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the printer ended with ${code}`)))
      abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort)
      worker.postMessage(job)
    })
    keepThread(worker)
    return Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function takeThread(): Worker {
  if (kept === undefined) return startThread()
  const { worker, end } = kept
  clearTimeout(end)
  kept = undefined
  removeListeners(worker)
  worker.ref()
  return worker
}

function startThread(): Worker {
  return new Worker(new URL('./thread.js', import.meta.url), {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
}

/** Keeps the thread for the next PDF without keeping the process alive. */
function keepThread(worker: Worker): void {
  removeListeners(worker)
  for (const event of ['error', 'exit']) worker.once(event, () => void stopPdfWorker())
  worker.unref()
  kept = { worker, end: setTimeout(() => void stopPdfWorker(), IDLE_MS).unref() }
}

/** Ends the thread if it is idle. */
export async function stopPdfWorker(): Promise<void> {
  if (kept === undefined) return
  const { worker, end } = kept
  clearTimeout(end)
  kept = undefined
  removeListeners(worker)
  await worker.terminate()
}

function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}
