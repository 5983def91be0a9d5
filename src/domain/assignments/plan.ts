import { addDays, laterDay } from '../time/calendar.js'
import {
  daysAfterJoining,
  firstWindow,
  fixedWindows,
  joinerDays,
  nextWindow,
  type Recurrence,
  type Schedule,
  type Window,
} from './schedule.js'

export const OCCURRENCE_STATES = ['open', 'in_progress', 'done', 'exempt', 'recognised', 'missed', 'left'] as const
export type OccurrenceState = (typeof OCCURRENCE_STATES)[number]
/** States of an occurrence that the person still has to complete */
export const OPEN_STATES: readonly OccurrenceState[] = ['open', 'in_progress']

/** One period of an assignment for one person. Days are `YYYY-MM-DD`. */
export interface Occurrence {
  id: number
  /** First day of the period; identifies the period within the assignment */
  period: string
  due_on: string
  extended_until: string | null
  state: OccurrenceState
  /** Day of the completion, of the exemption or of the accepted external certificate; null before that */
  done_on: string | null
  /** Last day on which an exemption or external certificate is valid; null without such a day */
  covered_until: string | null
  content_version: number
  /** Whether the occurrence is open again after it was missed; it stands beside the one of the current period */
  reopened: boolean
}

export interface PlannedAssignment extends Schedule {
  /** Version of the content: 1, plus 1 for each renewal („neu unterweisen“) */
  version: number
  renewed_on: string | null
  /** Day of the last planning for all persons; null before the first planning */
  planned_on: string | null
}

export interface NewOccurrence {
  /** First day of the period */
  period: string
  due_on: string
  /** Day on which the occurrence opens: the first day of the period, or later if an earlier occurrence was extended */
  opens_on: string
  /** Day on which the next period opened; null for the last new occurrence, which is open */
  missed_on: string | null
}

export interface Plan {
  insert: NewOccurrence[]
  /** Open occurrences whose time is over, with the day after their last one */
  miss: { id: number; on: string }[]
  /** Ids of open occurrences to close for a person who has left the audience */
  close: number[]
  /** Occurrences to reopen for a person who returns to the audience */
  reopen: { id: number; extended_until: string }[]
}

export function isOpen({ state }: Pick<Occurrence, 'state'>): boolean {
  return OPEN_STATES.includes(state)
}

/** Returns the last day on which an occurrence is on time, as `YYYY-MM-DD`. */
export function dueOf({ due_on, extended_until }: Pick<Occurrence, 'due_on' | 'extended_until'>): string {
  return extended_until ?? due_on
}

/**
 * Returns whether an occurrence is open, and its last day has passed or the person has missed an earlier period.
 * @param today in the service's time zone
 */
export function isOverdue(
  occurrence: Pick<Occurrence, 'state' | 'due_on' | 'extended_until'> & { missed: number },
  today: string,
): boolean {
  return isOpen(occurrence) && (dueOf(occurrence) < today || occurrence.missed > 0)
}

/**
 * Plans the occurrences of a person.
 * @param since first day of the person's current stay in the audience; undefined if the person is not in the audience
 * @param history occurrences of the person, in the order of their periods
 */
export type Planner = (since: string | undefined, history: readonly Occurrence[]) => Plan

/** Returns the planner of an assignment for a day. Planning is idempotent. docs/assignments.md describes the rules. */
export function createPlanner(assignment: PlannedAssignment, today: string): Planner {
  const { recurrence } = assignment
  // Periods after the first, by due day of the first period. Cached, because most persons have the same first period.
  const calendars = new Map<string, Window[]>()
  const calendarOf = isFixed(recurrence)
    ? (first: Window) => {
        const known = calendars.get(first.due_on) ?? fixedWindows(recurrence, first, today)
        calendars.set(first.due_on, known)
        return [first, ...known]
      }
    : undefined
  return (since, history) => {
    if (since === undefined) return { ...NOTHING, close: history.filter(isOpen).map(({ id }) => id) }
    const windows =
      calendarOf === undefined
        ? successorOf(assignment, since, history, today)
        : fixedOf(assignment, calendarOf, since, history, today)
    return planFor(assignment, windows, since, history, today)
  }
}

const NOTHING: Plan = { insert: [], miss: [], close: [], reopen: [] }

