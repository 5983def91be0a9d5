import { handleTasks } from '../handle-tasks.js'
import { type PrintedProof, printProof } from './proof.js'
import { type PrintedSession, printSession } from './session.js'

export type PrintJob = { kind: 'proof'; content: PrintedProof } | { kind: 'session'; content: PrintedSession }

// The result is the bytes of the PDF.
handleTasks((job: PrintJob) => (job.kind === 'proof' ? printProof(job.content) : printSession(job.content)))
