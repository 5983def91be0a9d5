import { handleTasks } from '../handle-tasks.js'
import { type PrintedCertificate, printCertificate } from './certificate.js'
import { type PrintedSession, printSession } from './session.js'

export type PrintJob =
  | { kind: 'certificate'; content: PrintedCertificate }
  | { kind: 'session'; content: PrintedSession }

// The result is the bytes of the PDF.
handleTasks((job: PrintJob) => (job.kind === 'certificate' ? printCertificate(job.content) : printSession(job.content)))
