import { FairTurns, type TurnShare } from '../fair-turns.js'
import { Threads } from '../threads.js'
import type { PrintJob } from './thread.js'

/** Queue for the single thread that prints PDFs, so that printing uses at most one processor */
const turns = new FairTurns({ concurrent: 1, waitingOthers: 50, waitingPerOwner: 3, retryAfterSeconds: 2 })
const threads = new Threads<PrintJob, Uint8Array>({
  module: new URL('./thread.js', import.meta.url),
  heapMb: 256,
})

/**
 * Returns a PDF. It is printed in a worker thread, because printing takes much processor time.
 * @throws the reason of the signal if it is aborted
 * @throws TooManyAttempts if 3 PDFs of the owner already wait
 * @throws Unavailable under the conditions of `FairTurns.run`
 */
export async function renderPdf(share: TurnShare, job: PrintJob, signal: AbortSignal): Promise<Buffer> {
  const pdf = await turns.run(share, () => threads.run(job, { signal }), signal)
  return Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
}
