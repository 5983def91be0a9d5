import { PassThrough, type Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Kysely } from 'kysely'
import { ZipFile } from 'yazl'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { findCertificate } from '../../../db/queries/certificates/certificates.js'
import { listInForce } from '../../../db/queries/certificates/search.js'
import type { Database } from '../../../db/types.js'
import { fileNameOf } from '../../domain/certificates/file-name.js'
import { readSnapshot } from '../../domain/certificates/snapshot.js'
import { accountShare, type TurnShare } from '../fair-turns.js'
import type { PrintedCertificate } from '../print/certificate.js'
import { renderPdf } from '../print/print.js'

export interface ArchiveOrder {
  assignment: { id: number; title: string }
  purpose: string
  /** User who waits for the archive */
  userId: number
  /** Returns what the settings and the request add to a certificate */
  frameOf: (code: string) => Pick<PrintedCertificate, 'address' | 'logo' | 'language'>
}

/**
 * Writes an audit entry and returns a ZIP with the PDFs of all certificates of an assignment that are neither replaced
 * nor revoked, and their number. Prints a PDF when the reader has taken the one before, so that memory does not grow with
 * their number. The stream fails if the signal is aborted.
 */
export async function openArchive(
  db: Kysely<Database>,
  actor: Actor,
  { assignment: { id, title }, purpose, userId, frameOf }: ArchiveOrder,
  signal: AbortSignal,
): Promise<{ stream: Readable; count: number }> {
  const codes = await listInForce(db, id)
  await insertAuditEntry(db, actor, { action: 'proof.export', target_id: id, target: title, details: { purpose } })
  const zip = new ZipFile()
  const stream = zip.outputStream as PassThrough
  // After a disconnect, no other listener of the error is left.
  stream.on('error', () => {})
  // The archive has its own place in the queue, so that other PDFs of the user do not make it fail.
  const share = { ...accountShare(userId), owner: `${userId} archive` }
  writeFiles(db, zip, codes, { share, frameOf }, signal).catch((error: Error) => stream.destroy(error))
  return { stream, count: codes.length }
}

async function writeFiles(
  db: Kysely<Database>,
  zip: ZipFile,
  codes: readonly string[],
  { share, frameOf }: { share: TurnShare } & Pick<ArchiveOrder, 'frameOf'>,
  signal: AbortSignal,
): Promise<void> {
  for (const code of codes) {
    const certificate = await findCertificate(db, code)
    // It may have been deleted, replaced or revoked since the archive began.
    if (certificate === undefined || certificate.revoked_at !== null || certificate.replaced_by !== null) continue
    const snapshot = readSnapshot(certificate.snapshot)
    const content = { ...certificate, ...frameOf(code), snapshot }
    const pdf = await renderPdf(share, { kind: 'certificate', content }, signal)
    const file = new PassThrough()
    // PDFs are compressed already.
    const options = { compress: false, size: pdf.length, mode: 0o100644, mtime: certificate.issued_at }
    zip.addReadStream(file, fileNameOf(snapshot.name, code), options)
    file.end(pdf)
    await finished(file, { signal })
  }
  zip.end()
}
