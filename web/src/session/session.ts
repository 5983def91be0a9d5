import type { Decision } from '../storage/entry.js'
import type { Rating } from '../words/ratings.js'
import type { StudyCard } from './card.js'

/** Milliseconds for which input is ignored after a visible change, because it may be meant for the previous content */
export const GUARD_MS = 200
/** Maximum milliseconds counted for a card; a longer time means that the learner was away. */
const LONGEST_MS = 300_000
/** Number of remaining cards below which more are requested */
const FEW = 10
/** Number of cards at the front of the queue for which missing dates are requested */
const NEAR = 3

export type Side = 'question' | 'answer'

/** A card in the queue of a session. */
export interface Waiting {
  card: StudyCard
  /** Whether the card returns because it was rated „Nochmal“ today */
  isAgain: boolean
}

/** An action of the learner that can be undone */
export type Step = Rated | Suspended | PutOff

interface Taken {
  /** Number of the step among all changes of the session; 0 for a step restored after a reload */
  at: number
  waiting: Waiting
}

export interface Rated extends Taken {
  kind: 'rated'
  /** The `client_id` of the rating */
  id: string
  rating: Rating
  duration_ms: number
}

export interface Suspended extends Taken {
  kind: 'suspended'
}

/** A postponement of a card until tomorrow */
export interface PutOff extends Taken {
  kind: 'put off'
  /** The `client_id` of the postponement */
  id: string
}

/** A rating that was not undone, with the fields that the summary needs. */
export interface Done {
  card_id: number
  rating: Rating
  duration_ms: number
}

/**
 * An immutable session: every function returns the next one, or the same one if nothing changed. Times are milliseconds
 * of a monotonic clock.
 */
export interface Session {
  /** The first card is shown; returning cards come last, in the order of their ratings. */
  queue: readonly Waiting[]
  side: Side
  /** Time of the last visible change */
  changedAt: number
  /** Time at which the question was shown */
  shownAt: number
  steps: readonly Step[]
  /** Ratings of the same day before those of `steps`, from before a reload or from another page. */
  earlier: readonly Done[]
  /** Number of further cards of today that the service has but the session has not loaded */
  beyond: number
  /** Number of changes so far; `touched` is the number of the latest change of each card */
  changes: number
  touched: ReadonlyMap<number, number>
}

/** Replaces fields of a card in the queue. */
export function changeCard(session: Session, card_id: number, change: Partial<StudyCard>): Session {
  const queue = session.queue.map((waiting) =>
    waiting.card.card_id === card_id ? { ...waiting, card: { ...waiting.card, ...change } } : waiting,
  )
  return { ...session, queue }
}

/** Response of the service with a page of the queue */
export interface Page {
  cards: readonly StudyCard[]
  counts: { due: number; new: number }
  today: string
}

/** Ratings and postponements that the page does not take into account, oldest first */
export type RatedSince = readonly { card_id: number; rating: Decision }[]

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
    earlier: [],
    beyond: beyondOf(page),
    changes: 0,
    touched: new Map(),
  }
}

export function currentCard(session: Session): StudyCard | undefined {
  return session.queue[0]?.card
}

/** Returns the card after the current one. */
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
  const queue = rating === 'again' ? [...rest, asReturning(waiting)] : rest
  return takeStep(session, step, queue, now)
}

/** Removes the current card from the session; the caller suspends it in the service. */
export function suspend(session: Session, now: number): Session {
  const [waiting, ...rest] = session.queue
  if (waiting === undefined || isTooSoon(session, now)) return session
  return takeStep(session, { kind: 'suspended', at: session.changes + 1, waiting }, rest, now)
}

/** Removes the current card from the session; the caller postpones it until tomorrow in the outbox. */
export function putOff(session: Session, id: string, now: number): Session {
  const [waiting, ...rest] = session.queue
  if (waiting === undefined || isTooSoon(session, now)) return session
  return takeStep(session, { kind: 'put off', at: session.changes + 1, waiting, id }, rest, now)
}

export function lastStep(session: Session): Step | undefined {
  return session.steps.at(-1)
}

/** Restores the card of the last step, with its answer if it was rated. */
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

