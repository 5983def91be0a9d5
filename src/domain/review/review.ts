import { type Clock, daysBetween, type Moment } from '../time/calendar.js'

export const RATINGS = ['again', 'hard', 'medium', 'easy'] as const
export type Rating = (typeof RATINGS)[number]

/**
 * `new`: the first review of the card; `repeat`: not the first one of its day; `late`: see `isLate`; `recall`: all
 * others.
 */
export type ReviewPhase = 'new' | 'recall' | 'repeat' | 'late'

/** How a learner wants to study. */
export interface ReviewSettings {
  /** Cards never seen before that a day may bring. */
  new_per_day: number
  /** The share of due cards that the learner wants to remember, 0.80 to 0.97. */
  desired_retention: number
  /** Days after which a card comes back at the latest. */
  maximum_interval: number
}

export const DEFAULT_SETTINGS: Readonly<ReviewSettings> = {
  new_per_day: 20,
  desired_retention: 0.9,
  maximum_interval: 36_500,
}

/** Everything that a review changes of a progress row. */
export interface CardState {
  last_rating: Rating | null
  next_review: string | null
  stability: number | null
  difficulty: number | null
  last_review: string | null
  reps: number
  lapses: number
  last_review_id: number | null
}

/** Whether the state was last changed by a review on that day. */
export function isReviewedOn(state: CardState | null, today: string): boolean {
  // If the clock was set back, the last review may lie in the future: it counts as one of today.
  return state?.last_review != null && daysBetween(state.last_review, today) <= 0
}

/** What is left for today. */
export interface ReviewCounts {
  /** Cards to be reviewed today or earlier, suspended ones apart. */
  due: number
  /** Unseen cards, as far as the daily number allows them. */
  new: number
}

export interface Remaining {
  due: number
  /** Live cards that the learner has neither seen nor suspended. */
  unseen: number
  /** What is left of the daily number; negative when it was lowered during the day. */
  new_allowed: number
}

/** A card's step from one state to another; null is the state of a card that was never seen. */
export interface Step {
  before: CardState | null
  after: Pick<CardState, 'next_review'> | null
  /** Whether the queue of all decks can show the card: it is not suspended, and its deck not switched off. */
  isCounted: boolean
  /** New cards that the step adds to those of today. */
  introduced: number
}

export function countsOf({ due, unseen, new_allowed }: Remaining): ReviewCounts {
  return { due, new: Math.max(Math.min(unseen, new_allowed), 0) }
}

/** What is left once the step is made. */
export function remainingAfter(remaining: Remaining, step: Step, today: string): Remaining {
  const counted = step.isCounted ? 1 : 0
  return {
    due: remaining.due + counted * (Number(isDue(step.after, today)) - Number(isDue(step.before, today))),
    unseen: remaining.unseen + counted * (Number(step.after === null) - Number(step.before === null)),
    new_allowed: remaining.new_allowed - step.introduced,
  }
}

export function isDue(state: Pick<CardState, 'next_review'> | null, today: string): boolean {
  return state?.next_review != null && state.next_review <= today
}

/** Longer than anybody learns without a network; a clock that says more is wrong. */
const OLDEST_MS = 14 * 24 * 60 * 60 * 1000

/** When a review happens, and when it was given. */
export interface ReviewTimes {
  now: Moment
  reviewed: Moment
}

/** What a client says of when a review was given, cut to the last 14 days; without it the review is of now. */
export function timesOf({ moment }: Clock, given: Date | null): ReviewTimes {
  const now = moment()
  if (given === null) return { now, reviewed: now }
  const highest = now.at.getTime()
  const instant = Math.min(Math.max(given.getTime(), highest - OLDEST_MS), highest)
  return { now, reviewed: instant === highest ? now : moment(new Date(instant)) }
}

/**
 * Whether a review was given before the latest one that its card's state knows, or before the latest reset: the learner
 * has gone on since, so it must not change the state any more.
 */
export function isLate({ now, reviewed }: ReviewTimes, latest: Date | null): boolean {
  if (latest === null) return false
  // The clock was set back since: which of both was first is not known, and what is of today counts as it arrives.
  if (latest > now.at) return reviewed.today < now.today
  return reviewed.at < latest
}

/** An entry of the log that is to be written. */
export interface NewEntry {
  user_id: number
  card_id: number
  deck_id: number | null
  kind: 'review' | 'undo' | 'reset'
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
  /** Of a review that is not late: without the id that the entry gets now. */
  after: CardState | null
  answer: unknown
}

/** What a review of a card in this state is. */
function phaseOf(state: CardState | null, today: string): ReviewPhase {
  if (state === null) return 'new'
  return isReviewedOn(state, today) ? 'repeat' : 'recall'
}

/** The days for which the card was put off, when they are known. */
export function intervalOf(state: CardState | null): number | null {
  if (state?.last_review == null || state.next_review === null) return null
  return daysBetween(state.last_review, state.next_review)
}

export interface ReviewFacts {
  userId: number
  cardId: number
  deckId: number
  rating: Rating
  /** When it was given. */
  moment: Moment
  isLate: boolean
  durationMs: number | null
  clientId: string | null
  before: CardState | null
  after: CardState | null
  answer: unknown
}

export function reviewEntry(facts: ReviewFacts): NewEntry {
  const { before, moment } = facts
  // What a late review says of the card's state it says of another one.
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
    answer: facts.answer,
  }
}
