import type { Rating } from '../review/review.js'
import { daysBetween } from '../time/calendar.js'
import { checksum, joinFields, stripField } from './fields.js'
import { type CardIdentity, guidOf } from './guid.js'
import { MODEL_ID } from './package-schema.js'

/** Day 0 of what is due in a package with progress: before anybody learned here. */
export const FIRST_DAY = '2020-01-01'
/** FSRS-6: how fast memories fade, by its default parameters. */
const DECAY = 0.154
/** What Anki begins with; FSRS does not look at it. */
const EASE_FACTOR = 2500
/** Anki counts no longer times. */
const MAX_MILLISECONDS = 60_000
/** Of a card's note and of the card itself. Ids are of the past, and far from those of a user's own notes. */
const FIRST_ID = 1_600_000_000_000
const USN = -1

export type Row = (number | string)[]

/** What the caller has of a card. */
export interface CardProgress {
  last_rating: Rating | null
  next_review: string | null
  last_review: string | null
  /** The instant of the last review, when the log knows it. */
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

/** A review that stands. */
export interface PackageReview {
  card_id: number
  rating: Rating
  phase: 'new' | 'recall' | 'repeat' | 'late'
  /** For how many days it put the card off, and how long it had been put off before; null when unknown. */
  interval_days: number | null
  last_interval_days: number | null
  duration_ms: number | null
  created_at: Date
}

/** The row of `notes`, of the HTML of both sides. */
export function noteRow(card: PackageCard, question: string, answer: string): Row {
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

/** The row of `cards` of a card that nobody has seen. */
export function newCardRow({ id, updated_at }: PackageCard, deckId: number, position: number, queue = 0): Row {
  return [idOf(id), idOf(id), deckId, 0, secondsOf(updated_at), USN, 0, queue, position, 0, 0, 0, 0, 0, 0, 0, 0, '']
}

/** The row of `cards` with what the caller has learned. */
export function learnedCardRow(card: PackageCard, deckId: number, position: number, retention: number): Row {
  const { progress, is_suspended, id, updated_at } = card
  const queue = is_suspended ? -1 : undefined
  if (progress?.next_review == null) return newCardRow(card, deckId, position, queue)
  const { next_review, last_review, reps, lapses } = progress
  const due = Math.max(daysBetween(FIRST_DAY, next_review), 0)
  const interval = Math.max(last_review === null ? 1 : daysBetween(last_review, next_review), 1)
  const row = [idOf(id), idOf(id), deckId, 0, secondsOf(updated_at), USN, 2, queue ?? 2, due, interval, EASE_FACTOR]
  return [...row, reps, lapses, 0, 0, 0, 0, memoryOf(progress, retention)]
}

/** FSRS's state in the words of Anki (rslib/src/storage/card/data.rs). */
function memoryOf({ stability, difficulty, last_review_at }: CardProgress, retention: number): string {
  if (stability === null || difficulty === null) return ''
  const lrt = last_review_at === null ? {} : { lrt: secondsOf(last_review_at) }
  return JSON.stringify({ s: round(stability), d: round(difficulty), dr: retention, decay: DECAY, ...lrt })
}

const EASES: Record<Rating, number> = { again: 1, hard: 2, medium: 3, easy: 4 }
/** Learning, reviewing, learning again. */
const KINDS: Record<PackageReview['phase'], number> = { new: 0, recall: 1, late: 1, repeat: 2 }

/** @param id the milliseconds of the review, or the next ones that no other review has */
export function reviewRow(review: PackageReview, id: number): Row {
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

/** The level as a tag, between the spaces by which Anki finds tags. */
function tagsOf(level: string): string {
  const tag = level.trim().replaceAll(/[\s\u3000\p{Cc}]+/gu, '_')
  return tag === '' ? '' : ` ${tag} `
}
