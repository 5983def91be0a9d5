import type { Kysely, Transaction } from 'kysely'
import { appendEntry, findLearnerCard, lockLearner, lockLearnerAndCard } from '../../../db/queries/review/progress.js'
import {
  findHistoryOf,
  findUndoSituation,
  type UndoCandidate,
  type UndoSituation,
} from '../../../db/queries/review/undo.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import type { Learner } from '../../domain/content/learner.js'
import { CARD_NOT_FOUND } from '../../domain/content/refusals.js'
import { Refusal } from '../../domain/refusal.js'
import { MemoryModel } from '../../domain/review/memory.js'
import { NOT_OF_TODAY, NOT_THE_LAST, REVIEW_NOT_FOUND } from '../../domain/review/refusals.js'
import {
  type CardState,
  countsOf,
  intervalOf,
  type NewEntry,
  type ReviewCounts,
  remainingAfter,
} from '../../domain/review/review.js'
import type { Moment } from '../../domain/time/calendar.js'

export interface UndoneReview {
  card_id: number
  /** Null if the card is new again */
  progress: CardState | null
  counts: ReviewCounts
  /** Id of the review that can be undone next; null if there is none */
  next_undo: number | null
}

/**
 * Undoes the user's latest log entry of today, a review or an entry that put a card off, and restores the card's
 * previous state. Skips entries that arrived too late to change a card. A repeated call changes nothing and returns the
 * same response.
 * @throws REVIEW_NOT_FOUND if the user has no such review
 * @throws NOT_OF_TODAY if the review was given on another day
 * @throws NOT_THE_LAST if it is not the user's latest review
 * @throws Refusal (conflict) if the card has changed since
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function undoReview(
  db: Kysely<Database>,
  learner: Learner,
  moment: Moment,
  reviewId: number,
): Promise<UndoneReview> {
  const { userId } = learner
  return db.transaction().execute(async (transaction) => {
    if (!(await lockLearner(transaction, userId))) throw NOT_LOGGED_IN
    const situation = await findUndoSituation(transaction, learner, reviewId, moment)
    const { studied_on, earlier, latest, remaining, states_since } = situation
    if (earlier !== null) {
      const { card_id, after, response } = earlier
      return { card_id, progress: after, ...(response as Pick<UndoneReview, 'counts' | 'next_undo'>) }
    }
    if (studied_on === null) throw REVIEW_NOT_FOUND
    if (studied_on !== moment.today) throw NOT_OF_TODAY
    const [review, next] = latest
    if (review?.id !== reviewId) throw NOT_THE_LAST
    const obstacle = obstacleTo(review, review.state, states_since)
    if (obstacle !== undefined) throw new Refusal('conflict', 'card_changed_since', obstacle)

    const restored = await restore(transaction, userId, review, situation)
    const step = {
      before: review.after,
      after: restored,
      isCounted: review.is_active && !review.is_suspended,
      introduced: -Number(review.phase === 'new'),
      put_off: Number(restored === null && review.was_put_off) - Number(review.after === null),
    }
    const counts = countsOf(remainingAfter(remaining, step, moment.today))
    const response = { counts, next_undo: nextUndo(review, next, states_since) }
    await appendEntry(transaction, undoEntry(userId, moment, review, restored, response))
    return { card_id: review.card_id, progress: restored, ...response }
  })
}

/**
 * Returns the card's state before the review. If the learner's parameters have changed since the review, stability and
 * difficulty are computed with the current parameters.
 */
async function restore(
  transaction: Transaction<Database>,
  userId: number,
  review: UndoCandidate,
  { states_since, weights }: Pick<UndoSituation, 'states_since' | 'weights'>,
): Promise<CardState | null> {
  const { before, state } = review
  if (before?.stability == null || before.last_review_id === null || review.id > states_since) return before
  if (review.kind === 'tomorrow' && state !== null) {
    return { ...before, stability: state.stability, difficulty: state.difficulty }
  }
  const history = await findHistoryOf(transaction, userId, before.last_review_id)
  return { ...before, ...new MemoryModel(weights).replay(history) }
}

/**
 * Returns the reason, as a German sentence, why the review cannot be undone while its card is in this state; undefined
 * if the review can be undone.
 * @param statesSince id of the log entry up to which entries contain memory states of former parameters
 */
function obstacleTo(review: UndoCandidate, state: CardState | null, statesSince: number): string | undefined {
  if (review.was_reset) return 'Der Fortschritt dieser Karte wurde seitdem zurückgesetzt'
  if (!review.is_live) return 'Diese Karte wurde seitdem archiviert oder gelöscht'
  const expected = stateAfter(review)
  const isRecomputed = review.id <= statesSince
  const isUnchanged =
    expected === null || state === null
      ? expected === state
      : Object.keys(expected).every((key) => (isRecomputed && MEMORY.has(key)) || isSame(expected, state, key))
  return isUnchanged ? undefined : 'Der Fortschritt dieser Karte wurde seitdem geändert'
}

/** Fields of a state that depend on the parameters */
const MEMORY: ReadonlySet<string> = new Set(['stability', 'difficulty'])

/** Returns the state that the entry gave the card; null if the card stayed new. */
function stateAfter({ kind, id, after }: UndoCandidate): CardState | null {
  return kind === 'tomorrow' || after === null ? after : { ...after, last_review_id: id }
}

function isSame(expected: CardState, state: CardState, key: string): boolean {
  return expected[key as keyof CardState] === state[key as keyof CardState]
}

/** Returns the id of the review before the undone one; null if there is none or it cannot be undone. */
function nextUndo(undone: UndoCandidate, next: UndoCandidate | undefined, statesSince: number): number | null {
  if (next === undefined) return null
  const state = next.card_id === undone.card_id ? undone.before : next.state
  return obstacleTo(next, state, statesSince) === undefined ? next.id : null
}

/**
 * Returns the log entry of an undo. It repeats the fields of the review, so that statistics can subtract the review.
 */
function undoEntry(
  userId: number,
  moment: Moment,
  review: UndoCandidate,
  restored: CardState | null,
  response: unknown,
): NewEntry {
  return {
    user_id: userId,
    card_id: review.card_id,
    deck_id: review.deck_id,
    kind: 'undo',
    undoes: review.id,
    rating: review.rating,
    previous_rating: review.previous_rating,
    phase: review.phase,
    interval_days: review.interval_days,
    duration_ms: review.duration_ms,
    studied_on: moment.today,
    created_at: moment.at,
    client_id: null,
    before: stateAfter(review),
    after: restored,
    response,
  }
}

/**
 * Deletes the user's progress of a card, which becomes new. The log keeps the former state. Does nothing if the card is
 * already new.
 * @throws CARD_NOT_FOUND if the card or its deck is archived, or the card does not exist
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function resetCard(db: Kysely<Database>, learner: Learner, moment: Moment, cardId: number): Promise<void> {
  const { userId } = learner
  await db.transaction().execute(async (transaction) => {
    if (!(await lockLearnerAndCard(transaction, userId, cardId))) throw NOT_LOGGED_IN
    const card = await findLearnerCard(transaction, learner, cardId, moment.today, null)
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
      response: {},
    })
  })
}
