import type { Transaction } from 'kysely'
import {
  findOtherHeads,
  markChecked,
  markHeadsChecked,
  markWrittenChecked,
} from '../../../db/queries/content/checked-translations.js'
import { countLearners, transferProgress } from '../../../db/queries/content/progress.js'
import { joinGroups, leaveGroups } from '../../../db/queries/content/translations.js'
import {
  analyzeCards,
  archiveCards,
  archiveDecks,
  archiveSheets,
  type CardInput,
  clearSheetEdits,
  type DeckOrigin,
  insertCards,
  insertDecks,
  insertSheets,
  markDecksAsImported,
  markSheetsAsImported,
  raiseDeckVersions,
  renameCards,
  type SheetOrigin,
  updateCards,
  updateDecks,
  updateSheets,
} from '../../../db/queries/content/write.js'
import { keepStudiedDecks } from '../../../db/queries/review/joined-decks.js'
import type { Database } from '../../../db/types.js'
import { type CardTexts, lengthOfTexts } from '../../domain/content/card-texts.js'
import { changesOf, hasChanges, type PlacedCard, type Plan } from '../../domain/content/plan/types.js'
import type { CardSource, DeckSource, SheetSource } from '../../domain/content/types.js'
import type { IncomingPicture } from '../../domain/content/upload/incoming.js'
import type { TestPlan } from '../../domain/tests/import-plan.js'
import { type ImportedTests, type TestOrigin, writeTests } from '../tests/import.js'
import { type ChangeOrigin, openChange } from './editing/change.js'
import { dropUnusedPictures, storePictures } from './pictures.js'

/**
 * Called after each batch of changed or new cards. `done` and `total` include unchanged cards, but not archived ones.
 */
export type OnProgress = (done: number, total: number) => void

const LINE_EVERY_MS = 2_000

export function reportProgress(title: string, print: (line: string) => void): OnProgress {
  let last = performance.now()
  return (done, total) => {
    if (performance.now() - last < LINE_EVERY_MS) return
    last = performance.now()
    print(`${title}: ${done} von ${total} Karten`)
  }
}

/** Limits of a batch, so that no statement reaches the timeout */
const BATCH_ROWS = 1_000
const BATCH_CHARACTERS = 1_000_000
/** Number of rows of `card_progress` that fill a batch; archiving or restoring a card also writes these rows */
const BATCH_LEARNERS = 20_000

/** Functions that return the columns with the origin of a planned deck, card or sheet: content file, source or note. */
export interface Origin<Deck, Card, Sheet> {
  ofDeck(deck: Deck): DeckOrigin
  ofCard(card: Card): Pick<CardInput, 'guid' | 'ord'>
  ofSheet(sheet: Sheet): SheetOrigin
}

/** All that an import changes: the outcome of planning, before anything is written. */
export interface PlannedImport<Deck extends DeckSource, Card extends CardSource, Sheet extends SheetSource> {
  plan: Plan<Deck, Card, Sheet>
  /** Pictures that are not stored yet */
  pictures: IncomingPicture[]
  tests: TestPlan
  testOrigin: TestOrigin
}

/**
 * Writes what an import or upload has planned: an entry in the history, decks, cards, sheets, pictures and tests.
 * @param options change: entry in the history, if content changes; null for none. picturesOf: user whose limit the
 * pictures count towards; null if no limit applies
 * @throws the refusals of `storePictures` and `writeTests`
 */
export async function writeImport<Deck extends DeckSource, Card extends CardSource, Sheet extends SheetSource>(
  transaction: Transaction<Database>,
  { plan, pictures, tests, testOrigin }: PlannedImport<Deck, Card, Sheet>,
  origin: Origin<Deck, Card, Sheet>,
  { change, picturesOf = null, onProgress = () => {} }: WriteOptions,
): Promise<ImportedTests> {
  const isChanged = hasChanges(plan)
  if (isChanged && change !== null) await openChange(transaction, { ...change, summary: changesOf(plan) })
  await writePlan(transaction, plan, origin, onProgress)
  await storePictures(transaction, pictures, picturesOf)
  const imported = await writeTests(transaction, tests, testOrigin, isChanged)
  // Runs after all texts are written; otherwise the pictures of texts that are not written yet would be deleted.
  if (plan.changedCards.length + plan.changedSheets.length > 0) await dropUnusedPictures(transaction)
  return imported
}

