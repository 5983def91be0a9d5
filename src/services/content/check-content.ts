import type { Kysely } from 'kysely'
import pLimit from 'p-limit'
import type { Database } from '../../../db/types.js'
import type { ImportStats } from '../../domain/content/import-plan.js'
import { FaultyContent, type MostArchived } from '../../domain/refusals.js'
import { DEFAULT_MEDIA_BYTES, findMissingPictures } from './pictures.js'
import { changesOf, digestContent, planNow, refusalOf, sortWarnings } from './plan-now.js'
import { type ReadContent, readContent } from './read-content.js'

/** What an import would do now. */
export interface ImportPreview {
  stats: Omit<ImportStats, 'duration_ms'>
  /** Why it would be refused unless forced. */
  refusal: MostArchived | undefined
  /** How many cards it would archive, of how many; the same for sheets. */
  archived: number
  live: number
  archived_cheatsheets: number
  live_cheatsheets: number
}

/**
 * What an import of the content would do now; nothing is written.
 * @throws FaultyContent when a file wants what belongs to a source
 * @throws MediaFull
 */
export async function previewImport(
  db: Kysely<Database>,
  read: ReadContent,
  mediaMaxBytes = DEFAULT_MEDIA_BYTES,
): Promise<ImportPreview> {
  const plan = await planNow(db, read, await digestContent(read.content))
  await findMissingPictures(db, read.pictures, mediaMaxBytes)
  return {
    stats: { ...changesOf(plan), warnings: plan.warnings },
    refusal: refusalOf(plan),
    archived: plan.archivedCards.length,
    live: plan.liveCards,
    archived_cheatsheets: plan.archivedSheets.length,
    live_cheatsheets: plan.liveSheets,
  }
}

/** Each takes the memory and the time of an import. */
const checkInTurn = pLimit(1)

/**
 * What an import of the folder would do now; nothing is written, and only other checks have to wait.
 * @throws UnreadableContent, FaultyContent, MediaFull
 */
export function checkFolder(db: Kysely<Database>, folder: string, mediaMaxBytes?: number): Promise<ImportPreview> {
  return checkInTurn(async () => {
    const read = await readContent(folder)
    const { faults, warnings } = read
    if (faults.length > 0) throw new FaultyContent(faults)
    const { stats, ...preview } = await previewImport(db, read, mediaMaxBytes)
    return { ...preview, stats: { ...stats, warnings: sortWarnings([...warnings, ...stats.warnings]) } }
  })
}
