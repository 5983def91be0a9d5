import { type Clock, daysBetween, type Moment } from '../time/calendar.js'

export const RATINGS = ['again', 'hard', 'medium', 'easy'] as const
export type Rating = (typeof RATINGS)[number]

/**
 * `new`: first review of a new or reset card; `repeat`: review on the day of the previous review; `late`: see `isLate`;
 * `recall`: any other review
 */
export type ReviewPhase = 'new' | 'recall' | 'repeat' | 'late'

export interface SchedulerSettings {
  /** Share of due cards that the learner wants to remember, 0.80 to 0.97 */
  desired_retention: number
  /** Maximum interval in days */
  maximum_interval: number
  /** Weekdays without due cards, if the fuzz allows another day; Monday is 1 */
  free_weekdays: number[]
  /** Weights of FSRS-6; null means the defaults */
  weights: number[] | null
}

export interface ReviewSettings extends Omit<SchedulerSettings, 'weights'> {
  new_per_day: number
  /** Whether the weights are fitted to the learner */
  adapt_intervals: boolean
  /** Whether the learner types answers before they are shown */
  type_answers: boolean
}

export const LOWEST_RETENTION = 0.8
export const HIGHEST_RETENTION = 0.97

export const DEFAULT_SETTINGS: Readonly<ReviewSettings> = {
  new_per_day: 20,
  desired_retention: 0.9,
  maximum_interval: 36_500,
  adapt_intervals: true,
  type_answers: false,
  free_weekdays: [],
}

/** The fields of a progress row that a review changes. */
export interface CardState {
  last_rating: Rating | null
  next_review: string | null
  stability: number | null
  difficulty: number | null
  last_review: string | null
  reps: number
  lapses: number
  last_review_id: number | null
  /** Due day that the latest review set, while the card is put off; log entries of older versions lack the field */
  put_off_from?: string | null
}

export function isReviewedOn(state: CardState | null, today: string): boolean {
  // If the clock was set back, the last review may lie in the future; it is then treated as a review of today.
  return state?.last_review != null && daysBetween(state.last_review, today) <= 0
}

/** Counts over all decks that are switched on, or of one requested deck. */
export interface ReviewCounts {
  /** Cards due today or earlier, without suspended cards */
  due: number
  /** Unseen cards, at most as many as the daily limit and extra new cards still allow */
  new: number
}

/** Counts over the same decks as `ReviewCounts`. */
export interface Remaining {
  due: number
  /** Cards that the learner has neither seen nor suspended, without those put off until tomorrow */
  unseen: number
  /** Rest of the daily limit and of extra new cards for today; negative if the limit was lowered during the day */
  new_allowed: number
}

/** The transition of a card between two states; null means a new or reset card. */
export interface Step {
  before: CardState | null
  after: Pick<CardState, 'next_review'> | null
  /** Whether the card can appear in the queue: neither suspended nor in a deck that is switched off */
  isCounted: boolean
  /** Change in the number of new cards introduced today; negative for an undo */
  introduced: number
  /** Change in the number of new cards put off until tomorrow; negative for an undo or a review */
  put_off: number
}

export function countsOf({ due, unseen, new_allowed }: Remaining): ReviewCounts {
  return { due, new: Math.max(Math.min(unseen, new_allowed), 0) }
}

export function remainingAfter(remaining: Remaining, step: Step, today: string): Remaining {
  const counted = step.isCounted ? 1 : 0
  return {
    due: remaining.due + counted * (Number(isDue(step.after, today)) - Number(isDue(step.before, today))),
    unseen: remaining.unseen + counted * (Number(step.after === null) - Number(step.before === null) - step.put_off),
    new_allowed: remaining.new_allowed - step.introduced,
  }
}

export function isDue(state: Pick<CardState, 'next_review'> | null, today: string): boolean {
  return state?.next_review != null && state.next_review <= today
}

/** Maximum age of a review given offline, in milliseconds; an older timestamp indicates a wrong clock. */
const MAX_OFFLINE_AGE_MS = 14 * 24 * 60 * 60 * 1000

/** Times at which a review was received (`now`) and given (`reviewed`). */
export interface ReviewTimes {
  now: Moment
  reviewed: Moment
}

/**
 * Returns the times of a review. Limits the client's timestamp `given` to the last 14 days, and replaces a timestamp in
 * the future with the current time. Without a timestamp, the review was given now.
 */
export function timesOf({ moment }: Clock, given: Date | null): ReviewTimes {
  const now = moment()
  if (given === null) return { now, reviewed: now }
  const highest = now.at.getTime()
  const instant = Math.min(Math.max(given.getTime(), highest - MAX_OFFLINE_AGE_MS), highest)
  return { now, reviewed: instant === highest ? now : moment(new Date(instant)) }
}

/**
 * Returns whether a review was given before the latest review or reset of the card. Such a review must not change the
 * state of the card.
 */
export function isLate({ now, reviewed }: ReviewTimes, latest: Date | null): boolean {
  if (latest === null) return false
  // If the clock was set back, the order of the reviews is unknown. A review of today is then not late.
  if (latest > now.at) return reviewed.today < now.today
  return reviewed.at < latest
}

export interface NewEntry {
  user_id: number
  card_id: number
  deck_id: number | null
  kind: 'review' | 'undo' | 'reset' | 'tomorrow'
  undoes: number | null
  rating: Rating | null
  previous_rating: Rating | null
  phase: ReviewPhase | null
  interval_days: number | null
  duration_ms: number | null
  studied_on: string
  created_at: Date
  client_id: string | null
  before: CardState | null
  /** State after the entry. If the entry is a review that is not late, its id is unknown: `last_review_id` is null. */
  after: CardState | null
  response: unknown
}

function phaseOf(state: CardState | null, today: string): ReviewPhase {
  if (state === null) return 'new'
  return isReviewedOn(state, today) ? 'repeat' : 'recall'
}

export function putOff(state: CardState, tomorrow: string): CardState {
  return { ...state, next_review: tomorrow, put_off_from: state.put_off_from ?? state.next_review }
}

/** Returns the interval that the latest review set, in days; null if unknown. */
export function intervalOf(
  state: Pick<CardState, 'last_review' | 'next_review' | 'put_off_from'> | null,
): number | null {
  const due = state?.put_off_from ?? state?.next_review
  return state?.last_review == null || due == null ? null : daysBetween(state.last_review, due)
}

export interface ReviewFacts {
  userId: number
  cardId: number
  deckId: number
  rating: Rating
  /** Time at which the review was given */
  moment: Moment
  isLate: boolean
  durationMs: number | null
  clientId: string | null
  before: CardState | null
  after: CardState | null
  response: unknown
}

export function reviewEntry(facts: ReviewFacts): NewEntry {
  const { before, moment } = facts
  // The state includes later reviews, so it is not the state before a late review.
  const known = facts.isLate ? null : before
  return {
    user_id: facts.userId,
    card_id: facts.cardId,
    deck_id: facts.deckId,
    kind: 'review',
    undoes: null,
    rating: facts.rating,
    previous_rating: known?.last_rating ?? null,
    phase: facts.isLate ? 'late' : phaseOf(before, moment.today),
    interval_days: intervalOf(known),
    duration_ms: facts.durationMs,
    studied_on: moment.today,
    created_at: moment.at,
    client_id: facts.clientId,
    before,
    after: facts.after,
    response: facts.response,
  }
}
