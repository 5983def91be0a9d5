import type { Rating } from '../words/ratings.js'
import type { StudyCard } from './card.js'

/** Input so soon after a change was meant for what was there before. */
export const GUARD_MS = 200
/** Whoever takes longer for a card has left it lying. */
const LONGEST_MS = 300_000
/** So many unseen cards are left when more are asked for. */
const FEW = 10
/** So many cards before it is shown, the dates of one that comes back are asked for. */
const NEAR = 3

export type Side = 'question' | 'answer'

/** A card that is still to come. */
export interface Waiting {
  card: StudyCard
  /** Whether it comes back because it was not known today. */
  isAgain: boolean
}

/** Something that can be taken back. */
export type Step = Rated | Suspended

interface Taken {
  /** Where the step stands among all changes of the session. */
  at: number
  waiting: Waiting
}

export interface Rated extends Taken {
  kind: 'rated'
  /** The `client_id` under which the rating is sent. */
  id: string
  rating: Rating
  duration_ms: number
}

export interface Suspended extends Taken {
  kind: 'suspended'
}

/**
 * A session, as a value: every function here returns the next one, and the same one when nothing happened. Times are
 * milliseconds of a clock that never jumps.
 */
export interface Session {
  /** The first one is shown; those that were not known are behind all others, in the order of their ratings. */
  queue: readonly Waiting[]
  side: Side
  /** When what is shown changed last. */
  changedAt: number
  /** When the question was shown. */
  shownAt: number
  steps: readonly Step[]
  /** Cards that the service has beyond those here. */
  beyond: number
  /** How many changes there were, and at which of them each card was touched last. */
  changes: number
  touched: ReadonlyMap<number, number>
}

/** A page of the queue as the service answers it. */
export interface Page {
  cards: readonly StudyCard[]
  counts: { due: number; new: number }
  today: string
}

/** Ratings which the page cannot know of yet, oldest first. */
export type RatedSince = readonly { card_id: number; rating: Rating }[]

export function beginSession(page: Page, ratedSince: RatedSince, now: number): Session {
  const queue = applyRatings(
    page.cards.map((card) => waitingOf(card, page.today)),
    ratedSince,
  )
  return {
    queue: inOrder(queue),
    side: 'question',
    changedAt: now,
    shownAt: now,
    steps: [],
    beyond: beyondOf(page),
    changes: 0,
    touched: new Map(),
  }
}

export function currentCard(session: Session): StudyCard | undefined {
  return session.queue[0]?.card
}

/** The one to prepare while the present one is looked at. */
export function nextCard(session: Session): StudyCard | undefined {
  return session.queue[1]?.card
}

export function reveal(session: Session, now: number): Session {
  if (session.side === 'answer' || session.queue.length === 0 || isTooSoon(session, now)) return session
  return { ...session, side: 'answer', changedAt: now }
}

export function rate(session: Session, rating: Rating, id: string, now: number): Session {
  const [waiting, ...rest] = session.queue
  if (waiting === undefined || session.side !== 'answer' || isTooSoon(session, now)) return session
  const duration_ms = Math.min(Math.max(Math.round(now - session.shownAt), 0), LONGEST_MS)
  const step: Rated = { kind: 'rated', at: session.changes + 1, waiting, id, rating, duration_ms }
  const queue = rating === 'again' ? [...rest, comingBack(waiting)] : rest
  return takeStep(session, step, queue, now)
}

/** Takes the card out of the session; that the service knows of it is the caller's part. */
export function suspend(session: Session, now: number): Session {
  const [waiting, ...rest] = session.queue
  if (waiting === undefined || isTooSoon(session, now)) return session
  return takeStep(session, { kind: 'suspended', at: session.changes + 1, waiting }, rest, now)
}

export function lastStep(session: Session): Step | undefined {
  return session.steps.at(-1)
}

/** The card of the last step is back with its answer, as it was when it was rated. */
export function undo(session: Session, now: number): Session {
  const step = session.steps.at(-1)
  if (step === undefined || isTooSoon(session, now)) return session
  const { card_id } = step.waiting.card
  return {
    ...touch(session, card_id),
    queue: [step.waiting, ...session.queue.filter(({ card }) => card.card_id !== card_id)],
    steps: session.steps.slice(0, -1),
    side: step.kind === 'rated' ? 'answer' : 'question',
    changedAt: now,
    shownAt: now,
  }
}

/** What could not be taken back stands: the card leaves again, unless it has been rated anew. */
export function undoRefused(session: Session, card_id: number, now: number): Session {
  if (session.steps.some(({ waiting }) => waiting.card.card_id === card_id)) return session
  return dropCards(session, [card_id], now)
}

/** Cards that somebody has rated elsewhere, such as in another tab. */
export function dropCards(session: Session, ids: readonly number[], now: number): Session {
  const queue = session.queue.filter(({ card }) => !ids.includes(card.card_id))
  return queue.length === session.queue.length ? session : withQueue(session, queue, now)
}

