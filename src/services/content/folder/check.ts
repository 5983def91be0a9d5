import type { Kysely } from 'kysely'
import pLimit from 'p-limit'
import { abortable } from '../../../../db/abortable.js'
import type { Database } from '../../../../db/types.js'
import { sortWarnings } from '../../../domain/content/findings.js'
import { digestInSteps } from '../../../domain/content/plan/digest.js'
import { refusalOf } from '../../../domain/content/plan/folder.js'
import { changesOf, type ImportStats } from '../../../domain/content/plan/types.js'
import { FaultyContent, type MostArchived } from '../../../domain/content/refusals.js'
import { checkTests } from '../../tests/import.js'
import { DEFAULT_MEDIA_BYTES } from '../pictures.js'
import { runInTurns } from '../turns.js'
import { planFolder } from './plan.js'
import { type ReadContent, readContent } from './read.js'

export interface ImportPreview {
  stats: Omit<ImportStats, 'duration_ms'>
  /** Refusal that an import without `force` would throw; undefined if there is none */
  refusal: MostArchived | undefined
  /** Number of cards that the import would archive; `archived_cheatsheets` is the number of sheets */
  archived: number
  /** Number of unarchived cards of the folder before the import; `live_cheatsheets` is the number of sheets */
  live: number
  archived_cheatsheets: number
  live_cheatsheets: number
}

/**
 * Previews an import of the content without writing.
 * @throws FaultyContent if a deck would become a pool, a pool would become a deck, or a test cannot be published
 * @throws MediaFull if the pictures would exceed `mediaMaxBytes`
 */
export async function previewImport(
  db: Kysely<Database>,
  read: ReadContent,
  mediaMaxBytes = DEFAULT_MEDIA_BYTES,
): Promise<ImportPreview> {
  const digests = await runInTurns(digestInSteps(read.content))
  const { plan, tests, testOrigin } = await planFolder(db, read, digests, mediaMaxBytes)
  const { changes, warnings } = await checkTests(db, tests, testOrigin, { plan, keepsRest: false })
  return {
    stats: {
      ...changesOf(plan),
      ...(changes !== undefined && { tests: changes }),
      warnings: [...plan.warnings, ...warnings],
    },
    refusal: refusalOf(plan),
    archived: plan.archivedCards.length,
    live: plan.liveCards,
    archived_cheatsheets: plan.archivedSheets.length,
    live_cheatsheets: plan.liveSheets,
  }
}

/** Runs one check at a time, because each takes the memory and time of an import. */
const checkInTurn = pLimit(1)

/**
 * Previews an import of the folder without writing. Concurrent checks wait for each other, but not for imports.
 * @param signal aborts the check; the signal's reason is thrown
 * @throws UnreadableContent if the folder cannot be read
 * @throws FaultyContent with all faults of the files if there are any, or under the conditions of `previewImport`
 * @throws MediaFull if the pictures would exceed `mediaMaxBytes`
 */
export function checkFolder(
  db: Kysely<Database>,
  folder: string,
  mediaMaxBytes: number,
  signal: AbortSignal,
): Promise<ImportPreview> {
  return checkInTurn(async () => {
    signal.throwIfAborted()
    const read = await readContent(folder, signal)
    const { faults, warnings } = read
    if (faults.length > 0) throw new FaultyContent(faults)
    const { stats, ...preview } = await previewImport(abortable(db, signal), read, mediaMaxBytes)
    return { ...preview, stats: { ...stats, warnings: sortWarnings([...warnings, ...stats.warnings]) } }
  })
}
