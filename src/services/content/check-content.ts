import type { Kysely } from 'kysely'
import pLimit from 'p-limit'
import type { Database } from '../../../db/types.js'
import type { ImportStats } from '../../domain/content/import-plan.js'
import type { Content } from '../../domain/content/types.js'
import { FaultyContent, type MostArchived } from '../../domain/refusals.js'
import { changesOf, digestContent, planNow, refusalOf, sortWarnings } from './plan-now.js'
import { readContent } from './read-content.js'

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

/** What an import of the content, as `readContent` returned it, would do now; nothing is written. */
export async function previewImport(db: Kysely<Database>, content: Content): Promise<ImportPreview> {
  const plan = await planNow(db, content, await digestContent(content))
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
 * @throws UnreadableContent, FaultyContent
 */
export function checkFolder(db: Kysely<Database>, folder: string): Promise<ImportPreview> {
  return checkInTurn(async () => {
    const { content, faults, warnings } = await readContent(folder)
    if (faults.length > 0) throw new FaultyContent(faults)
    const { stats, ...preview } = await previewImport(db, content)
    return { ...preview, stats: { ...stats, warnings: sortWarnings([...warnings, ...stats.warnings]) } }
  })
}
