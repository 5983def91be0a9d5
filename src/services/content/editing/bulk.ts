import type { Kysely, Transaction } from 'kysely'
import {
  type EditableCard,
  type EditedFilter,
  findMatchingIds,
  findOriginsOfCards,
  findSizes,
  findStoredCards,
  lockCards,
} from '../../../../db/queries/content/editing/cards.js'
import { describeChange } from '../../../../db/queries/content/editing/changes.js'
import { findDeckToEdit } from '../../../../db/queries/content/editing/decks.js'
import type { Database } from '../../../../db/types.js'
import { NOT_AN_EDITOR } from '../../../domain/accounts/refusals.js'
import { CARD_TEXTS, type CardTexts, isSameText, lengthOfTexts } from '../../../domain/content/card-texts.js'
import { type CardTextsInput, changeTexts } from '../../../domain/content/editing/card.js'
import { createReplacer, type Replacement, replaceInSteps } from '../../../domain/content/editing/replace.js'
import { type Editor, mayEdit } from '../../../domain/content/editing/rights.js'
import { DECK_NOT_FOUND, NotEditable, ONE_SOURCE_ONLY, TOO_MANY_CARDS } from '../../../domain/content/refusals.js'
import { InvalidField, InvalidInput } from '../../../domain/refusal.js'
import { accountShare, FairTurns } from '../../fair-turns.js'
import { runInTurns } from '../turns.js'
import { openChange } from './change.js'
import { addChanges, type CardChange, isChange, moveToDeck } from './change-cards.js'

export interface BulkChange {
  level?: string | undefined
  deck?: string | undefined
  archived?: boolean | undefined
  draft?: boolean | undefined
  replace?: Replacement | undefined
}

export type BulkTarget = { ids: readonly number[] } | { deck: string; filter: EditedFilter }

export interface BulkResult {
  /** Id of the entry in the history; null if nothing was written */
  changeId: number | null
  /** Number of cards that changed or would change */
  changed: number
  /** Number of matches that `replace` replaced or would replace */
  hits: number
  examples: { id: number; before: CardTexts; after: CardTexts }[]
}

const MAX_CARDS = 20_000
const EXAMPLES = 20
/** Total length of the examples in UTF-16 code units at which their list ends, because each text may have 65,536 */
const MAX_EXAMPLES_LENGTH = 400_000
/** Limits of the cards that are read and written at a time, so that neither blocks other requests */
const BATCH_CARDS = 200
const BATCH_BYTES = 256 * 1024

/** Queue for bulk changes: runs at most two at a time, one for each user, because each holds a database connection */
const turns = new FairTurns({
  concurrent: 2,
  runningPerOwner: 1,
  waitingOthers: 100,
  waitingPerOwner: 20,
  retryAfterSeconds: 2,
})

/**
 * Changes cards of one source as one entry in the history.
 * @param isCheck whether to compute the result without writing
 * @throws InvalidInput with the id of the card if a text would become invalid
 * @throws ONE_SOURCE_ONLY if the cards belong to several sources
 * @throws TOO_MANY_CARDS if the filter matches more than 20,000 cards
 * @throws DECK_NOT_FOUND if the target deck does not exist
 * @throws NotEditable if a card or the target deck belongs to no source
 * @throws NOT_AN_EDITOR if the editor may not edit the source
 * @throws TooManyAttempts if 20 changes of the editor already wait
 * @throws Unavailable under the conditions of `FairTurns.run`
 */
export function changeInBulk(
  db: Kysely<Database>,
  editor: Editor,
  target: BulkTarget,
  change: BulkChange,
  isCheck: boolean,
): Promise<BulkResult> {
  return turns.run(accountShare(editor.id), () =>
    db.transaction().execute((transaction) => changeAll(transaction, editor, target, change, isCheck)),
  )
}

async function changeAll(
  transaction: Transaction<Database>,
  { id: userId, editable }: Editor,
  target: BulkTarget,
  change: BulkChange,
  isCheck: boolean,
): Promise<BulkResult> {
  const ids = 'ids' in target ? [...new Set(target.ids)] : await findIds(transaction, target)
  if (!isCheck && ids.length > 0) await lockCards(transaction, ids)
  const sourceId = await findCommonSource(transaction, ids)
  // A card may have moved since the request was authorised.
  if (ids.length > 0 && !mayEdit(editable, sourceId)) throw NOT_AN_EDITOR
  const replacer = change.replace && createReplacer(change.replace)
  const result: BulkResult = { changeId: null, changed: 0, hits: 0, examples: [] }
  let length = 0
  for (const batch of inBatches(await findSizes(transaction, ids))) {
    const cards = await findStoredCards(transaction, batch)
    const planned = await planChanges(transaction, cards, change, replacer)
    result.changed += planned.changed.length
    result.hits += planned.hits
    if (!isCheck && planned.changed.length > 0) {
      result.changeId ??= await openChange(transaction, { userId, how: 'bulk', sourceId })
      await addChanges(transaction, result.changeId, planned.changed)
    }
    for (const { before, after } of planned.changed) {
      if (result.examples.length === EXAMPLES || length > MAX_EXAMPLES_LENGTH) break
      result.examples.push({ id: before.id, before, after })
      length += lengthOfTexts(before) + lengthOfTexts(after)
    }
  }
  if (result.changeId !== null) {
    await describeChange(transaction, result.changeId, summaryOf(change, result.changed))
  }
  return result
}

