import type { Kysely } from 'kysely'
import { findStoredCards, findStoredDecks, findStoredSheets } from '../../../../db/queries/content/stored.js'
import type { Database } from '../../../../db/types.js'
import { comparePlaces } from '../../../domain/content/findings.js'
import { findForeignSlugs } from '../../../domain/content/format/slug.js'
import { planImport } from '../../../domain/content/plan/folder.js'
import { lintPlan } from '../../../domain/content/plan/lint.js'
import type { Digests, FolderPlan } from '../../../domain/content/plan/types.js'
import { FaultyContent } from '../../../domain/content/refusals.js'
import type { Content } from '../../../domain/content/types.js'
import type { IncomingPicture } from '../../../domain/content/upload/incoming.js'
import { runInTurns } from '../turns.js'
import { type ReadContent, textOf, textsOf } from './read.js'

/** A plan of the folder with the pictures that its texts show. */
export interface PlannedFolder {
  plan: FolderPlan
  pictures: IncomingPicture[]
}

/**
 * Compares the content with the current store. Skips files whose slug belongs to a source, with a warning, so that
 * nobody can stop the import of the folder by a slug.
 * @throws FaultyContent if a deck would become a pool, or stop being one
 */
export async function planFolder(
  db: Kysely<Database>,
  { content, slugs, pictures }: Pick<ReadContent, 'content' | 'slugs' | 'pictures'>,
  digests: Digests,
): Promise<PlannedFolder> {
  const decks = await findStoredDecks(db)
  const cards = await findStoredCards(db)
  const sheets = await findStoredSheets(db)
  const owners = { decks: ownersOf(decks), sheets: ownersOf(sheets) }
  const ours = {
    decks: content.decks.filter(({ slug }) => !owners.decks.has(slug)),
    sheets: content.sheets.filter(({ slug }) => !owners.sheets.has(slug)),
  }
  const plan = planImport(ours, digests, { decks, cards, sheets })
  if (plan.faults.length > 0) throw new FaultyContent(plan.faults.sort(comparePlaces))
  const lint = await runInTurns(lintPlan(plan, ({ file }) => file))
  plan.warnings.push(
    ...findForeignSlugs('Das Deck', slugs.decks, owners.decks),
    ...findForeignSlugs('Der Spickzettel', slugs.sheets, owners.sheets),
    ...lint.warnings,
  )
  const isWhole = ours.decks.length + ours.sheets.length === content.decks.length + content.sheets.length
  return { plan, pictures: isWhole ? pictures : pictures.filter(({ sha }) => showsPicture(ours, sha)) }
}

function showsPicture({ decks, sheets }: Content, sha: string): boolean {
  const texts = [...decks.flatMap(textsOf), ...sheets.map(textOf)]
  return texts.some(({ text }) => text.includes(sha))
}

function ownersOf(rows: readonly { slug: string; owner: string | null }[]): Map<string, string> {
  return new Map(rows.flatMap(({ slug, owner }) => (owner === null ? [] : [[slug, owner]])))
}
