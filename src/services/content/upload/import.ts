import type { Kysely, Transaction } from 'kysely'
import { abortable } from '../../../../db/abortable.js'
import { type Actor, insertAuditEntry } from '../../../../db/queries/accounts/audit.js'
import { lockCardWriters } from '../../../../db/queries/content/editing/cards.js'
import { lockSheetsOfSource } from '../../../../db/queries/content/editing/sheets.js'
import { insertEditor } from '../../../../db/queries/content/editors.js'
import { findTableSource, insertSource, recordUpload, rememberTable } from '../../../../db/queries/content/sources.js'
import { listLevels } from '../../../../db/queries/content/stored.js'
import { offerDecks } from '../../../../db/queries/content/write.js'
import { tryLock } from '../../../../db/queries/try-lock.js'
import type { Database } from '../../../../db/types.js'
import { digestInSteps } from '../../../domain/content/plan/digest.js'
import { hasChanges, type UploadCard, type UploadDeck, type UploadSheet } from '../../../domain/content/plan/types.js'
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
import { checkTests } from '../../tests/import.js'
import { importAlone, retryOnConflict } from '../import-lock.js'
import { runInTurns } from '../turns.js'
import { type OnProgress, type Origin, writeImport } from '../write.js'
import { isLimited, type PlanOptions, planImport, type ReadyUpload, type Target, targetOf } from './plan.js'
import { readUpload } from './read.js'
import type { ReceivedFile } from './receive.js'
import { describeUpload, type UploadReport } from './report.js'

export interface UploadOptions extends PlanOptions {
  /** Name of the new source, or of the existing source if `sourceId` is undefined and `isNew` is false */
  name: string
  /** Name of the file; null for a pasted table */
  fileName: string | null
  sourceId?: number | undefined
  /** Whether to create a source even if the name exists */
  isNew?: boolean
  /** Whether all new decks are active for all learners; otherwise learners have to choose those of `optionalDecks` */
  active?: boolean
  /** Deck for all cards; overrides the decks in the file */
  deck?: string | undefined
  /** Level for all cards; overrides the levels in the file */
  level?: string | undefined
  /** Chosen columns and separator of a table; remembered for the source */
  table?: TableChoice
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
  const ready = await prepare(db, file, options)
  const target = await targetOf(db, ready.upload.kind, options)
  const planned = await planImport(db, ready, target, options)
  const keepsRest = options.mirror !== true
  const { plan, tests, testOrigin } = planned
  return describeUpload(planned, await checkTests(db, tests, testOrigin, { plan, keepsRest }).catch(asUpload))
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

/** Reads the file and gives its cards the keys and digests that identify them. */
async function prepare(
  db: Kysely<Database>,
  { path, size, folder }: ReceivedFile,
  { name, fileName, sourceId, userId, deck, level, table, mediaMaxBytes, timeoutMs, signal }: UploadOptions,
): Promise<ReadyUpload> {
  const started = performance.now()
  const source = sourceId === undefined ? undefined : await findTableSource(db, sourceId)
  const options = {
    fileName: fileName ?? (name || 'Tabelle'),
    defaultDeck: source?.name ?? name,
    workFolder: folder,
    levels: await listLevels(db),
    level,
    deck,
    table: { ...table, remembered: source?.table_layout ?? undefined },
    maxPictureBytes: mediaMaxBytes,
  }
  const incoming = await readUpload(path, options, { userId, timeoutMs, signal }).catch(asUpload)
  const { pictures, warnings, warningsTotal, tests = [], table: found = null } = incoming
  const upload = keyUpload(incoming)
  const digests = await runInTurns(digestInSteps(upload), signal)
  return { upload, tests, table: found, pictures, warnings, warningsTotal, digests, started, size }
}

async function write(
  transaction: Transaction<Database>,
  actor: Actor,
  ready: ReadyUpload,
  options: UploadOptions,
): Promise<UploadReport> {
  if (!(await tryLock(transaction, 'import'))) throw IMPORT_RUNS
  const target = await targetOf(transaction, ready.upload.kind, options)
  if (target.isGuessed && target.source !== null) throw new SourceExists(target.source)
  // Makes editors wait: the plan includes earlier edits, and a later edit finds that its version is outdated.
  await lockCardWriters(transaction)
  if (target.source !== null) await lockSheetsOfSource(transaction, target.source.id)
  const planned = await planImport(transaction, ready, target, options)
  const { plan, tests } = planned
  // If all content of the upload belongs to other sources, no empty source is created.
  if (target.source === null && !hasChanges(plan) && !hasTestChanges(tests)) {
    return { ...describeUpload(planned), existing: null }
  }
  const id = await writeSource(transaction, actor, ready, target, options)
  const origin = { ...planned.testOrigin, sourceId: id }
  const written = await writeImport(transaction, { ...planned, testOrigin: origin }, originOf(id), {
    change: { userId: actor.actor_id, how: 'upload', sourceId: id },
    picturesOf: isLimited(options) ? options.userId : null,
    onProgress: options.onProgress,
  }).catch(asUpload)
  const optional = options.active === true ? [] : optionalDecks(plan)
  await offerDecks(
    transaction,
    optional.map(({ slug }) => slug),
  )
  const report = describeUpload(planned, written)
  const stats = { ...report.stats, warnings: report.stats.warnings_total, warnings_total: undefined }
  const details = { ...stats, kind: ready.upload.kind, mirror: options.mirror === true }
  const deed = { action: 'content.upload', target_id: id, target: report.source.name, details } as const
  await insertAuditEntry(transaction, actor, deed)
  return { ...report, source: { ...report.source, id }, existing: null }
}

/** Creates the source or records the upload, and remembers what was chosen for a table. Returns the id of the source. */
async function writeSource(
  transaction: Transaction<Database>,
  actor: Actor,
  { upload: { kind }, size, table }: ReadyUpload,
  { source, name }: Target,
  { fileName, table: choice }: UploadOptions,
): Promise<number> {
  const by = actor.actor_id === null ? null : actor.actor
  const file = { file_name: fileName, size_bytes: size, updated_by: by }
  const id = source?.id ?? (await insertSource(transaction, { kind, name, created_by: by, ...file }))
  if (source !== null) await recordUpload(transaction, id, file)
  else if (actor.actor_id !== null) await insertEditor(transaction, id, actor.actor_id)
  if (table !== null && (choice?.columns ?? choice?.separator) !== undefined) {
    await rememberTable(transaction, id, layoutOf(table))
  }
  return id
}

function originOf(sourceId: number): Origin<UploadDeck, UploadCard, UploadSheet> {
  return {
    ofDeck: ({ source_key }) => ({ file: null, source_id: sourceId, source_key }),
    ofCard: ({ guid, ord }) => ({ guid, ord }),
    ofSheet: ({ source_key }) => ({ source_id: sourceId, source_key }),
  }
}
