import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { findStoredCards, findStoredDecks, findStoredSheets } from '../../../db/queries/content/import.js'
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
import type { CardSource, Content, SheetSource, Warning } from '../../domain/content/types.js'
import { MostArchived } from '../../domain/refusals.js'
import { compareText } from './find-files.js'

const MAX_WARNINGS = 200
const DIGESTS_AT_ONCE = 500

/** Compares the content with what the store holds at this moment. */
export async function planNow(db: Kysely<Database>, content: Content, digests: Digests): Promise<ImportPlan> {
  const decks = await findStoredDecks(db)
  const cards = await findStoredCards(db)
  const sheets = await findStoredSheets(db)
  return planImport(content, digests, { decks, cards, sheets })
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
  return warnings.sort((a, b) => compareText(a.file, b.file) || a.line - b.line).slice(0, MAX_WARNINGS)
}
