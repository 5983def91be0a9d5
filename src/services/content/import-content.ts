import { setImmediate } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  findStoredCards,
  findStoredDecks,
  findStoredSheets,
  isContentEmpty,
  tryLockImport,
} from '../../../db/queries/content/import.js'
import type { Database } from '../../../db/types.js'
import { digestText } from '../../domain/content/digest.js'
import {
  archivesMostCards,
  type CardDigests,
  type Changes,
  type Digests,
  type ImportPlan,
  planImport,
} from '../../domain/content/plan-import.js'
import type { CardSource, Content, SheetSource, Warning } from '../../domain/content/types.js'
import { FaultyContent, IMPORT_RUNS, MostCardsArchived } from '../../domain/refusals.js'
import { compareText } from './find-files.js'
import { readContent } from './read-content.js'
import { type OnProgress, writePlan } from './write-plan.js'

export interface ImportStats {
  decks: Changes
  cards: Changes
  cheatsheets: Changes
  duration_ms: number
  /** What the author may not have meant, sorted by file and line; at most 200. */
  warnings: Warning[]
}

export interface ImportOptions {
  /** Whether more than half of the cards may be archived. */
  force?: boolean | undefined
  onProgress?: OnProgress
}

const MAX_WARNINGS = 200
const DIGESTS_AT_ONCE = 500

/** The databases that this process imports into at the moment. */
const importing = new WeakSet<Kysely<Database>>()

/**
 * Makes the store equal to the files of the folder, in one transaction: all or nothing. Rows that scripts wrote and
 * no file describes are left alone; what has disappeared from the files is archived. The audit trail notes it.
 * @throws UnreadableContent when the folder cannot be read
 * @throws FaultyContent with every fault of the files
 * @throws MostCardsArchived when more than half of the cards would go, unless forced
 * @throws Conflict when another import is running
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
  onProgress?: OnProgress,
): Promise<ImportStats | undefined> {
  if (!(await isContentEmpty(db))) return undefined
  return importExclusively(db, undefined, folder, isContentEmpty, onProgress === undefined ? {} : { onProgress })
}

/**
 * What an import of the content, as `readContent` returned it, would do now; nothing is written.
 * @throws MostCardsArchived when it would be refused for that
 */
export async function checkImport(
  db: Kysely<Database>,
  content: Content,
  force: boolean,
): Promise<Omit<ImportStats, 'duration_ms'>> {
  const plan = await planNow(db, content, await digestContent(content))
  if (!force) refuseMassArchive(plan)
  return changesOf(plan)
}

/** By file and line; at most 200. */
export function sortWarnings(warnings: Warning[]): Warning[] {
  return warnings.sort((a, b) => compareText(a.file, b.file) || a.line - b.line).slice(0, MAX_WARNINGS)
}

/** Undefined when another import is running or the condition does not hold once the lock is ours. */
async function importExclusively(
  db: Kysely<Database>,
  actor: Actor | undefined,
  folder: string,
  condition: (transaction: Transaction<Database>) => Promise<boolean>,
  { force = false, onProgress = () => {} }: ImportOptions,
): Promise<ImportStats | undefined> {
  if (importing.has(db)) return undefined
  importing.add(db)
  try {
    const started = performance.now()
    // Reading comes first: on the embedded database a transaction keeps everybody else waiting.
    const { content, faults, warnings } = await readContent(folder)
    if (faults.length > 0) throw new FaultyContent(faults)
    const digests = await digestContent(content)
    return await db.transaction().execute(async (transaction) => {
      if (!(await tryLockImport(transaction)) || !(await condition(transaction))) return undefined
      const plan = await planNow(transaction, content, digests)
      if (!force) refuseMassArchive(plan)
      await writePlan(transaction, plan, onProgress)
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
      return stats
    })
  } finally {
    importing.delete(db)
  }
}

async function planNow(db: Kysely<Database>, content: Content, digests: Digests): Promise<ImportPlan> {
  const decks = await findStoredDecks(db)
  const cards = await findStoredCards(db)
  const sheets = await findStoredSheets(db)
  return planImport(content, digests, { decks, cards, sheets })
}

function refuseMassArchive(plan: ImportPlan): void {
  if (archivesMostCards(plan)) throw new MostCardsArchived(plan.archivedCards.length, plan.liveCards)
}

function changesOf({ decks, cards, cheatsheets, warnings }: ImportPlan) {
  return { decks, cards, cheatsheets, warnings }
}

/** Gives the loop back now and then, so that others are served meanwhile. */
async function digestContent({ decks, sheets }: Content): Promise<Digests> {
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
