import type { Kysely, Transaction } from 'kysely'
import { abortable } from '../../../../db/abortable.js'
import { type Actor, insertAuditEntry } from '../../../../db/queries/accounts/audit.js'
import { lockCardWriters } from '../../../../db/queries/content/editing/cards.js'
import { lockSheetsOfSource } from '../../../../db/queries/content/editing/sheets.js'
import { insertEditor } from '../../../../db/queries/content/editors.js'
import { insertSource, recordUpload, rememberTable } from '../../../../db/queries/content/sources.js'
import { offerDecks } from '../../../../db/queries/content/write-decks.js'
import { tryLock } from '../../../../db/queries/try-lock.js'
import type { Database } from '../../../../db/types.js'
import type { Editable } from '../../../domain/content/editing/rights.js'
import { digestInSteps } from '../../../domain/content/plan/digest.js'
import {
  changesOf,
  hasChanges,
  type UploadCard,
  type UploadDeck,
  type UploadSheet,
} from '../../../domain/content/plan/types.js'
import { optionalDecks } from '../../../domain/content/plan/upload.js'
import {
  COLUMNS_UNCLEAR,
  FaultyContent,
  FaultyUpload,
  IMPORT_RUNS,
  SourceExists,
} from '../../../domain/content/refusals.js'
import { keyUpload } from '../../../domain/content/upload/key.js'
import type { TableChoice } from '../../../domain/table/index.js'
import { layoutOf } from '../../../domain/table-layout.js'
import { hasTestChanges } from '../../../domain/tests/import-plan.js'
import { checkTests, writeTests } from '../../tests/import.js'
import { openChange } from '../editing/change.js'
import { importAlone, retryOnConflict } from '../import-lock.js'
import { dropUnusedPictures, findMissingPictures, limitOwnPictures, storePictures } from '../pictures.js'
import { runInTurns } from '../turns.js'
import { type OnProgress, type Origin, writePlan } from '../write.js'
import {
  describeTests,
  describeUpload,
  planSource,
  planTests,
  type ReadyUpload,
  type Target,
  targetOf,
  type UploadReport,
} from './plan.js'
import { readUpload } from './read.js'
import type { ReceivedFile } from './receive.js'

export interface UploadOptions {
  /** Name of the new source, or of the existing source if `sourceId` is undefined and `isNew` is false */
  name: string
  /** Name of the file; null for a pasted table */
  fileName: string | null
  sourceId?: number | undefined
  /** User who uploads; null means the command line */
  userId: number | null
  /** Whether to create a source even if the name exists */
  isNew?: boolean
  /** Whether content missing in the upload is archived */
  mirror?: boolean
  /** Text for content edited since the last upload: the stored text (`ours`, default) or the text of the file */
  keep?: 'ours' | 'theirs'
  /** Ids of cards that get the text of the file regardless of `keep` */
  theirs?: ReadonlySet<number>
  /** Sources that the user may edit; default: all. Other sources are neither matched nor mentioned in the report. */
  editable?: Editable
  /** Whether all new decks are active for all learners; otherwise learners have to choose those of `optionalDecks` */
  active?: boolean
  /** Deck for all cards; overrides the decks in the file */
  deck?: string | undefined
  /** Level for all cards; overrides the levels in the file */
  level?: string | undefined
  /** Chosen columns and separator of a table; remembered for the source */
  table?: TableChoice
  mediaMaxBytes: number
  /** Maximum total size of the user's pictures in bytes; default: 200 MiB */
  ownMaxBytes?: number
  /** Timeout of reading the file; default: 60 s */
  timeoutMs?: number
  onProgress?: OnProgress
  /** Aborts and rolls back the upload; the signal's reason is thrown */
  signal?: AbortSignal | undefined
}

/**
 * Returns the report of an upload without writing. If `targetOf` finds a source by its name only, the report describes
 * an update of this source; `importUpload` throws SourceExists instead.
 * @throws FaultyUpload if the file has faults, a deck would become a pool or a pool a deck, or a test cannot be
 * published; checked in this order, so `faults` concern only the first condition that applies
 * @throws the other refusals of `readUpload`
 * @throws SOURCE_NOT_FOUND if the source does not exist or may not be edited
 * @throws OtherKind if a file of this kind may not update the source
 * @throws MediaFull, OwnMediaFull if the pictures would exceed the total limit or that of the user
 */
export async function checkUpload(
  database: Kysely<Database>,
  file: ReceivedFile,
  options: UploadOptions,
): Promise<UploadReport> {
  const db = abortable(database, options.signal)
  const prepared = await prepare(db, file, options)
  const target = await targetOf(db, prepared.upload.kind, options)
  const plan = await planSource(db, prepared, target.source?.id, options)
  const missing = await findNewPictures(db, prepared, options)
  const sourceId = target.source?.id
  const { tests, origin } = await planTests(db, prepared, plan, sourceId, options)
  const decks = { plan, keepsRest: options.mirror !== true }
  // A new source has no id yet and no stored pools. Id 0 matches no source.
  const checked = await checkTests(db, tests, { ...origin, sourceId: sourceId ?? 0 }, decks).catch(asUpload)
  return describeTests(await describeUpload(db, prepared, plan, missing, target), tests, checked)
}

function asUpload(error: unknown): never {
  throw error instanceof FaultyContent ? new FaultyUpload(error) : error
}

/**
 * Imports the upload into its source in one transaction, with an audit entry. Writes nothing if an upload for a new
 * source would change nothing; the source in the report then has no id.
 * @throws the refusals of `checkUpload`
 * @throws COLUMNS_UNCLEAR if the columns of the table are unknown; the report of `checkUpload` describes them
 * @throws SourceExists if `targetOf` finds a source by its name only
 * @throws IMPORT_RUNS if another import or a change of a source is running
 * @throws CONTENT_CHANGES if concurrent changes keep invalidating the plan
 */
