import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { insertSource, noteUpload } from '../../../db/queries/content/sources.js'
import { tryLock } from '../../../db/queries/try-lock.js'
import type { Database } from '../../../db/types.js'
import type { Digests } from '../../domain/content/import-plan.js'
import type { Incoming, IncomingPicture } from '../../domain/content/incoming.js'
import { keyUpload } from '../../domain/content/upload-keys.js'
import type { Upload, UploadCard, UploadDeck, UploadPlan } from '../../domain/content/upload-plan.js'
import { FaultyContent, FaultyUpload, IMPORT_RUNS, SourceExists } from '../../domain/refusals.js'
import { importAlone, whileOvertaken } from './import-turns.js'
import { dropUnusedPictures, findMissingPictures, storePictures } from './pictures.js'
import { digestContent } from './plan-now.js'
import { describeUpload, planUploadNow, type Target, targetOf, type UploadReport } from './plan-upload-now.js'
import { type OnProgress, type Origin, writePlan } from './write-plan.js'

/** What somebody uploads, and what is to become of it. */
export interface UploadOptions {
  /** Of the source, when it is new. */
  name: string
  /** Null when it has none, such as a pasted table. */
  fileName: string | null
  /** Of the file, in bytes. */
  size: number
  /** The source that it updates. */
  sourceId?: number | undefined
  /** Whether it makes a source although there is one of that name. */
  isNew?: boolean
  /** Whether what it does not mention is archived. */
  mirror?: boolean
  /** What all pictures may take together. */
  mediaMaxBytes: number
  onProgress?: OnProgress
}

/** Unpacks and parses the file; called once. @throws FaultyContent, HttpError */
export type ReadUpload = () => Promise<Incoming>

/** What an upload is, once it has been read. */
interface Prepared {
  upload: Upload
  pictures: IncomingPicture[]
  warnings: Pick<Incoming, 'warnings' | 'warningsTotal'>
  digests: Digests
  started: number
}

/**
 * What an import of the upload would do now; nothing is written. An equally named source counts as the one that is
 * meant, unless the upload makes a new one.
 * @throws FaultyUpload, SOURCE_NOT_FOUND, OtherKind, MediaFull
 */
export async function checkUpload(
  db: Kysely<Database>,
  read: ReadUpload,
  options: UploadOptions,
): Promise<UploadReport> {
  const prepared = await prepare(read)
  const target = await targetOf(db, prepared.upload.kind, options)
  const plan = await planUploadNow(db, prepared, target.source?.id, options)
  const missing = await findMissingPictures(db, prepared.pictures, options.mediaMaxBytes)
  return describeUpload(db, prepared, plan, missing, target)
}

/**
 * Brings the upload into its source, in one transaction: all or nothing. The audit trail notes it.
 * @throws FaultyUpload with the first faults of the file
 * @throws SourceExists when there is a source of that name and nobody has said what is meant
 * @throws IMPORT_RUNS, CONTENT_CHANGES, SOURCE_NOT_FOUND, OtherKind, MediaFull
 */
export async function importUpload(
  db: Kysely<Database>,
  actor: Actor,
  read: ReadUpload,
  options: UploadOptions,
): Promise<UploadReport> {
  const report = await importAlone(db, async () => {
    const prepared = await prepare(read)
    return whileOvertaken(db, (transaction) => write(transaction, actor, prepared, options))
  })
  if (report === undefined) throw IMPORT_RUNS
  return report
}

async function prepare(read: ReadUpload): Promise<Prepared> {
  const started = performance.now()
  try {
    const incoming = await read()
    const upload = keyUpload(incoming)
    const { pictures, warnings, warningsTotal } = incoming
    return { upload, pictures, warnings: { warnings, warningsTotal }, digests: await digestContent(upload), started }
  } catch (error) {
    throw error instanceof FaultyContent ? new FaultyUpload(error) : error
  }
}

async function write(
  transaction: Transaction<Database>,
  actor: Actor,
  prepared: Prepared,
  options: UploadOptions,
): Promise<UploadReport> {
  if (!(await tryLock(transaction, 'import'))) throw IMPORT_RUNS
  const { upload, pictures } = prepared
  const target = await targetOf(transaction, upload.kind, options)
  if (target.isGuessed && target.source !== null) throw new SourceExists(target.source)
  const plan = await planUploadNow(transaction, prepared, target.source?.id, options)
  const missing = await findMissingPictures(transaction, pictures, options.mediaMaxBytes)
  // It shows texts as they were.
  const report = await describeUpload(transaction, prepared, plan, missing, target)
  const id = await writeSource(transaction, actor, upload, target, options)
  await writePlan(transaction, plan, options.onProgress ?? (() => {}), originOf(id, plan))
  await storePictures(transaction, missing)
  if (plan.changedCards.length + plan.changedSheets.length > 0) await dropUnusedPictures(transaction)
  const stats = { ...report.stats, warnings: report.stats.warnings_total, warnings_total: undefined }
  const details = { ...stats, kind: upload.kind, mirror: options.mirror === true }
  const deed = { action: 'content.upload', target_id: id, target: report.source.name, details } as const
  await insertAuditEntry(transaction, actor, deed)
  return { ...report, source: { ...report.source, id }, existing: null }
}

async function writeSource(
  transaction: Transaction<Database>,
  actor: Actor,
  { kind }: Upload,
  { source, name }: Target,
  { fileName, size }: UploadOptions,
): Promise<number> {
  const by = actor.actor_id === null ? null : actor.actor
  const upload = { file_name: fileName, size_bytes: size, updated_by: by }
  if (source === null) return insertSource(transaction, { kind, name, created_by: by, ...upload })
  await noteUpload(transaction, source.id, upload)
  return source.id
}

/** The decks and cards of the plan are those of the upload. */
function originOf(sourceId: number, { sheetKeys }: UploadPlan): Origin {
  return {
    ofDeck: (deck) => ({ file: null, source_id: sourceId, source_key: (deck as UploadDeck).source_key }),
    ofCard: (card) => ({ guid: (card as UploadCard).guid, ord: (card as UploadCard).ord }),
    ofSheet: (sheet) => ({ source_id: sourceId, source_key: sheetKeys.get(sheet) ?? sheet.slug }),
  }
}
