import { intervalOf, type Rating } from '../../review/review.js'
import { daysBetween } from '../../time/calendar.js'
import { type CardIdentity, guidOf } from '../guid.js'
import { tagOfLevel } from '../level.js'
import { checksum, joinFields, stripField } from './fields.js'
import { MODEL_ID } from './package-schema.js'

/** Day 0 of due dates in a package with progress; an earlier due date becomes day 0 */
export const FIRST_DAY = '2020-01-01'
/** Decay of the default weights of FSRS-6 */
const DECAY = 0.154
/** Anki's initial ease factor, which FSRS ignores */
const EASE_FACTOR = 2500
/** Anki's default limit of the answer time in milliseconds */
const MAX_MILLISECONDS = 60_000
/** Offset of the ids of notes and cards. Anki uses timestamps in milliseconds as ids; this timestamp is in 2020. */
const FIRST_ID = 1_600_000_000_000
const USN = -1

export type PackageRow = (number | string)[]

export interface CardProgress {
  last_rating: Rating | null
  /** `YYYY-MM-DD`, like `last_review` */
  next_review: string | null
  last_review: string | null
  put_off_from: string | null
  /** Time of the last review; null if the review log does not contain that review */
  last_review_at: Date | null
  stability: number | null
  difficulty: number | null
  reps: number
  lapses: number
}

export interface PackageCard extends CardIdentity {
  level: string
  updated_at: Date
  progress: CardProgress | null
  is_suspended: boolean
}

/** A review that was not undone. */
export interface PackageReview {
  card_id: number
  rating: Rating
  phase: 'new' | 'recall' | 'repeat' | 'late'
  /** Interval after the review in days; null if unknown */
  interval_days: number | null
  /** Interval before the review in days; null if unknown */
  last_interval_days: number | null
  duration_ms: number | null
  created_at: Date
}

export function noteRow(card: PackageCard, question: string, answer: string): PackageRow {
  const sortField = stripField(question)
  const flds = joinFields([question, answer])
  const tags = tagsOf(card.level)
  return [
    idOf(card.id),
    guidOf(card),
    MODEL_ID,
    secondsOf(card.updated_at),
    USN,
    tags,
    flds,
    sortField,
    checksum(sortField),
    0,
    '',
  ]
}

export function newCardRow({ id, updated_at }: PackageCard, deckId: number, position: number, queue = 0): PackageRow {
  return [idOf(id), idOf(id), deckId, 0, secondsOf(updated_at), USN, 0, queue, position, 0, 0, 0, 0, 0, 0, 0, 0, '']
}

export interface LearnerParameters {
  retention: number
  /** Decay of the forgetting curve (weight 20 of FSRS-6); default 0.154 */
  decay?: number | undefined
}

/** Builds a row of the table `cards` from the user's progress; the row of a new card if there is no due date. */
export function learnedCardRow(
  card: PackageCard,
  deckId: number,
  position: number,
  { retention, decay = DECAY }: LearnerParameters,
): PackageRow {
  const { progress, is_suspended, id, updated_at } = card
  const queue = is_suspended ? -1 : undefined
  if (progress?.next_review == null) return newCardRow(card, deckId, position, queue)
  const { next_review, reps, lapses } = progress
  const due = Math.max(daysBetween(FIRST_DAY, next_review), 0)
  const interval = Math.max(intervalOf(progress) ?? 1, 1)
  const row = [idOf(id), idOf(id), deckId, 0, secondsOf(updated_at), USN, 2, queue ?? 2, due, interval, EASE_FACTOR]
  return [...row, reps, lapses, 0, 0, 0, 0, dataOf(progress, position, retention, decay)]
}

/**
 * Encodes the position as a new card and the FSRS state as Anki does (rslib/src/storage/card/data.rs). Without stability
 * or difficulty, there is no FSRS state.
 */
function dataOf(progress: CardProgress, pos: number, retention: number, decay: number): string {
  const { stability, difficulty, last_review_at } = progress
  if (stability === null || difficulty === null) return JSON.stringify({ pos })
  const lrt = last_review_at === null ? {} : { lrt: secondsOf(last_review_at) }
  return JSON.stringify({ pos, s: round(stability), d: round(difficulty), dr: retention, decay, ...lrt })
}

const EASES: Record<Rating, number> = { again: 1, hard: 2, medium: 3, easy: 4 }
/** Anki's review type for each phase: 0 for learning, 1 for review, 2 for relearning */
const KINDS: Record<PackageReview['phase'], number> = { new: 0, recall: 1, late: 1, repeat: 2 }

/**
 * Builds a row of the table `revlog`.
 * @param id timestamp of the review in milliseconds, or the next free id if another review has that timestamp
 */
export function reviewRow(review: PackageReview, id: number): PackageRow {
  const { card_id, rating, phase, interval_days, last_interval_days, duration_ms } = review
  const time = Math.min(Math.max(duration_ms ?? 0, 0), MAX_MILLISECONDS)
  const row = [id, idOf(card_id), USN, EASES[rating], interval_days ?? 0, last_interval_days ?? 0]
  return [...row, EASE_FACTOR, time, KINDS[phase]]
}

function idOf(cardId: number): number {
  return FIRST_ID + cardId
}

function secondsOf(instant: Date): number {
  return Math.floor(instant.getTime() / 1000)
}

function round(value: number): number {
  return Number(value.toFixed(4))
}

/** Encodes the level as a tag surrounded by spaces, as Anki stores tags; an empty string if there is no level. */
function tagsOf(level: string): string {
  const tag = tagOfLevel(level)
  return tag === '' ? '' : ` ${tag} `
}