interface WriteOptions {
  change: ChangeOrigin | null
  picturesOf?: number | null
  onProgress?: OnProgress | undefined
}

/** Writes the decks, cards and sheets of a plan in batches. */
async function writePlan<Deck extends DeckSource, Card extends CardSource, Sheet extends SheetSource>(
  transaction: Transaction<Database>,
  plan: Plan<Deck, Card, Sheet>,
  origin: Origin<Deck, Card, Sheet>,
  onProgress: OnProgress,
): Promise<void> {
  const { cards } = plan
  const total = cards.created + cards.updated + cards.unchanged
  let done = cards.unchanged
  const advance = (written: number) => {
    done += written
    onProgress(done, total)
  }
  const { decks, sheets } = plan.translations
  const known = (changes: typeof decks) => changes.flatMap(({ id }) => id ?? [])
  await leaveGroups(transaction, 'deck', known(decks))
  await leaveGroups(transaction, 'sheet', known(sheets))
  const headed = await findOtherHeads(transaction, plan.changedDecks)
  const idOf = await writeDecks(transaction, plan, origin)
  await inCardBatches(transaction, plan.archivedCards, (batch) => archiveCards(transaction, batch))
  await archiveDecks(transaction, plan.archivedDecks)
  for (const batch of inBatches(plan.renamedCards, () => 0)) {
    await renameCards(
      transaction,
      batch.map(({ id, deck, key }) => ({ id, deck_id: idOf(deck), key })),
    )
  }
  await updateChangedCards(transaction, plan.changedCards, idOf, advance)
  for (const batch of inBatches(plan.newCards, ({ card }) => weightOf(card))) {
    await insertCards(
      transaction,
      batch.map((placed) => {
        return { ...inputOf(placed, idOf), isDraft: placed.card.draft, ...origin.ofCard(placed.card) }
      }),
    )
    const isFirstOfSeveral = batch[0] === plan.newCards[0] && batch.length < plan.newCards.length
    if (isFirstOfSeveral) await analyzeCards(transaction)
    advance(batch.length)
  }
  const transfers = new Map(plan.progressTransfers.map((pair) => [pair.from, pair]))
  await inCardBatches(transaction, [...transfers.keys()], (batch) =>
    transferProgress(
      transaction,
      batch.map((from) => transfers.get(from) as { from: number; to: number }),
    ),
  )
  await writeSheets(transaction, plan, origin)
  await joinGroups(transaction, 'deck', decks)
  await joinGroups(transaction, 'sheet', sheets)
  const joined = (changes: typeof decks) => changes.filter(({ joins }) => joins).map(({ slug }) => slug)
  await keepStudiedDecks(transaction, joined(decks))
  await markChecked(transaction, 'deck', joined(decks))
  await markChecked(transaction, 'sheet', joined(sheets))
  await markHeadsChecked(transaction, headed)
  if (hasChanges(plan)) await markWrittenChecked(transaction)
  await clearSheetEdits(
    transaction,
    sheets.flatMap(({ id, isFromFile }) => (isFromFile ? (id ?? []) : [])),
  )
  const changed = new Set(plan.changedDecks.map(({ id }) => id))
  await raiseDeckVersions(
    transaction,
    known(decks).filter((id) => !changed.has(id)),
  )
}

type IdOf<Deck> = (deck: Deck) => number

