import { addDays, addMonths, laterDay } from '../time/calendar.js'

/**
 * First day of an assignment: a fixed day (`YYYY-MM-DD`), or for each person the day of joining the audience, at the
 * earliest the day of creation, or a number of days after that
 */
export type Starts = string | { joining: true } | { days_after_joining: number }
/** Last day of the first period: a fixed day (`YYYY-MM-DD`), or a number of days after the start of the period */
export type Due = string | { days_after_start: number }

export interface Recurrence {
  every_months: number
  /** Day of the year on which a period ends, as `MM-DD`; undefined if each period follows the previous completion */
  window_end?: string | undefined
  /** Number of days between the opening of a period and its due day */
  opens_days_before: number
}

/** Dates of an assignment, in the service's time zone. */
export interface Schedule {
  starts: Starts
  due: Due
  recurrence: Recurrence | null
  created_on: string
}

/** Minimum number of days for an occurrence that is planned late, renewed or reopened, if `due` is a fixed day */
export const JOINER_DAYS = 30
/** Default of `opens_days_before`, capped at its maximum for the recurrence */
export const OPENS_DAYS_BEFORE = 30

/** First and last day of a period, without additional time for a person who joins late. */
export interface Window {
  opens_on: string
  due_on: string
}

export function joinerDays({ due }: Pick<Schedule, 'due'>): number {
  return typeof due === 'string' ? JOINER_DAYS : due.days_after_start
}

/** Returns the first period of a person. @param since first day of the person's stay in the audience */
export function firstWindow({ starts, due, created_on }: Schedule, since: string): Window {
  const opens_on = typeof starts === 'string' ? starts : addDays(laterDay(since, created_on), daysAfterJoining(starts))
  if (typeof due !== 'string') return { opens_on, due_on: addDays(opens_on, due.days_after_start) }
  // A person who joins late may start after the fixed day.
  return { opens_on, due_on: due < opens_on ? addDays(opens_on, JOINER_DAYS) : due }
}

/** Returns the days between joining the audience and the first period; 0 for a fixed day. */
export function daysAfterJoining(starts: Starts): number {
  return typeof starts !== 'string' && 'days_after_joining' in starts ? starts.days_after_joining : 0
}

/**
 * Returns the periods after the first one that open by `today`, followed by the next period. All of them open after the
 * due day of the first period.
 */
export function fixedWindows(
  { every_months, window_end, opens_days_before }: Recurrence & { window_end: string },
  first: Window,
  today: string,
): Window[] {
  const dayOfMonth = Number(window_end.slice(3))
  const anchor = `${Number(first.due_on.slice(0, 4)) - 1}-${window_end.slice(0, 2)}-01`
  const windowAfter = (months: number): Window => {
    const due_on = addMonths(anchor, months, dayOfMonth)
    return { opens_on: addDays(due_on, -opens_days_before), due_on }
  }
  // Periods of up to a year divide the year evenly, so each year has the same due days. If periods are longer than a
  // year, the next period ends in the first possible year.
  const step = Math.min(every_months, 12)
  let months = 0
  while (windowAfter(months).opens_on <= first.due_on) months += step
  const windows: Window[] = []
  for (; ; months += every_months) {
    const window = windowAfter(months)
    windows.push(window)
    if (window.opens_on > today) return windows
  }
}

/**
 * Returns a period that is due a multiple of `every_months` after a day.
 * @param base day to which the months are added
 */
export function nextWindow({ every_months, opens_days_before }: Recurrence, base: string, periods = 1): Window {
  const due_on = addMonths(base, periods * every_months)
  return { opens_on: addDays(due_on, -opens_days_before), due_on }
}

/**
 * Returns the last day on which a completion is valid: the due day of the next period that does not end before the
 * completion. Null without recurrence.
 * @param occurrence due day of the period and day of its completion
 */
export function validUntil(
  recurrence: Recurrence | null,
  { due_on, done_on }: { due_on: string; done_on: string },
): string | null {
  if (recurrence === null) return null
  const { every_months, window_end, opens_days_before } = recurrence
  if (window_end === undefined) return addMonths(done_on, every_months)
  const dayOfMonth = Number(window_end.slice(3))
  // The first period, or a period extended for a person who joined late, may end on a day other than `window_end`.
  const isFixed = due_on === addMonths(`${due_on.slice(0, 5)}${window_end.slice(0, 2)}-01`, 0, dayOfMonth)
  if (isFixed && every_months > 12) {
    let months = every_months
    while (addMonths(due_on, months, dayOfMonth) < done_on) months += every_months
    return addMonths(due_on, months, dayOfMonth)
  }
  const recurring = { every_months, window_end, opens_days_before }
  const windows = fixedWindows(recurring, { opens_on: due_on, due_on }, laterDay(due_on, done_on))
  return windows.find((window) => window.due_on >= done_on)?.due_on ?? null
}
