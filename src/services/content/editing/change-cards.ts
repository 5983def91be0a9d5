import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { ItemState } from '../../../../db/column-types.js'
import { type EditableCard, findStoredCards, lockCards } from '../../../../db/queries/content/editing/cards.js'
import type { DeckToEdit } from '../../../../db/queries/content/editing/decks.js'
import {
  findNextSortOrder,
  findTakenKeys,
  updateEditedCards,
  updateIdentities,
} from '../../../../db/queries/content/editing/write-cards.js'
import type { Database } from '../../../../db/types.js'
import { isSameText } from '../../../domain/content/card-texts.js'
import { NotEditable } from '../../../domain/content/refusals.js'
import { inCardBatches, weightOf } from '../write.js'
import { type ChangeOrigin, openChange, recordItems } from './change.js'

/** Deck into which cards move */
export type TargetDeck = Omit<DeckToEdit, 'tests_only'>

export interface CardChange {
  before: EditableCard
  after: EditableCard
}

/**
 * Locks cards against all writers, including imports, and returns the current state of those that exist.
 * @throws NotEditable if a card belongs to no source
 */
export async function lockAndRead(transaction: Transaction<Database>, ids: readonly number[]): Promise<EditableCard[]> {
  if (ids.length === 0) return []
  await lockCards(transaction, ids)
  const cards = await findStoredCards(transaction, ids)
  for (const { source_id, file } of cards) if (source_id === null) throw new NotEditable(file)
  return cards
}

/**
 * Writes changes of locked cards as one entry in the history. Changes without effect are skipped.
 * @returns the id of the change, null if nothing changed, and the changed cards
 */
export async function writeChanges(
  transaction: Transaction<Database>,
  origin: ChangeOrigin,
  changes: readonly CardChange[],
): Promise<{ changeId: number | null; changed: CardChange[] }> {
  const changed = changes.filter(isChange)
  if (changed.length === 0) return { changeId: null, changed }
  const changeId = await openChange(transaction, origin, changed.map(itemOf))
  await updateChanged(transaction, changed)
  return { changeId, changed }
}

/** Writes more changes of locked cards as part of an open change. Each must have an effect. */
export async function addChanges(
  transaction: Transaction<Database>,
  changeId: number,
  changed: readonly CardChange[],
): Promise<void> {
  await recordItems(transaction, changeId, changed.map(itemOf))
  await updateChanged(transaction, changed)
}

function itemOf({ before, after }: CardChange) {
  return { card_id: after.id, before: stateOf(before), after: stateAfter(before, after) }
}

async function updateChanged(transaction: Transaction<Database>, changed: readonly CardChange[]): Promise<void> {
  const rows = changed.map((change) => ({
    before: change.before,
    after: isEditOfUpload(change) ? { ...change.after, edited: true } : change.after,
  }))
  await inBatches(transaction, rows, async (batch) => {
    await updateEditedCards(
      transaction,
      batch.map(({ after }) => after),
    )
    const renamed = batch.filter(({ before, after }) => IDENTITY.some((key) => before[key] !== after[key]))
    if (renamed.length === 0) return
    await updateIdentities(
      transaction,
      renamed.map(({ after }) => after),
    )
  })
}

/** Writes the changes in batches, because archiving a card also writes the progress of its learners. */
async function inBatches(
  transaction: Transaction<Database>,
  changes: readonly CardChange[],
  write: (batch: CardChange[]) => Promise<void>,
): Promise<void> {
  if (changes.length === 1) return write([...changes])
  const byId = new Map(changes.map((change) => [change.after.id, change]))
  await inCardBatches(
    transaction,
    [...byId.keys()],
    (batch) => write(batch.flatMap((id) => byId.get(id) ?? [])),
    (id) => weightOf((byId.get(id) as CardChange).after),
  )
}

/** Fields whose change requires `updateIdentities` */
const IDENTITY = ['identity_deck_id', 'key', 'archived', 'draft', 'edited'] as const

export function isChange({ before, after }: CardChange): boolean {
  return (
    before.deck_id !== after.deck_id ||
    before.archived !== after.archived ||
    before.draft !== after.draft ||
    !isSameText(before, after)
  )
}

/**
 * Returns whether the next upload of the card's source must keep the change: a changed text, or a move to another deck
 * of the same source. False for a written source, which has no uploads.
 */
function isEditOfUpload({ before, after }: CardChange): boolean {
  if (after.kind === 'written') return false
  const isMovedInside = before.deck_id !== after.deck_id && before.source_id === after.source_id
  return isMovedInside || !isSameText(before, after)
}

function stateOf({ deck_id, archived, draft, version, sort_order }: EditableCard): ItemState {
  return { deck_id, archived, draft, version, sort_order }
}

function stateAfter(before: EditableCard, after: EditableCard): ItemState {
  return { ...stateOf(after), version: before.version + Number(!isSameText(before, after)) }
}

/**
 * Returns the cards as they are after a move to the end of the deck, without writing them. Cards that are already in
 * the deck stay unchanged. A card that stays in its uploaded source keeps its identity, so that the next upload
 * recognises it.
 * @throws NotEditable if the deck belongs to no source
 */
export async function moveToDeck(
  transaction: Transaction<Database>,
  cards: readonly EditableCard[],
  deck: TargetDeck,
): Promise<EditableCard[]> {
  if (deck.source_id === null) throw new NotEditable(deck.file)
  const moving = cards.filter(({ deck_id }) => deck_id !== deck.id)
  if (moving.length === 0) return [...cards]
  const end = await findNextSortOrder(transaction, deck.id)
  const taken = await findTakenKeys(
    transaction,
    deck.id,
    moving.flatMap(({ key }) => key ?? []),
  )
  let place = end
  return cards.map((card) => {
    if (card.deck_id === deck.id) return card
    const { id: deck_id, source_id, kind } = deck
    const moved = { ...card, deck_id, source_id, kind, sort_order: Math.min(place++, 2 ** 31 - 1) }
    const staysInUpload = card.kind !== 'written' && card.source_id === deck.source_id
    if (card.key === null || staysInUpload) return moved
    const key = taken.has(card.key) ? withRandomSuffix(card.key) : card.key
    taken.add(key)
    return { ...moved, key, identity_deck_id: deck.id }
  })
}

/** Shortens the key to 48 characters and adds a random suffix, so that it is practically unique within a deck. */
export function withRandomSuffix(key: string): string {
  return `${key.slice(0, 48)}-${randomBytes(5).toString('hex')}`
}
