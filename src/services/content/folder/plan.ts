import type { Kysely } from 'kysely'
import { findStoredCards, findStoredDecks, findStoredSheets } from '../../../../db/queries/content/stored.js'
import type { Database } from '../../../../db/types.js'
import { comparePlaces } from '../../../domain/content/findings.js'
import { findForeignSlugs } from '../../../domain/content/format/slug.js'
import { planImport } from '../../../domain/content/plan/folder.js'
import type { Digests, FolderPlan } from '../../../domain/content/plan/types.js'
import { FaultyContent } from '../../../domain/content/refusals.js'
import type { ReadContent } from './read.js'

/**
 * Compares the content with the current store.
 * @throws FaultyContent if a file claims content of a source
 */
export async function planFolder(
  db: Kysely<Database>,
  { content, slugs }: Pick<ReadContent, 'content' | 'slugs'>,
  digests: Digests,
): Promise<FolderPlan> {
  const decks = await findStoredDecks(db)
  const cards = await findStoredCards(db)
  const sheets = await findStoredSheets(db)
  const faults = [
    ...findForeignSlugs(slugs.decks, ownersOf(decks)),
    ...findForeignSlugs(slugs.sheets, ownersOf(sheets)),
  ]
  if (faults.length > 0) throw new FaultyContent(faults.sort(comparePlaces))
  return planImport(content, digests, { decks, cards, sheets })
}

function ownersOf(rows: readonly { slug: string; owner: string | null }[]): Map<string, string> {
  return new Map(rows.flatMap(({ slug, owner }) => (owner === null ? [] : [[slug, owner]])))
}
