import type { Kysely } from 'kysely'
import { lockCardWriters } from '../../../../db/queries/content/editing/cards.js'
import { copyCards } from '../../../../db/queries/content/editing/copy-cards.js'
import { findDeckToEdit } from '../../../../db/queries/content/editing/decks.js'
import { findNextSortOrder } from '../../../../db/queries/content/editing/write-cards.js'
import { findGroupItems } from '../../../../db/queries/content/translations.js'
import type { Database } from '../../../../db/types.js'
import { DECK_NOT_FOUND, NOT_A_VARIANT, NotEditable } from '../../../domain/content/refusals.js'
import { openChange, recordItems } from './change.js'

const BATCH_CARDS = 500

/**
 * Copies the cards of the original that a variant lacks, as drafts with the same keys. Cards without a key, which a
 * script has added, are left out.
 * @returns the number of copies
 * @throws DECK_NOT_FOUND if the deck does not exist
 * @throws NotEditable if the deck belongs to no source
 * @throws NOT_A_VARIANT if the deck has no original
 */
export function copyMissingCards(db: Kysely<Database>, userId: number, slug: string): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await lockCardWriters(transaction)
    const deck = await findDeckToEdit(transaction, slug)
    if (deck === undefined) throw DECK_NOT_FOUND
    if (deck.source_id === null) throw new NotEditable(deck.file)
    const items = await findGroupItems(transaction, 'deck', [slug])
    const original = items.find((item) => item.slug === slug)?.translation_of ?? null
    const from = original === null ? undefined : await findDeckToEdit(transaction, original)
    if (from === undefined) throw NOT_A_VARIANT
    let copied = 0
    let change: number | undefined
    for (;;) {
      const order = await findNextSortOrder(transaction, deck.id)
      const ids = await copyCards(transaction, { from: from.id, to: deck.id, order, limit: BATCH_CARDS })
      if (ids.length === 0) return copied
      change ??= await openChange(transaction, { userId, how: 'create', sourceId: deck.source_id })
      const after = { deck_id: deck.id, archived: false, draft: true, version: 1 }
      await recordItems(
        transaction,
        change,
        ids.map((card_id) => ({ card_id, before: null, after })),
      )
      copied += ids.length
    }
  })
}
