import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../../db/queries/accounts/audit.js'
import { findStoredCards, lockCardWriters } from '../../../../db/queries/content/editing/cards.js'
import { findDeckSlugOfCard, resetProgressOfAll } from '../../../../db/queries/content/progress.js'
import { deleteCards } from '../../../../db/queries/content/sources.js'
import type { Database } from '../../../../db/types.js'
import { CARD_NOT_FOUND } from '../../../domain/content/refusals.js'
import type { Moment } from '../../../domain/time/calendar.js'
import { dropUnusedPictures } from '../pictures.js'

/**
 * Resets the progress of all learners of a card, which becomes new for them. Their review log stays. Writes an audit
 * entry if there was progress.
 * @returns the number of learners
 * @throws CARD_NOT_FOUND if the card does not exist
 */
export function resetProgress(db: Kysely<Database>, actor: Actor, moment: Moment, id: number): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const deck = await findDeckSlugOfCard(transaction, id)
    if (deck === undefined) throw CARD_NOT_FOUND
    const learners = await resetProgressOfAll(transaction, id, moment)
    if (learners > 0) {
      const deed = { action: 'card.reset' as const, target_id: id, target: deck, details: { learners } }
      await insertAuditEntry(transaction, actor, deed)
    }
    return learners
  })
}

/**
 * Deletes a card with its versions and progress, and the pictures that no text shows any more. Writes an audit entry.
 * @throws CARD_NOT_FOUND if the card does not exist
 */
export async function purgeCard(db: Kysely<Database>, actor: Actor, id: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockCardWriters(transaction)
    const deck = await findDeckSlugOfCard(transaction, id)
    const [card] = await findStoredCards(transaction, [id])
    if (card === undefined || deck === undefined) throw CARD_NOT_FOUND
    await deleteCards(transaction, [id])
    await dropUnusedPictures(transaction)
    const details = { versions: card.version }
    await insertAuditEntry(transaction, actor, { action: 'card.purge', target_id: id, target: deck, details })
  })
}