export async function importUpload(
  db: Kysely<Database>,
  actor: Actor,
  file: ReceivedFile,
  options: UploadOptions,
): Promise<UploadReport> {
  const report = await importAlone(db, async () => {
    const prepared = await prepare(db, file, options)
    if (prepared.table?.isUnclear) throw COLUMNS_UNCLEAR
    return retryOnConflict(db, (transaction) => write(transaction, actor, prepared, options), options.signal)
  })
  if (report === undefined) throw IMPORT_RUNS
  return report
}

async function prepare(
  db: Kysely<Database>,
  { path, size, folder }: ReceivedFile,
  { name, fileName, sourceId, userId, deck, level, table, mediaMaxBytes, timeoutMs, signal }: UploadOptions,
): Promise<ReadyUpload> {
  const started = performance.now()
  try {
    const incoming = await readUpload(db, path, {
      ...{ name, sourceId, userId, deck, level, table, timeoutMs, signal },
      fileName: fileName ?? (name || 'Tabelle'),
      workFolder: folder,
      maxPictureBytes: mediaMaxBytes,
    })
    const { pictures, warnings, warningsTotal } = incoming
    const upload = keyUpload(incoming)
    const digests = await runInTurns(digestInSteps(upload), signal)
    const { tests = [], table: found = null } = incoming
    return { upload, tests, table: found, pictures, warnings, warningsTotal, digests, started, size }
  } catch (error) {
    return asUpload(error)
  }
}

async function write(
  transaction: Transaction<Database>,
  actor: Actor,
  prepared: ReadyUpload,
  options: UploadOptions,
): Promise<UploadReport> {
  if (!(await tryLock(transaction, 'import'))) throw IMPORT_RUNS
  const { upload } = prepared
  const target = await targetOf(transaction, upload.kind, options)
  if (target.isGuessed && target.source !== null) throw new SourceExists(target.source)
  // Makes editors wait: the plan includes earlier edits, and a later edit finds that its version is outdated.
  await lockCardWriters(transaction)
  if (target.source !== null) await lockSheetsOfSource(transaction, target.source.id)
  const plan = await planSource(transaction, prepared, target.source?.id, options)
  const missing = await findNewPictures(transaction, prepared, options)
  // Describes the upload before `writePlan`, because the report contains the previous texts.
  const report = await describeUpload(transaction, prepared, plan, missing, target)
  const { tests, origin } = await planTests(transaction, prepared, plan, target.source?.id, options)
  // If all content of the upload belongs to other sources, no empty source is created.
  if (target.source === null && !hasChanges(plan) && !hasTestChanges(tests)) return { ...report, existing: null }
  const id = await writeSource(transaction, actor, prepared, target, options.fileName)
  if (prepared.table !== null && (options.table?.columns ?? options.table?.separator) !== undefined) {
    await rememberTable(transaction, id, layoutOf(prepared.table))
  }
  if (hasChanges(plan)) {
    await openChange(transaction, { userId: actor.actor_id, how: 'upload', sourceId: id, summary: changesOf(plan) })
  }
  await writePlan(transaction, plan, originOf(id), options.onProgress ?? (() => {}))
  if (options.active !== true) {
    await offerDecks(
      transaction,
      optionalDecks(plan).map(({ slug }) => slug),
    )
  }
  await storePictures(transaction, missing, isLimited(options) ? options.userId : null)
  const written = await writeTests(transaction, tests, { ...origin, sourceId: id }, hasChanges(plan)).catch(asUpload)
  // Runs after all texts are written; otherwise the pictures of texts that are not written yet would be deleted.
  if (plan.changedCards.length + plan.changedSheets.length > 0) await dropUnusedPictures(transaction)
  const whole = describeTests(report, tests, written)
  const stats = { ...whole.stats, warnings: whole.stats.warnings_total, warnings_total: undefined }
  const details = { ...stats, kind: upload.kind, mirror: options.mirror === true }
  const deed = { action: 'content.upload', target_id: id, target: report.source.name, details } as const
  await insertAuditEntry(transaction, actor, deed)
  return { ...whole, source: { ...whole.source, id }, existing: null }
}

/** Returns whether the pictures count towards the limit of the user; those of administrators do not. */
function isLimited({ editable = 'all' }: UploadOptions): boolean {
  return editable !== 'all'
}

async function findNewPictures(db: Kysely<Database>, { pictures }: ReadyUpload, options: UploadOptions) {
  const missing = await findMissingPictures(db, pictures, options.mediaMaxBytes)
  if (isLimited(options) && options.userId !== null)
    await limitOwnPictures(db, options.userId, missing, options.ownMaxBytes)
  return missing
}

async function writeSource(
  transaction: Transaction<Database>,
  actor: Actor,
  { upload: { kind }, size }: ReadyUpload,
  { source, name }: Target,
  fileName: string | null,
): Promise<number> {
  const by = actor.actor_id === null ? null : actor.actor
  const file = { file_name: fileName, size_bytes: size, updated_by: by }
  if (source === null) {
    const id = await insertSource(transaction, { kind, name, created_by: by, ...file })
    if (actor.actor_id !== null) await insertEditor(transaction, id, actor.actor_id)
    return id
  }
  await recordUpload(transaction, source.id, file)
  return source.id
}

function originOf(sourceId: number): Origin<UploadDeck, UploadCard, UploadSheet> {
  return {
    ofDeck: ({ source_key }) => ({ file: null, source_id: sourceId, source_key }),
    ofCard: ({ guid, ord }) => ({ guid, ord }),
    ofSheet: ({ source_key }) => ({ source_id: sourceId, source_key }),
  }
}