function planFor(
  assignment: PlannedAssignment,
  windows: Windows,
  since: string,
  history: readonly Occurrence[],
  today: string,
): Plan {
  const last = history.at(-1)
  const current = history.findLast((one) => isOpen(one) && !one.reopened)
  const opened = windows.missing.filter(({ opens_on }) => opens_on <= today)
  const renewal = last && renewalOf(assignment, last, since)
  // A new period has the new content, so that it needs no renewal.
  const pending = opened.length === 0 && renewal !== undefined && renewal.period <= today ? [renewal] : opened
  const opening = current !== undefined && dueOf(current) >= today ? [] : pending
  const left = history.findLast(({ state, period }) => state === 'left' && period >= windows.currentPeriod)
  return {
    insert: opening.map((one, index) => ({ ...one, missed_on: opening[index + 1]?.period ?? null })),
    miss: missed(history, opening[0], today),
    close: [],
    reopen:
      left === undefined || opening.length > 0 || current !== undefined
        ? []
        : [{ id: left.id, extended_until: laterDay(dueOf(left), addDays(today, joinerDays(assignment))) }],
  }
}

/** Returns the open occurrences whose time is over, because the next period opens, or the reopened one is overdue. */
function missed(
  history: readonly Occurrence[],
  next: Pick<NewOccurrence, 'period'> | undefined,
  today: string,
): Plan['miss'] {
  return history.flatMap((one, index) => {
    if (!isOpen(one)) return []
    const over = addDays(dueOf(one), 1)
    if (one.reopened) return over > today ? [] : [{ id: one.id, on: over }]
    const following = history[index + 1] ?? next
    if (following === undefined) return []
    const on = laterDay(following.period, over)
    return [{ id: one.id, on: on > today ? today : on }]
  })
}

type NewWindow = Omit<NewOccurrence, 'missed_on'>

interface Windows {
  missing: NewWindow[]
  /** First day of the current period; occurrences of earlier periods are not reopened */
  currentPeriod: string
}

/** Returns the period to plan for a person if the assignment does not recur or each period follows a completion. */
function successorOf(
  assignment: PlannedAssignment,
  since: string,
  history: readonly Occurrence[],
  today: string,
): Windows {
  const last = history.at(-1)
  const window = last === undefined ? firstWindow(assignment, since) : afterCompletion(assignment.recurrence, last)
  const missing = window === undefined ? [] : [withGrace(assignment, window, since, today)]
  return { missing, currentPeriod: last?.period ?? '' }
}

function isFixed(recurrence: Recurrence | null): recurrence is Recurrence & { window_end: string } {
  return recurrence?.window_end !== undefined
}

/** Returns the periods to plan for a person if the periods of the assignment end on fixed days of the year. */
function fixedOf(
  assignment: PlannedAssignment,
  calendarOf: (first: Window) => Window[],
  since: string,
  history: readonly Occurrence[],
  today: string,
): Windows {
  // If the assignment starts when a person joins the audience, the first stay in the audience determines the periods. A
  // person who returns does not get a new first period.
  const first = history[0]?.period
  const start =
    typeof assignment.starts === 'string' || first === undefined
      ? since
      : addDays(first, -daysAfterJoining(assignment.starts))
  const windows = calendarOf(firstWindow(assignment, start))
  // Periods before `from` have already been planned for the persons who were in the audience at that time.
  const from = laterDay(since, assignment.planned_on ?? assignment.created_on)
  const currentIndex = Math.max(
    0,
    windows.findLastIndex(({ opens_on }) => opens_on <= from),
  )
  const last = history.at(-1)
  const covered = last?.covered_until ?? ''
  const isKnown = ({ opens_on, due_on }: Window) =>
    (last !== undefined && opens_on <= last.period) ||
    due_on <= covered ||
    history.some((one) => one.due_on === due_on || takesAll(one, due_on))
  const missing = windows.slice(currentIndex).flatMap((window, index) => {
    if (window.opens_on > today || isKnown(window)) return []
    const waiting = afterExtension(assignment, window, since, history)
    if (waiting !== undefined) return [waiting]
    const planned = withGrace(assignment, window, since, today)
    // Skips a window if its postponed due day reaches into the next window, to avoid two open occurrences at once.
    const next = windows[currentIndex + index + 1]
    return planned.due_on > window.due_on && next !== undefined && planned.due_on >= next.opens_on ? [] : [planned]
  })
  return { missing, currentPeriod: windows[currentIndex]?.opens_on ?? '' }
}

