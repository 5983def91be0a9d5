import type { Kysely } from 'kysely'
import { appendEntry, findLearnerCard, lockLearner } from '../../../db/queries/review/progress.js'
import type { Database } from '../../../db/types.js'
import { CARD_NOT_FOUND, NOT_LOGGED_IN } from '../../domain/refusals.js'
import { intervalOf } from '../../domain/review/review.js'
import type { Moment } from '../../domain/time/calendar.js'

/**
 * Forgets the user's progress of a card, which is new then; the log keeps it. Nothing happens when there is none.
 * @throws HttpError 404 when there is no such card
 */
export async function resetCard(db: Kysely<Database>, userId: number, moment: Moment, cardId: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!(await lockLearner(transaction, userId))) throw NOT_LOGGED_IN
    const card = await findLearnerCard(transaction, userId, cardId, moment.today, null)
    if (card.deck_id === null) throw CARD_NOT_FOUND
    if (card.state === null) return
    await appendEntry(transaction, {
      user_id: userId,
      card_id: cardId,
      deck_id: card.deck_id,
      kind: 'reset',
      undoes: null,
      rating: null,
      previous_rating: card.state.last_rating,
      phase: null,
      interval_days: intervalOf(card.state),
      duration_ms: null,
      studied_on: moment.today,
      created_at: moment.at,
      client_id: null,
      before: card.state,
      after: null,
      answer: {},
    })
  })
}
