import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { findStoredCards, findStoredDecks, findStoredSheets } from '../../../db/queries/content/stored.js'
import type { Database } from '../../../db/types.js'
import { digestText } from '../../domain/content/digest.js'
import {
  archivesMostCards,
  archivesMostSheets,
  type CardDigests,
  type Digests,
  type ImportPlan,
} from '../../domain/content/import-plan.js'
import { planImport } from '../../domain/content/plan-import.js'
import { findForeignSlugs } from '../../domain/content/slug.js'
import type { CardSource, Content, SheetSource, Warning } from '../../domain/content/types.js'
import { FaultyContent, MostArchived } from '../../domain/refusals.js'
import { comparePlaces } from './find-files.js'
import type { ReadContent } from './read-content.js'

const MAX_WARNINGS = 200
const DIGESTS_AT_ONCE = 500

/**
 * Compares the content with what the store holds at this moment.
 * @throws FaultyContent when a file wants what belongs to a source
 */
export async function planNow(
  db: Kysely<Database>,
  { content, slugs }: Pick<ReadContent, 'content' | 'slugs'>,
  digests: Digests,
): Promise<ImportPlan> {
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

/** Why the plan is carried out only by force. */
export function refusalOf(plan: ImportPlan): MostArchived | undefined {
  if (archivesMostCards(plan)) return new MostArchived('Karten', plan.archivedCards.length, plan.liveCards)
  if (archivesMostSheets(plan)) return new MostArchived('Cheat Sheets', plan.archivedSheets.length, plan.liveSheets)
  return undefined
}

export function changesOf({ decks, cards, cheatsheets }: ImportPlan) {
  return { decks, cards, cheatsheets }
}

/** Gives the loop back now and then, so that others are served meanwhile. */
export async function digestContent({ decks, sheets }: Content): Promise<Digests> {
  const ofCards = new Map<CardSource, CardDigests>()
  const ofSheets = new Map<SheetSource, string>()
  for (const deck of decks) {
    for (const card of deck.cards) {
      ofCards.set(card, { question: digestText(card.question), rest: digestText(card.answer, card.level) })
      if (ofCards.size % DIGESTS_AT_ONCE === 0) await setImmediate()
    }
  }
  for (const sheet of sheets) {
    ofSheets.set(sheet, digestText(sheet.title, sheet.category, sheet.content_md))
    if (ofSheets.size % DIGESTS_AT_ONCE === 0) await setImmediate()
  }
  return { cards: ofCards, sheets: ofSheets }
}

/** By file and line; at most 200. */
export function sortWarnings(warnings: Warning[]): Warning[] {
  return warnings.sort(comparePlaces).slice(0, MAX_WARNINGS)
}
