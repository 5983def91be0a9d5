import type { Kysely, Transaction } from 'kysely'
import type { ItemState } from '../../../../db/column-types.js'
import { type EditableCard, lockCardWriters } from '../../../../db/queries/content/editing/cards.js'
import { type CardItem, findCardItems, findDecksById, lockChange } from '../../../../db/queries/content/editing/undo.js'
import { findCardVersions } from '../../../../db/queries/content/editing/versions.js'
import type { Database } from '../../../../db/types.js'
import type { CardTexts } from '../../../domain/content/card-texts.js'
import { type Editor, mayEdit } from '../../../domain/content/editing/rights.js'
import { CHANGE_NOT_FOUND, CHANGE_UNDONE, NOT_UNDOABLE } from '../../../domain/content/refusals.js'
import { type CardChange, lockAndRead, moveToDeck, type TargetDeck, writeChanges } from './change-cards.js'

/**
 * Undoes a change of cards as one entry in the history. Skips cards that were deleted or have changed since, and cards
 * that the editor may not edit or move back to their former deck.
 * @throws CHANGE_NOT_FOUND if the change does not exist
 * @throws CHANGE_UNDONE if the change was already undone
 * @throws NOT_UNDOABLE if the change is not an edit of existing cards
 * @throws NotEditable if one of the cards belongs to no source any more
 */
export function undoChange(
  db: Kysely<Database>,
  { id: userId, editable }: Editor,
  changeId: number,
): Promise<{ undone: number; skipped: number[] }> {
  return db.transaction().execute(async (transaction) => {
    // Before the change, because a purge of its source holds this lock when it needs the change.
    await lockCardWriters(transaction)
    const change = await lockChange(transaction, changeId)
    if (change === undefined) throw CHANGE_NOT_FOUND
    if (change.is_undone) throw CHANGE_UNDONE
    const items = await findCardItems(transaction, changeId)
    if (items.length === 0 || items.some(({ before }) => before === null)) throw NOT_UNDOABLE
    const found = await lockAndRead(
      transaction,
      items.map(({ card_id }) => card_id),
    )
    const cards = new Map(found.map((card) => [card.id, card]))
    const decks = await findDecksById(transaction, [...new Set(items.flatMap(({ before }) => before?.deck_id ?? []))])
    const unchanged = items.filter(({ card_id, before, after }) => {
      const card = cards.get(card_id)
      const deck = decks.get(before?.deck_id ?? 0)
      if (card === undefined || deck?.source_id == null || !isInState(card, after)) return false
      return mayEdit(editable, card.source_id) && mayEdit(editable, deck.source_id)
    })
    const texts = await findFormerTexts(transaction, unchanged)
    const changes: CardChange[] = []
    for (const deck of decks.values()) {
      const group = unchanged.filter(({ before }) => before?.deck_id === deck.id)
      changes.push(...(await takeBack(transaction, group, cards, texts, deck)))
    }
    const origin = { userId, how: 'undo' as const, sourceId: change.source_id, undoes: changeId }
    const { changed } = await writeChanges(transaction, origin, changes)
    const undone = new Set(changed.map(({ before }) => before.id))
    const skipped = items.map(({ card_id }) => card_id).filter((id) => !undone.has(id))
    return { undone: undone.size, skipped }
  })
}

function isInState(card: EditableCard, state: ItemState): boolean {
  return (
    card.version === state.version &&
    card.deck_id === state.deck_id &&
    card.archived === state.archived &&
    card.draft === state.draft
  )
}

function findFormerTexts(transaction: Transaction<Database>, items: readonly CardItem[]) {
  const wanted = items.flatMap(({ card_id, before, after }) =>
    before === null || before.version === after.version ? [] : [{ id: card_id, version: before.version }],
  )
  return findCardVersions(transaction, wanted)
}

async function takeBack(
  transaction: Transaction<Database>,
  items: readonly CardItem[],
  cards: ReadonlyMap<number, EditableCard>,
  texts: ReadonlyMap<number, CardTexts>,
  deck: TargetDeck,
): Promise<CardChange[]> {
  const former = items.flatMap(({ card_id, before, after }) => {
    const card = cards.get(card_id)
    if (card === undefined || before === null) return []
    const { archived, draft, version } = before
    const text = version === after.version ? card : texts.get(card_id)
    return text === undefined ? [] : [{ before, card, wanted: { ...card, ...text, archived, draft } }]
  })
  const moved = await moveToDeck(
    transaction,
    former.map(({ wanted }) => wanted),
    deck,
  )
  return former.map(({ before, card }, index) => {
    const after = moved[index] as EditableCard
    const isMoved = after.deck_id !== card.deck_id
    return { before: card, after: isMoved ? { ...after, sort_order: before.sort_order ?? after.sort_order } : after }
  })
}
