import { addDays, addMonths, laterDay } from '../time/calendar.js'

/** First day of an assignment: a day, or for each person the day of joining the audience */
export type Starts = string | { joining: true }
/** Last day of the first period */
export type Due = string | { days_after_start: number }

export interface Recurrence {
  every_months: number
  /** `MM-DD`: periods end on this day. Without it, they follow the completion. */
  window_end?: string | undefined
  opens_days_before: number
}

/** When the periods of an assignment are. All days are days of the service's time zone. */
export interface Schedule {
  starts: Starts
  due: Due
  recurrence: Recurrence | null
  created_on: string
}

/** Days that a person who joins in mid-period has at least, unless the assignment names the days after its start */
export const JOINER_DAYS = 30
/** Days before the due day from which the next period is open, if the assignment does not say */
export const OPENS_DAYS_BEFORE = 30

/** A period before it is planned for a person. */
export interface Window {
  opens_on: string
  due_on: string
}

/** Returns the days that a person has who joins in mid-period. */
export function joinerDays({ due }: Pick<Schedule, 'due'>): number {
  return typeof due === 'string' ? JOINER_DAYS : due.days_after_start
}

/** Returns the first period of a person. @param since first day of the person's stay in the audience */
export function firstWindow({ starts, due, created_on }: Schedule, since: string): Window {
  const opens_on = typeof starts === 'string' ? starts : laterDay(since, created_on)
  return { opens_on, due_on: typeof due === 'string' ? due : addDays(opens_on, due.days_after_start) }
}

/**
 * Returns the fixed periods after the first one that are open by the day, and the next one. They never overlap the first:
 * the earliest opens after the due day of the first.
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
  // Every year has the day; shorter periods divide the year, and longer ones begin with the first possible year.
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

/** Returns the period that follows a completion. @param base day from which the months count */
export function nextWindow({ every_months, opens_days_before }: Recurrence, base: string): Window {
  const due_on = addMonths(base, every_months)
  return { opens_on: addDays(due_on, -opens_days_before), due_on }
}

/**
 * Returns the last day for which a completion covers the duty: the due day of the next period. Null without recurrence.
 * @param occurrence due_on: of the period, done_on: day of the completion
 */
export function validUntil(
  recurrence: Recurrence | null,
  { due_on, done_on }: { due_on: string; done_on: string },
): string | null {
  if (recurrence === null) return null
  const { every_months, window_end, opens_days_before } = recurrence
  if (window_end === undefined) return addMonths(done_on, every_months)
  const dayOfMonth = Number(window_end.slice(3))
  // The first period may end on any day; the others that last several years end on the same day of the year.
  const isFixed = due_on === addMonths(`${due_on.slice(0, 5)}${window_end.slice(0, 2)}-01`, 0, dayOfMonth)
  if (isFixed && every_months > 12) return addMonths(due_on, every_months, dayOfMonth)
  const [next] = fixedWindows({ every_months, window_end, opens_days_before }, { opens_on: due_on, due_on }, due_on)
  return next?.due_on ?? null
}