/** Removes the card again after the service has refused an undo, unless a step of the session is about the card. */
export function undoRefused(session: Session, card_id: number, now: number): Session {
  if (session.steps.some(({ waiting }) => waiting.card.card_id === card_id)) return session
  return dropCards(session, [card_id], now)
}

/** Removes cards, for example because they were rated in another page. */
export function dropCards(session: Session, ids: readonly number[], now: number): Session {
  const queue = session.queue.filter(({ card }) => !ids.includes(card.card_id))
  return queue.length === session.queue.length ? session : withQueue(session, queue, now)
}

/** State of the session when a page was requested */
export interface Asked {
  changes: number
  /** Cards with unconfirmed ratings or undos */
  unconfirmed: ReadonlySet<number>
}

/**
 * Merges a page requested earlier. Cards that were unconfirmed, or were changed after the request, keep their local
 * state. Other cards that a complete page lacks are removed, except for the shown card.
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
    // Only a page that contains all cards proves that a card is no longer in the queue.
    if (fresh === undefined) return waiting === current || beyond > 0 ? [waiting] : []
    return [{ card: fresh, isAgain: waiting.isAgain || isAgainToday(fresh, page.today) }]
  })
  const here = new Set(kept.map(({ card }) => card.card_id))
  const added = page.cards.filter(({ card_id }) => !here.has(card_id) && !isOurs(card_id))
  const queue = [...kept, ...added.map((card) => waitingOf(card, page.today))]
  return withQueue({ ...session, beyond }, inOrder(queue, current), now)
}

/** Returns whether to request another page before the cards run out. */
export function needsPage({ queue, beyond }: Session): boolean {
  return beyond > 0 && queue.filter(({ isAgain }) => !isAgain).length < FEW
}

/** Returns the ids of those next cards that lack dates. */
export function undatedCards({ queue }: Session): number[] {
  return queue
    .slice(0, NEAR)
    .filter(({ card }) => card.next_review === null)
    .map(({ card }) => card.card_id)
}

/** Returns whether one of the next cards lacks dates that the service can return, because its rating is confirmed */
export function needsDates(session: Session, unconfirmed: ReadonlySet<number>): boolean {
  return undatedCards(session).some((id) => !unconfirmed.has(id))
}

/**
 * Restores the steps after a reload, so that they can be undone. `done` are all ratings of the day, including those of
 * `steps`.
 */
export function withSteps(session: Session, steps: readonly Step[], done: readonly Done[] = []): Session {
  const rated = steps.filter(({ kind }) => kind === 'rated').length
  const earlier = done.slice(0, Math.max(done.length - rated, 0))
  return { ...session, steps: steps.map((step) => ({ ...step, at: 0 })), earlier }
}

/** Returns all ratings of the day that were not undone, oldest first. */
export function doneOf({ earlier, steps }: Pick<Session, 'earlier' | 'steps'>): Done[] {
  const rated = steps.flatMap((step) =>
    step.kind === 'rated'
      ? [{ card_id: step.waiting.card.card_id, rating: step.rating, duration_ms: step.duration_ms }]
      : [],
  )
  return [...earlier, ...rated]
}

export interface Progress {
  /** Number of finished cards */
  done: number
  /** Number of remaining cards, including returning ones */
  left: number
  /** Number of returning cards */
  again: number
}

export function progressOf({ queue, steps, earlier, beyond }: Session): Progress {
  const waiting = new Set(queue.map(({ card }) => card.card_id))
  const touched = [...earlier.map(({ card_id }) => card_id), ...steps.map((step) => step.waiting.card.card_id)]
  const done = new Set(touched.filter((id) => !waiting.has(id)))
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

/** Replaces the queue. Showing another card counts as a visible change. */
function withQueue(session: Session, queue: readonly Waiting[], now: number): Session {
  const isSame = queue[0]?.card.card_id === session.queue[0]?.card.card_id
  return isSame ? { ...session, queue } : { ...session, queue, side: 'question', changedAt: now, shownAt: now }
}

/** Sorts returning cards last; the shown card stays first. */
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
    if (waiting !== undefined && rating === 'again') known.set(card_id, asReturning(waiting))
  }
  return [...known.values()]
}

function asReturning({ card }: Waiting): Waiting {
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
