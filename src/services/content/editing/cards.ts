import { randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { ChangeKind } from '../../../../db/column-types.js'
import {
  type EditableCard,
  type EditedCardWithOrigin,
  findEditedCard,
  findStoredCards,
  lockCardWriters,
} from '../../../../db/queries/content/editing/cards.js'
import { findDeckToEdit } from '../../../../db/queries/content/editing/decks.js'
import {
  findCardOfClient,
  findNextSortOrder,
  findTakenKeys,
  insertCard,
  placeCard,
} from '../../../../db/queries/content/editing/write-cards.js'
import type { Database } from '../../../../db/types.js'
import { NOT_AN_EDITOR } from '../../../domain/accounts/refusals.js'
import type { CardTexts } from '../../../domain/content/card-texts.js'
import { type CardTextsInput, changeTexts, containsTexts, keyFrom } from '../../../domain/content/editing/card.js'
import { type Editor, mayEdit } from '../../../domain/content/editing/rights.js'
import {
  CARD_NOT_FOUND,
  CLIENT_ID_TAKEN,
  DECK_NOT_FOUND,
  NotEditable,
  requireVersion,
} from '../../../domain/content/refusals.js'
import { InvalidField } from '../../../domain/refusal.js'
import { openChange, recordItems } from './change.js'
import { lockAndRead, moveToDeck, withRandomSuffix, writeChanges } from './change-cards.js'

export interface CardCreation extends CardTextsInput {
  deck: string
  draft?: boolean | undefined
  client_id: string
}

/**
 * Creates a card as the last card of its deck. If the client id is known, creates no card and returns the existing card
 * in its current state.
 * @throws InvalidInput if a text is invalid
 * @throws DECK_NOT_FOUND if the deck does not exist
 * @throws NotEditable if the deck belongs to no source
 * @throws CLIENT_ID_TAKEN if the client id belongs to a card that the editor may not edit
 */
export async function createCard(
  db: Kysely<Database>,
  { id: userId, editable }: Editor,
  { deck: slug, draft = false, client_id, ...input }: CardCreation,
): Promise<EditedCardWithOrigin> {
  const texts = changeTexts(input)
  return db.transaction().execute(async (transaction) => {
    // Serialises concurrent requests with the same client id.
    await lockCardWriters(transaction)
    const known = await findCardOfClient(transaction, client_id)
    if (known !== undefined) {
      if (!mayEdit(editable, known.source_id)) throw CLIENT_ID_TAKEN
      return readBack(transaction, known.id)
    }
    const deck = await findDeckToEdit(transaction, slug)
    if (deck === undefined) throw DECK_NOT_FOUND.at('deck')
    if (deck.source_id === null) throw new NotEditable(deck.file)
    const changeId = await openChange(transaction, { userId, how: 'create', sourceId: deck.source_id })
    const id = await insertCard(transaction, {
      ...texts,
      deck_id: deck.id,
      draft,
      client_id,
      key: await findFreeKey(transaction, deck.id, texts.question),
      sort_order: await findNextSortOrder(transaction, deck.id),
    })
    const after = { deck_id: deck.id, archived: false, draft, version: 1 }
    await recordItems(transaction, changeId, [{ card_id: id, before: null, after }])
    return readBack(transaction, id)
  })
}

async function findFreeKey(transaction: Transaction<Database>, deckId: number, question: string): Promise<string> {
  const key = keyFrom(question) || `k-${randomBytes(8).toString('hex')}`
  const taken = await findTakenKeys(transaction, deckId, [key])
  return taken.has(key) ? withRandomSuffix(key) : key
}

export interface CardEdit extends CardTextsInput {
  /** Version of the card on which the edit is based; required if the edit contains texts */
  version?: number | undefined
  deck?: string | undefined
  draft?: boolean | undefined
  archived?: boolean | undefined
}

/**
 * Changes a card; waits while an import is writing. An edit without effect writes nothing.
 * @throws InvalidInput if a text is invalid, or texts are given without `version`
 * @throws CARD_NOT_FOUND, DECK_NOT_FOUND if the card or the target deck does not exist
 * @throws NotEditable if the card or the target deck belongs to no source
 * @throws NOT_AN_EDITOR if the editor may not edit the source of the card
 * @throws VersionOutdated if a text of the card has changed since the given version
 */
export async function saveCard(
  db: Kysely<Database>,
  editor: Editor,
  id: number,
  { version, deck, draft, archived, ...input }: CardEdit,
): Promise<EditedCardWithOrigin> {
  if (version === undefined && containsTexts(input)) throw new InvalidField('version', 'fehlt')
  return changeCard(db, editor, id, version, 'edit', async (transaction, before) => {
    const texts = changeTexts(input, before)
    const after = { ...before, ...texts, draft: draft ?? before.draft, archived: archived ?? before.archived }
    if (deck === undefined) return after
    const target = await findDeckToEdit(transaction, deck)
    if (target === undefined) throw DECK_NOT_FOUND.at('deck')
    const [moved] = await moveToDeck(transaction, [after], target)
    return moved as EditableCard
  })
}

/**
 * Replaces the texts of a card.
 * @param version version that the change is based on; undefined skips the check
 * @param how kind of the change in the history
 * @throws the refusals of `saveCard` for the card and its version
 */
export function replaceTexts(
  db: Kysely<Database>,
  editor: Editor,
  id: number,
  version: number | undefined,
  how: ChangeKind,
  findTexts: (transaction: Transaction<Database>, before: EditableCard) => Promise<CardTexts>,
): Promise<EditedCardWithOrigin> {
  return changeCard(db, editor, id, version, how, async (transaction, before) => ({
    ...before,
    ...(await findTexts(transaction, before)),
  }))
}

async function changeCard(
  db: Kysely<Database>,
  { id: userId, editable }: Editor,
  id: number,
  version: number | undefined,
  how: ChangeKind,
  change: (transaction: Transaction<Database>, before: EditableCard) => Promise<EditableCard>,
): Promise<EditedCardWithOrigin> {
  return db.transaction().execute(async (transaction) => {
    const [before] = await lockAndRead(transaction, [id])
    if (before === undefined) throw CARD_NOT_FOUND
    // The card may have moved since the request was authorised.
    if (!mayEdit(editable, before.source_id)) throw NOT_AN_EDITOR
    requireVersion(version, before.version)
    const after = await change(transaction, before)
    await writeChanges(transaction, { userId, how, sourceId: before.source_id }, [{ before, after }])
    return readBack(transaction, id)
  })
}

/**
 * Moves a card before another card of its deck, or to the end if `before` is null. The order is not versioned.
 * @throws CARD_NOT_FOUND if the card does not exist
 * @throws NotEditable if the card belongs to no source
 * @throws NOT_AN_EDITOR if the editor may not edit the source of the card
 * @throws InvalidInput if `before` is not in the same deck
 */
export async function placeBefore(
  db: Kysely<Database>,
  { editable }: Editor,
  id: number,
  before: number | null,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockCardWriters(transaction)
    const cards = await findStoredCards(transaction, before === null ? [id] : [id, before])
    const card = cards.find((one) => one.id === id)
    if (card === undefined) throw CARD_NOT_FOUND
    if (card.source_id === null) throw new NotEditable(card.file)
    // The card may have moved since the request was authorised.
    if (!mayEdit(editable, card.source_id)) throw NOT_AN_EDITOR
    const next = cards.find((one) => one.id === before)
    if (before !== null && next?.deck_id !== card.deck_id) {
      throw new InvalidField('before', 'muss die Id einer Karte desselben Decks sein')
    }
    if (before !== id) await placeCard(transaction, card, before)
  })
}

async function readBack(transaction: Transaction<Database>, id: number): Promise<EditedCardWithOrigin> {
  const card = await findEditedCard(transaction, id)
  if (card === undefined) throw CARD_NOT_FOUND
  return card
}