function isUnfinished(one: Occurrence): boolean {
  return isOpen(one) || one.state === 'missed'
}

/**
 * Returns the occurrence of a period that waited for an extended one, without additional time; undefined if the period
 * did not wait, or the person was absent since then.
 */
function afterExtension(
  { planned_on }: PlannedAssignment,
  { opens_on, due_on }: Window,
  since: string,
  history: readonly Occurrence[],
): NewWindow | undefined {
  const until = history.reduce((day, one) => laterDay(day, takenUntil(one)), '')
  if (until < opens_on || since > until || (planned_on ?? '') > until) return undefined
  const isOver = history.some((one) => isUnfinished(one) && takenUntil(one) === until)
  return { period: opens_on, due_on, opens_on: isOver ? addDays(until, 1) : opens_on }
}

/** Returns the last day that an occurrence takes from later periods: the last one to finish it, or of its completion. */
function takenUntil(one: Occurrence): string {
  if (one.reopened || one.state === 'left') return ''
  return isUnfinished(one) ? dueOf(one) : (one.done_on ?? '')
}

/** Returns whether an occurrence was extended beyond a whole later period, which is then left out. */
function takesAll(one: Occurrence, due_on: string): boolean {
  return isUnfinished(one) ? takenUntil(one) >= due_on : takenUntil(one) > due_on
}

function afterCompletion(recurrence: Recurrence | null, last: Occurrence): Window | undefined {
  if (recurrence === null || isOpen(last) || last.state === 'left') return undefined
  const next =
    last.covered_until === null
      ? windowAfter(recurrence, last)
      : { opens_on: addDays(last.covered_until, -recurrence.opens_days_before), due_on: last.covered_until }
  const opens_on = laterDay(next.opens_on, addDays(laterDay(last.period, last.done_on ?? last.period), 1))
  return { opens_on, due_on: laterDay(next.due_on, opens_on) }
}

function windowAfter(recurrence: Recurrence, { state, due_on, done_on }: Occurrence): Window {
  if (state !== 'exempt' || done_on === null) return nextWindow(recurrence, done_on ?? due_on)
  // An exemption is not a completion, so the next period follows the due day. It also covers the periods that opened
  // before it, in which the overdue occurrence was still open.
  let periods = 1
  while (nextWindow(recurrence, due_on, periods).opens_on <= done_on) periods++
  return nextWindow(recurrence, due_on, periods)
}

/** Returns the additional occurrence of a person who completed the content before its renewal; undefined for others. */
function renewalOf(assignment: PlannedAssignment, last: Occurrence, since: string): NewWindow | undefined {
  const { renewed_on, version } = assignment
  const isFinished = last.state === 'done' || last.state === 'recognised'
  if (renewed_on === null || !isFinished || last.content_version >= version) return undefined
  const period = laterDay(renewed_on, addDays(last.period, 1))
  return { period, due_on: addDays(laterDay(period, since), joinerDays(assignment)), opens_on: period }
}

/** Returns the occurrence of a window, with a later due day for a person who joined late or was absent. */
function withGrace(
  assignment: PlannedAssignment,
  { opens_on, due_on }: Window,
  since: string,
  today: string,
): NewWindow {
  const { starts, due, created_on, planned_on } = assignment
  // A person who was in the audience when the assignment was created has not joined late.
  const hasJoined = since > created_on && (since > opens_on || (typeof starts !== 'string' && typeof due === 'string'))
  // Enabling a disabled account does not change `since`. The person was absent if the period had opened by the last
  // planning but was not planned for the person.
  const wasAbsent = planned_on !== null && opens_on <= planned_on
  if (!hasJoined && !wasAbsent) return { period: opens_on, due_on, opens_on }
  const from = hasJoined ? laterDay(since, daysAfterJoining(starts) > 0 ? opens_on : since) : today
  const extended = laterDay(due_on, addDays(from, joinerDays(assignment)))
  return { period: opens_on, due_on: extended, opens_on }
}
