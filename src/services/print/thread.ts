import { parentPort } from 'node:worker_threads'
import { type PrintedProof, printProof } from './proof.js'
import { type PrintedSession, printSession } from './session.js'

/** Message to the thread, which answers with the bytes of the PDF. */
export type PrintJob = { kind: 'proof'; content: PrintedProof } | { kind: 'session'; content: PrintedSession }

parentPort?.on('message', async (job: PrintJob) => {
  parentPort?.postMessage(job.kind === 'proof' ? await printProof(job.content) : await printSession(job.content))
})