/** What was known when a page was asked for. */
export interface Asked {
  changes: number
  /** Cards with ratings or undos that the service had not confirmed. */
  unconfirmed: ReadonlySet<number>
}

/**
 * Takes in a page that was asked for a while ago. Of cards that were touched since or that the service did not know the
 * truth about, nothing is believed. The card that is shown stays.
 */
export function mergePage(session: Session, page: Page, asked: Asked, now: number): Session {
  const isOurs = (id: number) => asked.unconfirmed.has(id) || (session.touched.get(id) ?? 0) > asked.changes
  const offered = new Map(page.cards.map((card) => [card.card_id, card]))
  const beyond = beyondOf(page)
  const [current] = session.queue
  const kept = session.queue.flatMap((waiting) => {
    const { card_id } = waiting.card
    const fresh = offered.get(card_id)
    if (isOurs(card_id)) return [waiting]
    // Only a page that shows everything tells that a card is gone.
    if (fresh === undefined) return waiting === current || beyond > 0 ? [waiting] : []
    return [{ card: fresh, isAgain: waiting.isAgain || isAgainToday(fresh, page.today) }]
  })
  const here = new Set(kept.map(({ card }) => card.card_id))
  const added = page.cards.filter(({ card_id }) => !here.has(card_id) && !isOurs(card_id))
  const queue = [...kept, ...added.map((card) => waitingOf(card, page.today))]
  return withQueue({ ...session, beyond }, inOrder(queue, current), now)
}

/** Whether another page should be asked for, before the cards run out. */
export function needsPage({ queue, beyond }: Session): boolean {
  return beyond > 0 && queue.filter(({ isAgain }) => !isAgain).length < FEW
}

/** Whether a card is about to come back whose dates the service can tell by now. */
export function needsDates({ queue }: Session, unconfirmed: ReadonlySet<number>): boolean {
  return queue.slice(0, NEAR).some(({ card }) => card.next_review === null && !unconfirmed.has(card.card_id))
}

/** After a reload: the latest steps can still be taken back. */
export function withSteps(session: Session, steps: readonly Step[]): Session {
  return { ...session, steps: steps.map((step) => ({ ...step, at: 0 })) }
}

export interface Progress {
  /** Cards that are done with. */
  done: number
  /** Cards that are still to come, with those that come back. */
  left: number
  /** Those among them that come back because they were not known. */
  again: number
}

export function progressOf({ queue, steps, beyond }: Session): Progress {
  const waiting = new Set(queue.map(({ card }) => card.card_id))
  const done = new Set(steps.map((step) => step.waiting.card.card_id).filter((id) => !waiting.has(id)))
  return { done: done.size, left: queue.length + beyond, again: queue.filter(({ isAgain }) => isAgain).length }
}

export function isOver(session: Session): boolean {
  return session.queue.length === 0
}

function isTooSoon({ changedAt }: Session, now: number): boolean {
  return now - changedAt < GUARD_MS
}

function takeStep(session: Session, step: Step, queue: readonly Waiting[], now: number): Session {
  return {
    ...touch(session, step.waiting.card.card_id),
    queue,
    steps: [...session.steps, step],
    side: 'question',
    changedAt: now,
    shownAt: now,
  }
}

function touch(session: Session, card_id: number): Session {
  const changes = session.changes + 1
  return { ...session, changes, touched: new Map(session.touched).set(card_id, changes) }
}

/** Another card in front is a change like any other. */
function withQueue(session: Session, queue: readonly Waiting[], now: number): Session {
  const isSame = queue[0]?.card.card_id === session.queue[0]?.card.card_id
  return isSame ? { ...session, queue } : { ...session, queue, side: 'question', changedAt: now, shownAt: now }
}

/** Those that come back behind all others; the one that is shown stays where it is. */
function inOrder(queue: readonly Waiting[], current?: Waiting): Waiting[] {
  const shown = queue.filter(({ card }) => card.card_id === current?.card.card_id)
  const rest = queue.filter((waiting) => !shown.includes(waiting))
  return [...shown, ...rest.filter(({ isAgain }) => !isAgain), ...rest.filter(({ isAgain }) => isAgain)]
}

function applyRatings(queue: readonly Waiting[], ratings: RatedSince): Waiting[] {
  const known = new Map(queue.map((waiting) => [waiting.card.card_id, waiting]))
  for (const { card_id, rating } of ratings) {
    const waiting = known.get(card_id)
    known.delete(card_id)
    if (waiting !== undefined && rating === 'again') known.set(card_id, comingBack(waiting))
  }
  return [...known.values()]
}

function comingBack({ card }: Waiting): Waiting {
  return { card: { ...card, next_review: null }, isAgain: true }
}

function waitingOf(card: StudyCard, today: string): Waiting {
  return { card, isAgain: isAgainToday(card, today) }
}

function isAgainToday({ progress }: StudyCard, today: string): boolean {
  return progress?.last_rating === 'again' && progress.last_review === today
}

function beyondOf({ cards, counts }: Page): number {
  return Math.max(counts.due + counts.new - cards.length, 0)
}
