import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { saveLastImport } from '../../../db/queries/content/state.js'
import { isContentEmpty } from '../../../db/queries/content/stored.js'
import { tryLock } from '../../../db/queries/try-lock.js'
import type { Database } from '../../../db/types.js'
import type { ImportStats } from '../../domain/content/import-plan.js'
import { FaultyContent, HttpError, IMPORT_RUNS } from '../../domain/refusals.js'
import { importAlone, whileOvertaken } from './import-turns.js'
import { DEFAULT_MEDIA_BYTES, dropUnusedPictures, findMissingPictures, storePictures } from './pictures.js'
import { changesOf, digestContent, planNow, refusalOf, sortWarnings } from './plan-now.js'
import { readContent } from './read-content.js'
import { type OnProgress, writePlan } from './write-plan.js'

export interface ImportOptions {
  /** Whether more than half of the cards, or of the sheets, may be archived. */
  force?: boolean | undefined
  /** What all pictures may take together. */
  mediaMaxBytes?: number
  onProgress?: OnProgress
}

/** Kept of a refused import. */
const MAX_FAULTS = 200

/**
 * Makes the store equal to the files of the folder, in one transaction: all or nothing. Rows that scripts wrote and
 * no file describes are left alone; what has disappeared from the files is archived. The audit trail notes it, and how
 * it ended is kept, also when it was refused.
 * @throws UnreadableContent when the folder cannot be read
 * @throws FaultyContent with every fault of the files
 * @throws MostArchived when more than half of the cards or sheets would go, unless forced
 * @throws MediaFull when the pictures would take too much room
 * @throws IMPORT_RUNS
 * @throws CONTENT_CHANGES when somebody else writes the same content all the time
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
 * The first import: does nothing when the store holds content, or when another instance is importing it right now.
 * @throws UnreadableContent when the folder cannot be read
 * @throws FaultyContent with every fault of the files
 */
export async function importIntoEmptyStore(
  db: Kysely<Database>,
  folder: string,
  options: Omit<ImportOptions, 'force'> = {},
): Promise<ImportStats | undefined> {
  if (!(await isContentEmpty(db))) return undefined
  return importExclusively(db, undefined, folder, isContentEmpty, options)
}

type Condition = (transaction: Transaction<Database>) => Promise<boolean>

/** Undefined when another import is running or the condition does not hold once the lock is ours. */
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
      if (error instanceof HttpError) {
        const errors = error instanceof FaultyContent ? error.faults.slice(0, MAX_FAULTS) : []
        await saveLastImport(db, { ...originOf(actor), outcome: 'refused', error: error.message, stats: null, errors })
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
  { force = false, mediaMaxBytes = DEFAULT_MEDIA_BYTES, onProgress = () => {} }: ImportOptions,
): Promise<ImportStats | undefined> {
  const started = performance.now()
  // Reading comes first: on the embedded database a transaction keeps everybody else waiting.
  const read = await readContent(folder)
  const { faults, warnings } = read
  if (faults.length > 0) throw new FaultyContent(faults)
  const digests = await digestContent(read.content)
  return whileOvertaken(db, async (transaction) => {
    if (!(await tryLock(transaction, 'import')) || !(await condition(transaction))) return undefined
    const plan = await planNow(transaction, read, digests)
    const refusal = force ? undefined : refusalOf(plan)
    if (refusal !== undefined) throw refusal
    const missing = await findMissingPictures(transaction, read.pictures, mediaMaxBytes)
    await writePlan(transaction, plan, onProgress)
    await storePictures(transaction, missing)
    if (plan.changedCards.length + plan.changedSheets.length > 0) await dropUnusedPictures(transaction)
    const stats = {
      ...changesOf(plan),
      duration_ms: Math.round(performance.now() - started),
      warnings: sortWarnings([...warnings, ...plan.warnings]),
    }
    if (actor !== undefined) {
      // The number is enough: each import would say the same again of a file that stays ignored.
      const details = { ...stats, warnings: stats.warnings.length }
      await insertAuditEntry(transaction, actor, { action: 'content.import', details })
    }
    await saveLastImport(transaction, { ...originOf(actor), outcome: 'done', error: null, stats, errors: [] })
    return stats
  })
}

/** The account that asked for the import, and how; the command line has no account. */
function originOf(actor: Actor | undefined) {
  if (actor === undefined) return { actor: null, via: 'start' as const }
  return { actor: actor.actor_id === null ? null : actor.actor, via: actor.via }
}
