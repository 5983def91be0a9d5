import type { Kysely, Transaction } from 'kysely'
import {
  type EditedFilter,
  findMatchingIds,
  findStoredCards,
  type StoredCard,
} from '../../../../db/queries/content/editing/cards.js'
import { findDeckToEdit } from '../../../../db/queries/content/editing/decks.js'
import type { Database } from '../../../../db/types.js'
import { NOT_AN_EDITOR } from '../../../domain/accounts/refusals.js'
import { type CardTexts, type CardTextsInput, changeTexts, isSameText } from '../../../domain/content/editing/card.js'
import { createReplacer, type Replacement, replaceInCard } from '../../../domain/content/editing/replace.js'
import { type Editor, mayEdit } from '../../../domain/content/editing/rights.js'
import { DECK_NOT_FOUND, NotEditable, ONE_SOURCE_ONLY, TOO_MANY_CARDS } from '../../../domain/content/refusals.js'
import { InvalidInput } from '../../../domain/refusal.js'
import { type CardChange, isChange, lockAndRead, moveToDeck, writeChanges } from './change-cards.js'

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

/**
 * Changes cards of one source as one entry in the history.
 * @param isCheck whether to compute the result without writing
 * @throws InvalidInput with the id of the card if a text would become invalid
 * @throws ONE_SOURCE_ONLY if the cards belong to several sources
 * @throws TOO_MANY_CARDS if the filter matches more than 20,000 cards
 * @throws DECK_NOT_FOUND if the target deck does not exist
 * @throws NotEditable if a card or the target deck belongs to no source
 * @throws NOT_AN_EDITOR if the editor may not edit the source
 */
export function changeInBulk(
  db: Kysely<Database>,
  { id: userId, editable }: Editor,
  target: BulkTarget,
  change: BulkChange,
  isCheck: boolean,
): Promise<BulkResult> {
  return db.transaction().execute(async (transaction) => {
    const ids = 'ids' in target ? [...new Set(target.ids)] : await findIds(transaction, target)
    const cards = isCheck ? await findStoredCards(transaction, ids) : await lockAndRead(transaction, ids)
    const sourceId = findCommonSource(cards)
    // A card may have moved since the request was authorised.
    if (cards.length > 0 && !mayEdit(editable, sourceId)) throw NOT_AN_EDITOR
    const { changes, hits } = await planChanges(transaction, cards, change)
    const changed = changes.filter(isChange)
    const origin = { userId, how: 'bulk' as const, sourceId, summary: summaryOf(change, changed.length) }
    const { changeId } = isCheck ? { changeId: null } : await writeChanges(transaction, origin, changed)
    const examples = changed.slice(0, EXAMPLES).map(({ before, after }) => ({ id: before.id, before, after }))
    return { changeId, changed: changed.length, hits, examples }
  })
}

async function findIds(db: Kysely<Database>, { deck, filter }: { deck: string; filter: EditedFilter }) {
  const ids = await findMatchingIds(db, deck, filter, MAX_CARDS + 1)
  if (ids.length > MAX_CARDS) throw TOO_MANY_CARDS
  return ids
}

function findCommonSource(cards: readonly StoredCard[]): number | null {
  const [first] = cards
  for (const { source_id, file } of cards) {
    if (source_id === null) throw new NotEditable(file)
    if (source_id !== first?.source_id) throw ONE_SOURCE_ONLY
  }
  return first?.source_id ?? null
}

async function planChanges(
  transaction: Transaction<Database>,
  cards: readonly StoredCard[],
  change: BulkChange,
): Promise<{ changes: CardChange[]; hits: number }> {
  const { level, deck, archived, draft } = change
  const replacer = change.replace && createReplacer(change.replace)
  let hits = 0
  const changed = cards.map((card) => {
    const replaced = replacer && replaceInCard(card, replacer)
    hits += replaced?.hits ?? 0
    const texts = parseTexts(card, inputOf(card, replaced?.texts ?? card, level))
    return { ...card, ...texts, archived: archived ?? card.archived, draft: draft ?? card.draft }
  })
  const moved = deck === undefined ? changed : await moveAll(transaction, changed, deck)
  return { changes: cards.map((before, index) => ({ before, after: moved[index] ?? before })), hits }
}

async function moveAll(transaction: Transaction<Database>, cards: readonly StoredCard[], slug: string) {
  const deck = await findDeckToEdit(transaction, slug)
  if (deck === undefined) throw DECK_NOT_FOUND
  return moveToDeck(transaction, cards, deck)
}

/** Leaves out unchanged texts, because validation might reject a text that a script has written. */
function inputOf(
  card: CardTexts,
  { question, answer, exercise }: CardTexts,
  level: string | undefined,
): CardTextsInput {
  return {
    ...(question !== card.question && { question }),
    ...(answer !== card.answer && { answer }),
    ...(exercise !== card.exercise && !isSameText(card, { ...card, exercise }) && { options: exercise?.options }),
    level,
  }
}

function parseTexts(card: StoredCard, input: CardTextsInput): CardTexts {
  try {
    return changeTexts(input, card)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(`Karte ${card.id}: ${error.message}`, error.code)
  }
}

function summaryOf({ level, deck, archived, draft, replace }: BulkChange, cards: number): object {
  return { cards, level, deck, archived, draft, ...(replace && { find: replace.find, with: replace.with }) }
}
