import type { Queue } from '../api/types.js'
import { GUARD_MS } from '../platform/guard.js'
import type { Decision } from '../storage/entry.js'
import type { Rating } from '../words/ratings.js'
import type { StudyCard } from './card.js'

/** Maximum milliseconds counted for a rating; a longer time means that the learner was away. */
const LONGEST_MS = 300_000
/** Number of loaded cards below which more are requested; cards that return after „Nochmal“ are not counted */
const FEW = 10
/** Number of cards at the front of the queue for which missing review dates are requested */
const NEAR = 3

export type Side = 'question' | 'answer'

export interface Waiting {
  card: StudyCard
  /** Whether the card returns because it was rated „Nochmal“ today */
  isAgain: boolean
}

export type Step = Rated | Suspended | PutOff

interface StepBase {
  /** Number of the step among all changes of the session; 0 for a step restored after a reload */
  at: number
  waiting: Waiting
}

export interface Rated extends StepBase {
  kind: 'rated'
  /** The `client_id` of the rating */
  id: string
  rating: Rating
  duration_ms: number
}

export interface Suspended extends StepBase {
  kind: 'suspended'
}

export interface PutOff extends StepBase {
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
 * An immutable study session. The functions below return a changed copy, or the same session if they ignore the input.
 * Times are milliseconds of a monotonic clock.
 */
export interface Session {
  /** Cards to study; the first card is shown. */
  queue: readonly Waiting[]
  side: Side
  changedAt: number
  /** Time from which the duration of the rating is measured */
  shownAt: number
  steps: readonly Step[]
  /** Today's ratings that precede those of `steps`, given before a reload or in another page */
  earlier: readonly Done[]
  /** Number of further cards of today that the service has but the session has not loaded */
  beyond: number
  /** Number of changes so far; `touched` maps a card id to the number of its latest change */
  changes: number
  touched: ReadonlyMap<number, number>
}

/** Changes the note of a card, also where an undo would bring it back. */
export function changeNote(session: Session, card_id: number, note: string | null): Session {
  const changed = (waiting: Waiting) =>
    waiting.card.card_id === card_id ? { ...waiting, card: { ...waiting.card, note } } : waiting
  const steps = session.steps.map((step) => ({ ...step, waiting: changed(step.waiting) }))
  return { ...session, queue: session.queue.map(changed), steps }
}

export interface Page extends Pick<Queue, 'counts' | 'today'> {
  cards: readonly StudyCard[]
}

/** Ratings and postponements that a loaded page of cards may not reflect yet, oldest first */
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

/** Removes the current card from the session. The caller stores its postponement until tomorrow in the outbox. */
export function putOff(session: Session, id: string, now: number): Session {
  const [waiting, ...rest] = session.queue
  if (waiting === undefined || isTooSoon(session, now)) return session
  return takeStep(session, { kind: 'put off', at: session.changes + 1, waiting, id }, rest, now)
}

export function lastStep(session: Session): Step | undefined {
  return session.steps.at(-1)
}

/** Restores the card of the last step; if the step was a rating, shows the answer of the card. */
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

/** Removes the card again after the service has refused an undo, unless the session has another step for this card. */
export function undoRefused(session: Session, card_id: number, now: number): Session {
  if (session.steps.some(({ waiting }) => waiting.card.card_id === card_id)) return session
  return dropCards(session, [card_id], now)
}

export function dropCards(session: Session, ids: readonly number[], now: number): Session {
  const queue = session.queue.filter(({ card }) => !ids.includes(card.card_id))
  return queue.length === session.queue.length ? session : withQueue(session, queue, now)
}

export interface RequestState {
  changes: number
  /** Ids of the cards with unconfirmed ratings, postponements or undos */
  unconfirmed: ReadonlySet<number>
}

/**
 * Merges a page of cards that was requested earlier. Cards that had unconfirmed ratings or undos, or were changed after
 * the request, keep their local state. Removes other cards that are missing from a complete page, except for the shown
 * card.
 */
export function mergePage(session: Session, page: Page, atRequest: RequestState, now: number): Session {
  const isOurs = (id: number) => atRequest.unconfirmed.has(id) || (session.touched.get(id) ?? 0) > atRequest.changes
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

export function needsPage({ queue, beyond }: Session): boolean {
  return beyond > 0 && queue.filter(({ isAgain }) => !isAgain).length < FEW
}

/** Returns the ids of the cards without review dates among the next `NEAR` cards. */
export function undatedCards({ queue }: Session): number[] {
  return queue
    .slice(0, NEAR)
    .filter(({ card }) => card.next_review === null)
    .map(({ card }) => card.card_id)
}

/**
 * Returns whether the service can provide missing review dates for one of the next cards. The service cannot do so
 * while a rating or undo of the card is unconfirmed.
 */
export function needsDates(session: Session, unconfirmed: ReadonlySet<number>): boolean {
  return undatedCards(session).some((id) => !unconfirmed.has(id))
}

/**
 * Restores the steps after a reload, so that the learner can undo them. `done` are the ratings of the day that this
 * browser has stored, including those of `steps`.
 */
export function withSteps(session: Session, steps: readonly Step[], done: readonly Done[] = []): Session {
  const rated = steps.filter(({ kind }) => kind === 'rated').length
  const earlier = done.slice(0, Math.max(done.length - rated, 0))
  return { ...session, steps: steps.map((step) => ({ ...step, at: 0 })), earlier }
}

/** Returns today's ratings that the session contains, without undone ones, oldest first. */
export function doneOf({ earlier, steps }: Pick<Session, 'earlier' | 'steps'>): Done[] {
  const rated = steps.flatMap((step) =>
    step.kind === 'rated'
      ? [{ card_id: step.waiting.card.card_id, rating: step.rating, duration_ms: step.duration_ms }]
      : [],
  )
  return [...earlier, ...rated]
}

export interface Progress {
  done: number
  /** Number of remaining cards, including cards that return after „Nochmal“ and cards not loaded yet */
  remaining: number
  again: number
}

export function progressOf({ queue, steps, earlier, beyond }: Session): Progress {
  const waiting = new Set(queue.map(({ card }) => card.card_id))
  const touched = [...earlier.map(({ card_id }) => card_id), ...steps.map((step) => step.waiting.card.card_id)]
  const done = new Set(touched.filter((id) => !waiting.has(id)))
  return { done: done.size, remaining: queue.length + beyond, again: queue.filter(({ isAgain }) => isAgain).length }
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

/** Replaces the queue. If the shown card changes, shows the question of the new card and restarts the times. */
function withQueue(session: Session, queue: readonly Waiting[], now: number): Session {
  const isSame = queue[0]?.card.card_id === session.queue[0]?.card.card_id
  return isSame ? { ...session, queue } : { ...session, queue, side: 'question', changedAt: now, shownAt: now }
}

/** Sorts cards that return after „Nochmal“ last; the shown card stays first. */
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
