import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  archiveCards,
  archiveCheatsheets,
  archiveDecks,
  type CardInput,
  type Changes,
  findAbandonedDecks,
  isContentEmpty,
  renameCards,
  tryLockImport,
  writeCards,
  writeCheatsheets,
  writeDecks,
} from '../../../db/queries/content/import.js'
import type { Database } from '../../../db/types.js'
import type { Content, DeckSource, Warning } from '../../domain/content/types.js'
import { FaultyContent, IMPORT_RUNS } from '../../domain/refusals.js'
import { readContent } from './read-content.js'

export interface ImportStats {
  decks: Changes
  cards: Changes
  cheatsheets: Changes
  duration_ms: number
  /** What the author may not have meant, sorted by file and line. */
  warnings: Warning[]
}

/** Called after each batch with the cards written so far, of how many. */
export type OnProgress = (done: number, total: number) => void

const BATCH_ROWS = 1_000
const BATCH_CHARACTERS = 1_000_000

/** The databases that this process imports into at the moment. */
const importing = new WeakSet<Kysely<Database>>()

/**
 * Makes the store equal to the files of the folder, in one transaction: all or nothing. Rows that scripts wrote and
 * no file describes are left alone; what has disappeared from the files is archived. The audit trail notes it.
 * @throws UnreadableContent when the folder cannot be read
 * @throws FaultyContent with every fault of the files
 * @throws Conflict when another import is running
 */
export async function importContent(
  db: Kysely<Database>,
  actor: Actor,
  folder: string,
  onProgress: OnProgress = () => {},
): Promise<ImportStats> {
  const stats = await importExclusively(db, actor, folder, async () => true, onProgress)
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
  onProgress: OnProgress = () => {},
): Promise<ImportStats | undefined> {
  if (!(await isContentEmpty(db))) return undefined
  return importExclusively(db, undefined, folder, isContentEmpty, onProgress)
}

/** Undefined when another import is running or the condition does not hold once the lock is ours. */
async function importExclusively(
  db: Kysely<Database>,
  actor: Actor | undefined,
  folder: string,
  condition: (transaction: Transaction<Database>) => Promise<boolean>,
  onProgress: OnProgress,
): Promise<ImportStats | undefined> {
  if (importing.has(db)) return undefined
  importing.add(db)
  try {
    const started = performance.now()
    // Reading comes first: on the embedded database a transaction keeps everybody else waiting.
    const { content, faults, warnings } = await readContent(folder)
    if (faults.length > 0) throw new FaultyContent(faults)
    return await db.transaction().execute(async (transaction) => {
      if (!(await tryLockImport(transaction)) || !(await condition(transaction))) return undefined
      const changes = await writeContent(transaction, content, onProgress)
      const stats = { ...changes, duration_ms: Math.round(performance.now() - started), warnings }
      if (actor !== undefined) {
        await insertAuditEntry(transaction, actor, { action: 'content.import', details: stats })
      }
      return stats
    })
  } finally {
    importing.delete(db)
  }
}

async function writeContent(
  transaction: Transaction<Database>,
  content: Content,
  onProgress: OnProgress,
): Promise<Pick<ImportStats, 'decks' | 'cards' | 'cheatsheets'>> {
  const decks = noChanges(content.decks.length)
  const cards = noChanges(0)
  const total = content.decks.reduce((sum, deck) => sum + deck.cards.length, 0)
  let done = 0
  const advance = (written: number) => {
    done += written
    onProgress(done, total)
  }
  const abandoned = await findAbandonedDecks(
    transaction,
    content.decks.map((deck) => deck.slug),
  )
  cards.archived += await archiveCards(transaction, abandoned, [])
  decks.archived += await archiveDecks(transaction, abandoned)
  for (const batch of inBatches(content.decks, (deck) => deck.cards.length)) {
    const written = await writeDecks(transaction, batch)
    addChanges(decks, written.created, written.updated)
    const inputs = batch.flatMap((deck) => cardInputs(deck, written.ids.get(deck.slug) as number))
    await writeCardsOfDecks(transaction, inputs, cards, advance)
    cards.archived += await archiveCards(transaction, [...written.ids.values()], inputs)
  }
  return { decks, cards, cheatsheets: await writeSheets(transaction, content) }
}

function cardInputs(deck: DeckSource, deckId: number): CardInput[] {
  return deck.cards.map((card, index) => ({ ...card, deck_id: deckId, sort_order: index + 1 }))
}

async function writeCardsOfDecks(
  transaction: Transaction<Database>,
  inputs: CardInput[],
  changes: Changes,
  advance: (written: number) => void,
): Promise<void> {
  changes.unchanged += inputs.length
  for (const batch of inBatches(inputs, (card) => (card.question.length + card.answer.length) / CHARACTERS_PER_ROW)) {
    const renamed = await renameCards(transaction, batch)
    const { created, updatedIds } = await writeCards(transaction, batch)
    addChanges(changes, created, new Set([...renamed, ...updatedIds]).size)
    advance(batch.length)
  }
}

async function writeSheets(transaction: Transaction<Database>, { sheets }: Content): Promise<Changes> {
  const changes = noChanges(sheets.length)
  for (const batch of inBatches(sheets, (sheet) => sheet.content_md.length / CHARACTERS_PER_ROW)) {
    const written = await writeCheatsheets(transaction, batch)
    addChanges(changes, written.created, written.updated)
  }
  changes.archived = await archiveCheatsheets(
    transaction,
    sheets.map((sheet) => sheet.slug),
  )
  return changes
}

const CHARACTERS_PER_ROW = BATCH_CHARACTERS / BATCH_ROWS

/** Runs of items whose weights add up to a batch of rows; each item weighs at least one row. */
function* inBatches<T>(items: readonly T[], weigh: (item: T) => number): Generator<T[]> {
  let batch: T[] = []
  let weight = 0
  for (const item of items) {
    batch.push(item)
    weight += Math.max(weigh(item), 1)
    if (weight >= BATCH_ROWS) {
      yield batch
      batch = []
      weight = 0
    }
  }
  if (batch.length > 0) yield batch
}

function noChanges(total: number): Changes {
  return { created: 0, updated: 0, unchanged: total, archived: 0 }
}

function addChanges(changes: Changes, created: number, updated: number): void {
  changes.created += created
  changes.updated += updated
  changes.unchanged -= created + updated
}