async function writeDecks<Deck extends DeckSource>(
  transaction: Transaction<Database>,
  plan: Pick<Plan<Deck, never, never>, 'changedDecks' | 'newDecks' | 'describedDecks' | 'deckIds'>,
  { ofDeck }: Pick<Origin<Deck, never, never>, 'ofDeck'>,
): Promise<IdOf<Deck>> {
  await markDecksAsImported(transaction, plan.describedDecks)
  for (const batch of inBatches(plan.changedDecks, () => 0)) await updateDecks(transaction, batch)
  const ids = new Map<string, number>()
  for (const batch of inBatches(plan.newDecks, () => 0)) {
    const inputs = batch.map((deck) => ({ ...deck, ...ofDeck(deck) }))
    for (const [slug, id] of await insertDecks(transaction, inputs)) ids.set(slug, id)
  }
  return (deck) => (plan.deckIds.get(deck) ?? ids.get(deck.slug)) as number
}

async function updateChangedCards<Deck extends DeckSource>(
  transaction: Transaction<Database>,
  changedCards: Plan<Deck, CardSource, never>['changedCards'],
  idOf: IdOf<Deck>,
  advance: (written: number) => void,
): Promise<void> {
  const moving = changedCards.filter(({ moves }) => moves).map(({ id }) => id)
  const learners = await weighLearners(transaction, moving)
  const weigh = ({ id, card }: { id: number; card: CardSource }) => Math.max(weightOf(card), learners.get(id) ?? 0)
  for (const batch of inBatches(changedCards, weigh)) {
    await updateCards(
      transaction,
      batch.map((changed) => {
        const { id, isDraft, keeps, staysEdited } = changed
        return { ...inputOf(changed, idOf), id, isDraft, keeps, staysEdited }
      }),
    )
    advance(batch.length)
  }
}

async function writeSheets<Sheet extends SheetSource>(
  transaction: Transaction<Database>,
  plan: Pick<Plan<never, never, Sheet>, 'changedSheets' | 'newSheets' | 'adoptedSheets' | 'archivedSheets'>,
  { ofSheet }: Pick<Origin<never, never, Sheet>, 'ofSheet'>,
): Promise<void> {
  const weigh = (sheet: SheetSource) => sheet.content_md.length / CHARACTERS_PER_ROW
  await markSheetsAsImported(transaction, plan.adoptedSheets)
  for (const batch of inBatches(plan.changedSheets, ({ sheet }) => weigh(sheet))) await updateSheets(transaction, batch)
  for (const batch of inBatches(plan.newSheets, weigh)) {
    await insertSheets(
      transaction,
      batch.map((sheet) => ({ ...sheet, ...ofSheet(sheet) })),
    )
  }
  await archiveSheets(transaction, plan.archivedSheets)
}

function inputOf<Deck>({ deck, card, sort_order }: PlacedCard<Deck, CardSource>, idOf: IdOf<Deck>) {
  return { ...card, deck_id: idOf(deck), sort_order }
}

const CHARACTERS_PER_ROW = BATCH_CHARACTERS / BATCH_ROWS

/** Returns the weight of a card's texts, as a number of rows of a batch. */
export function weightOf(card: CardTexts): number {
  return lengthOfTexts(card) / CHARACTERS_PER_ROW
}

/**
 * Processes cards in batches. More learners make a batch smaller, because `work` also writes their progress.
 * @param weigh returns the weight of what `work` writes for a card, as a number of rows; default: 0
 */
export async function inCardBatches(
  transaction: Transaction<Database>,
  cardIds: number[],
  work: (batch: number[]) => Promise<void>,
  weigh: (id: number) => number = () => 0,
): Promise<void> {
  const learners = await weighLearners(transaction, cardIds)
  const weighAll = (id: number) => Math.max(weigh(id), learners.get(id) ?? 0)
  for (const batch of inBatches(cardIds, weighAll)) await work(batch)
}

/** Returns the weight of each card's progress, as a number of rows of a batch. */
async function weighLearners(transaction: Transaction<Database>, cardIds: number[]): Promise<Map<number, number>> {
  const weights = new Map<number, number>()
  for (const batch of inBatches(cardIds, () => 0)) {
    for (const [id, learners] of await countLearners(transaction, batch)) {
      weights.set(id, (learners * BATCH_ROWS) / BATCH_LEARNERS)
    }
  }
  return weights
}

/**
 * Yields the items in order in batches. A batch ends with the item whose weight brings the sum to `BATCH_ROWS` or more.
 * Each item weighs at least one row.
 */
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