async function findIds(db: Kysely<Database>, { deck, filter }: { deck: string; filter: EditedFilter }) {
  const ids = await findMatchingIds(db, deck, filter, MAX_CARDS + 1)
  if (ids.length > MAX_CARDS) throw TOO_MANY_CARDS
  return ids
}

async function findCommonSource(transaction: Transaction<Database>, ids: readonly number[]): Promise<number | null> {
  const sources = await findOriginsOfCards(transaction, ids)
  for (const { source_id, file } of sources) if (source_id === null) throw new NotEditable(file)
  if (sources.length > 1) throw ONE_SOURCE_ONLY
  return sources[0]?.source_id ?? null
}

function* inBatches(sizes: readonly { id: number; bytes: number }[]): Generator<number[]> {
  let batch: number[] = []
  let total = 0
  for (const { id, bytes } of sizes) {
    batch.push(id)
    total += bytes
    if (batch.length === BATCH_CARDS || total >= BATCH_BYTES) {
      yield batch
      batch = []
      total = 0
    }
  }
  if (batch.length > 0) yield batch
}

type Replacer = ReturnType<typeof createReplacer>

async function planChanges(
  transaction: Transaction<Database>,
  cards: readonly EditableCard[],
  change: BulkChange,
  replacer: Replacer | undefined,
): Promise<{ changed: CardChange[]; hits: number }> {
  const { planned, hits } = await runInTurns(planInSteps(cards, change, replacer))
  const moved = change.deck === undefined ? planned : await moveAll(transaction, planned, change.deck)
  const changes = cards.map((before, index) => ({ before, after: moved[index] ?? before }))
  return { changed: changes.filter(isChange), hits }
}

/** Changes the cards, except for moves. Yields after each text. */
function* planInSteps(
  cards: readonly EditableCard[],
  { level, archived, draft }: BulkChange,
  replacer: Replacer | undefined,
): Generator<void, { planned: EditableCard[]; hits: number }> {
  const planned: EditableCard[] = []
  let hits = 0
  for (const card of cards) {
    try {
      const replaced = replacer && (yield* replaceInSteps(card, replacer))
      hits += replaced?.hits ?? 0
      const texts = changeTexts(inputOf(card, replaced?.texts ?? card, level), card)
      planned.push({ ...card, ...texts, archived: archived ?? card.archived, draft: draft ?? card.draft })
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      throw new InvalidInput(`Karte ${card.id}: ${sentenceOf(error)}`, error.code, { field: 'change' })
    }
    yield
  }
  return { planned, hits }
}

const SIDES: Record<string, string> = { question: 'Die Frage', answer: 'Die Antwort' }

/** Returns the message without the name of a field that the request does not have. */
function sentenceOf(error: InvalidInput): string {
  const side = SIDES[error.field ?? '']
  return error instanceof InvalidField && side !== undefined ? `${side} ${error.problem}` : error.message
}

async function moveAll(transaction: Transaction<Database>, cards: readonly EditableCard[], slug: string) {
  const deck = await findDeckToEdit(transaction, slug)
  if (deck === undefined) throw DECK_NOT_FOUND.at('change/deck')
  return moveToDeck(transaction, cards, deck)
}

/** Leaves out unchanged texts, because validation might reject a text that a script has written. */
function inputOf(card: CardTexts, replaced: CardTexts, level: string | undefined): CardTextsInput {
  const { exercise } = replaced
  const input: CardTextsInput = { level }
  for (const name of CARD_TEXTS) if (replaced[name] !== card[name]) input[name] = replaced[name]
  if (exercise !== card.exercise && !isSameText(card, { ...card, exercise })) input.options = exercise?.options
  return input
}

function summaryOf({ level, deck, archived, draft, replace }: BulkChange, cards: number): object {
  return { cards, level, deck, archived, draft, ...(replace && { find: replace.find, with: replace.with }) }
}
