import { addDays, laterDay } from '../time/calendar.js'
import {
  firstWindow,
  fixedWindows,
  joinerDays,
  nextWindow,
  type Recurrence,
  type Schedule,
  type Window,
} from './schedule.js'

export const OCCURRENCE_STATES = ['open', 'in_progress', 'done', 'exempt', 'recognised', 'left'] as const
export type OccurrenceState = (typeof OCCURRENCE_STATES)[number]
/** States in which the person still has to do something */
export const OPEN_STATES: readonly OccurrenceState[] = ['open', 'in_progress']

/** A stored occurrence, as far as planning needs it. */
export interface Occurrence {
  id: number
  /** First day of the period, which names it */
  period: string
  due_on: string
  extended_until: string | null
  state: OccurrenceState
  /** Day of the completion, exemption or recognition; null before */
  done_on: string | null
  /** Until this day an exemption or external proof holds; null without a limit of its own */
  covered_until: string | null
  content_version: number
}

/** What planning knows of an assignment. */
export interface PlannedAssignment extends Schedule {
  /** Counts renewals („neu unterweisen“) from 1 */
  version: number
  /** Day of the last renewal */
  renewed_on: string | null
  /** Last day on which all persons were planned; null before the first */
  planned_on: string | null
}

export interface NewOccurrence {
  /** Also the day on which it opens */
  period: string
  due_on: string
}

export interface Plan {
  insert: NewOccurrence[]
  /** Ids of open occurrences of a person who has left the audience */
  close: number[]
  /** Occurrences that a person finds again after an absence */
  reopen: { id: number; extended_until: string }[]
}

/** Whether the person still has to do something. */
export function isOpen({ state }: Pick<Occurrence, 'state'>): boolean {
  return OPEN_STATES.includes(state)
}

/** Returns the last day on which an occurrence is in time. */
export function dueOf({ due_on, extended_until }: Pick<Occurrence, 'due_on' | 'extended_until'>): string {
  return extended_until ?? due_on
}

/** Whether the last day is over. It ends at midnight in the service's time zone. */
export function isOverdue(occurrence: Pick<Occurrence, 'state' | 'due_on' | 'extended_until'>, today: string): boolean {
  return isOpen(occurrence) && dueOf(occurrence) < today
}

/**
 * Returns the rows that a person needs.
 * @param since first day of the person's current stay in the audience; undefined outside
 * @param history occurrences of the person, by period
 */
export type Planner = (since: string | undefined, history: readonly Occurrence[]) => Plan

/**
 * Returns the planner of an assignment for a day. Planning again, on the same or on a later day, adds only what has
 * become due since. docs/assignments.md has the rules.
 */
export function createPlanner(assignment: PlannedAssignment, today: string): Planner {
  const { recurrence } = assignment
  // Most persons share the first period.
  const calendars = new Map<string, Window[]>()
  const calendarOf = isFixed(recurrence)
    ? (first: Window) => {
        const known = calendars.get(first.due_on) ?? fixedWindows(recurrence, first, today)
        calendars.set(first.due_on, known)
        return [first, ...known]
      }
    : undefined
  return (since, history) => {
    if (since === undefined) return { insert: [], close: history.filter(isOpen).map(({ id }) => id), reopen: [] }
    const windows =
      calendarOf === undefined
        ? successorOf(assignment, since, history, today)
        : fixedOf(assignment, calendarOf, since, history, today)
    return planFor(assignment, windows, since, history, today)
  }
}

function planFor(
  assignment: PlannedAssignment,
  windows: Windows,
  since: string,
  history: readonly Occurrence[],
  today: string,
): Plan {
  const last = history.at(-1)
  const renewal = last && renewalOf(assignment, last, since)
  const insert = [...(renewal ? [renewal] : []), ...windows.missing].filter(({ period }) => period <= today)
  const reopen = history
    .filter(({ state, period }) => state === 'left' && period >= windows.currentPeriod)
    .map((left) => ({ id: left.id, extended_until: laterDay(dueOf(left), addDays(today, joinerDays(assignment))) }))
  return { insert, close: [], reopen }
}

interface Windows {
  missing: NewOccurrence[]
  /** Earlier periods that a person has left stay left. */
  currentPeriod: string
}

/** Of an assignment without recurrence, or whose periods follow the completion */
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

function fixedOf(
  assignment: PlannedAssignment,
  calendarOf: (first: Window) => Window[],
  since: string,
  history: readonly Occurrence[],
  today: string,
): Windows {
  // A person keeps the calendar of the first stay, so that a return does not start another first period.
  const start = typeof assignment.starts === 'string' ? since : (history[0]?.period ?? since)
  const windows = calendarOf(firstWindow(assignment, start))
  // Periods before this day were planned for those who were in the audience.
  const from = laterDay(since, assignment.planned_on ?? assignment.created_on)
  const currentIndex = Math.max(
    0,
    windows.findLastIndex(({ opens_on }) => opens_on <= from),
  )
  const last = history.at(-1)
  const covered = last?.covered_until ?? ''
  const isKnown = ({ opens_on, due_on }: Window) =>
    (last !== undefined && opens_on <= last.period) || due_on <= covered || history.some((one) => one.due_on === due_on)
  const missing = windows.slice(currentIndex).flatMap((window, index) => {
    if (window.opens_on > today || isKnown(window)) return []
    const planned = withGrace(assignment, window, since, today)
    // Otherwise a person who joins shortly before the next period would have two open at once.
    const next = windows[currentIndex + index + 1]
    return planned.due_on > window.due_on && next !== undefined && planned.due_on >= next.opens_on ? [] : [planned]
  })
  return { missing, currentPeriod: windows[currentIndex]?.opens_on ?? '' }
}

function afterCompletion(recurrence: Recurrence | null, last: Occurrence): Window | undefined {
  if (recurrence === null || isOpen(last) || last.state === 'left') return undefined
  // An exempt period counts as done on its due day.
  const base = last.state === 'exempt' ? last.due_on : last.done_on
  const next =
    last.covered_until === null
      ? nextWindow(recurrence, base ?? last.due_on)
      : { opens_on: addDays(last.covered_until, -recurrence.opens_days_before), due_on: last.covered_until }
  const opens_on = laterDay(next.opens_on, addDays(laterDay(last.period, last.done_on ?? last.period), 1))
  return { opens_on, due_on: laterDay(next.due_on, opens_on) }
}

/** Returns the additional period of a person who has finished with the content before the renewal. */
function renewalOf(assignment: PlannedAssignment, last: Occurrence, since: string): NewOccurrence | undefined {
  const { renewed_on, version } = assignment
  const isFinished = last.state === 'done' || last.state === 'recognised'
  if (renewed_on === null || !isFinished || last.content_version >= version) return undefined
  const period = laterDay(renewed_on, addDays(last.period, 1))
  return { period, due_on: addDays(laterDay(period, since), joinerDays(assignment)) }
}

function withGrace(
  assignment: PlannedAssignment,
  { opens_on, due_on }: Window,
  since: string,
  today: string,
): NewOccurrence {
  const { starts, due, created_on, planned_on } = assignment
  // Who was there when the assignment was created has the days that it names.
  const hasJoined = since > created_on && (since > opens_on || (typeof starts !== 'string' && typeof due === 'string'))
  // An account that was disabled and enabled again has no stay of its own.
  const wasAbsent = planned_on !== null && opens_on <= planned_on
  if (!hasJoined && !wasAbsent) return { period: opens_on, due_on }
  return { period: opens_on, due_on: laterDay(due_on, addDays(hasJoined ? since : today, joinerDays(assignment))) }
}
