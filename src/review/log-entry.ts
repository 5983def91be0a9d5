import type { NewEntry } from '../../db/queries/review-progress.js'
import type { CardState, Rating, ReviewPhase } from '../../db/types.js'
import { daysBetween, type Moment } from '../calendar.js'
import { isReviewedOn } from './scheduler.js'

/** What a review of a card in this state is. */
function phaseOf(state: CardState | null, today: string): ReviewPhase {
  if (state === null) return 'new'
  return isReviewedOn(state, today) ? 'repeat' : 'recall'
}

/** The days for which the card was put off, when they are known. */
export function intervalOf(state: CardState | null): number | null {
  if (state?.last_review == null || state.next_review === null) return null
  const days = daysBetween(state.last_review, state.next_review)
  // A script may have written `infinity`.
  return Number.isNaN(days) ? null : days
}

export interface ReviewFacts {
  userId: number
  cardId: number
  deckId: number
  rating: Rating
  moment: Moment
  durationMs: number | null
  clientId: string | null
  before: CardState | null
  after: CardState
  answer: unknown
}

export function reviewEntry(facts: ReviewFacts): NewEntry {
  const { before, moment } = facts
  return {
    user_id: facts.userId,
    card_id: facts.cardId,
    deck_id: facts.deckId,
    kind: 'review',
    undoes: null,
    rating: facts.rating,
    previous_rating: before?.last_rating ?? null,
    phase: phaseOf(before, moment.today),
    interval_days: intervalOf(before),
    duration_ms: facts.durationMs,
    studied_on: moment.today,
    created_at: moment.at,
    client_id: facts.clientId,
    before,
    after: facts.after,
    answer: facts.answer,
  }
}
