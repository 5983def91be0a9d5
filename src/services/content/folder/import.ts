import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../../db/queries/accounts/audit.js'
import { saveLastImport } from '../../../../db/queries/content/state.js'
import { isContentEmpty } from '../../../../db/queries/content/stored.js'
import { tryLock } from '../../../../db/queries/try-lock.js'
import type { Database } from '../../../../db/types.js'
import { sortWarnings } from '../../../domain/content/findings.js'
import { digestInSteps } from '../../../domain/content/plan/digest.js'
import { refusalOf } from '../../../domain/content/plan/folder.js'
import { changesOf, type ImportStats } from '../../../domain/content/plan/types.js'
import { FaultyContent, IMPORT_RUNS, MostArchived, UnreadableContent } from '../../../domain/content/refusals.js'
import type { CardSource, DeckSource, SheetSource } from '../../../domain/content/types.js'
import { Refusal } from '../../../domain/refusal.js'
import { importAlone, retryOnConflict } from '../import-lock.js'
import { DEFAULT_MEDIA_BYTES } from '../pictures.js'
import { runInTurns } from '../turns.js'
import { type OnProgress, type Origin, writeImport } from '../write.js'
import { planFolder } from './plan.js'
import { readContent } from './read.js'

export interface ImportOptions {
  /** Whether the import proceeds although `refusalOf` returns a refusal */
  force?: boolean | undefined
  mediaMaxBytes?: number
  onProgress?: OnProgress
  /** Aborts and rolls back the import; the signal's reason is thrown */
  signal?: AbortSignal | undefined
}

/** Maximum number of faults stored for a refused import */
const MAX_FAULTS = 200

/**
 * Imports the files of the folder in one transaction. Archives earlier content of the folder that the files no longer
 * contain; content that scripts have created and that no file describes stays. Writes an audit entry. Stores the
 * outcome, even if the import is refused.
 * @throws UnreadableContent if the folder cannot be read
 * @throws FaultyContent if a file has faults, a deck would become a pool or a pool a deck, or a test cannot be
 * published; checked in this order, so `faults` concern only the first condition that applies
 * @throws MostArchived under the conditions of `refusalOf`, unless forced
 * @throws MediaFull if the pictures would exceed the limit
 * @throws IMPORT_RUNS if another import or a change of a source is running
 * @throws CONTENT_CHANGES if other writers keep changing the same content, or a picture file changes during the import
 */
export async function importContent(
  db: Kysely<Database>,
  actor: Actor,
  folder: string,
  options: ImportOptions = {},
): Promise<ImportStats> {
  const stats = await importExclusively(db, actor, folder, async () => true, options)
  if (stats === undefined) throw IMPORT_RUNS
  return stats
}

/**
 * Runs the first import. Returns undefined without importing if there is content already, or if another import or a
 * change of a source is running.
 * @throws the errors of `importContent`, except IMPORT_RUNS
 */
export async function importIntoEmptyStore(
  db: Kysely<Database>,
  folder: string,
  options: Omit<ImportOptions, 'force'> = {},
): Promise<ImportStats | undefined> {
  if (!(await isContentEmpty(db))) return undefined
  return importExclusively(db, undefined, folder, isContentEmpty, options)
}

/** Origin of the folder's content, which belongs to no source; each deck is stored with the path of its file. */
const FOLDER: Origin<DeckSource, CardSource, SheetSource> = {
  ofDeck: ({ file }) => ({ file, source_id: null, source_key: null }),
  ofCard: () => ({ guid: null, ord: null }),
  ofSheet: () => ({ source_id: null, source_key: null }),
}

type Condition = (transaction: Transaction<Database>) => Promise<boolean>

/**
 * Imports the folder. Returns undefined if another import or a change of a source is running, or if `condition` returns
 * false under the import lock.
 */
async function importExclusively(
  db: Kysely<Database>,
  actor: Actor | undefined,
  folder: string,
  condition: Condition,
  options: ImportOptions,
): Promise<ImportStats | undefined> {
  return importAlone(db, async () => {
    try {
      return await readAndWrite(db, actor, folder, condition, options)
    } catch (error) {
      if (error instanceof Refusal) {
        const errors = error instanceof FaultyContent ? error.faults.slice(0, MAX_FAULTS) : []
        // The message says how to force an import by HTTP, which concerns only the caller, or has the path of the folder.
        const isShortened = error instanceof MostArchived || error instanceof UnreadableContent
        const reason = isShortened ? error.reason : error.message
        await saveLastImport(db, { ...originOf(actor), outcome: 'refused', error: reason, stats: null, errors })
      }
      throw error
    }
  })
}

async function readAndWrite(
  db: Kysely<Database>,
  actor: Actor | undefined,
  folder: string,
  condition: Condition,
  { force = false, mediaMaxBytes = DEFAULT_MEDIA_BYTES, onProgress, signal }: ImportOptions,
): Promise<ImportStats | undefined> {
  const started = performance.now()
  // Reads the files before the transaction, which blocks all other requests on the embedded database.
  const read = await readContent(folder, signal)
  const { faults, warnings } = read
  if (faults.length > 0) throw new FaultyContent(faults)
  const digests = await runInTurns(digestInSteps(read.content), signal)
  const write = async (transaction: Transaction<Database>) => {
    if (!(await tryLock(transaction, 'import')) || !(await condition(transaction))) return undefined
    const planned = await planFolder(transaction, read, digests, mediaMaxBytes)
    const { plan } = planned
    const refusal = force ? undefined : refusalOf(plan)
    if (refusal !== undefined) throw refusal
    const change = { userId: actor?.actor_id ?? null, how: 'folder', sourceId: null } as const
    // The first content is no change.
    const isFirst = await isContentEmpty(transaction)
    const imported = await writeImport(transaction, planned, FOLDER, { change: isFirst ? null : change, onProgress })
    const stats = {
      ...changesOf(plan),
      ...(imported.changes !== undefined && { tests: imported.changes }),
      duration_ms: Math.round(performance.now() - started),
      warnings: sortWarnings([...warnings, ...plan.warnings, ...imported.warnings]),
    }
    if (actor !== undefined) {
      // The entry contains only the number of warnings, because every import repeats the same warnings.
      const details = { ...stats, warnings: stats.warnings.length }
      await insertAuditEntry(transaction, actor, { action: 'content.import', details })
    }
    await saveLastImport(transaction, { ...originOf(actor), outcome: 'done', error: null, stats, errors: [] })
    return stats
  }
  return retryOnConflict(db, write, signal)
}

/** The returned `actor` is null for an import at the start of the service or on the command line. */
function originOf(actor: Actor | undefined) {
  if (actor === undefined) return { actor: null, via: 'start' as const }
  return { actor: actor.actor_id === null ? null : actor.actor, via: actor.via }
}
