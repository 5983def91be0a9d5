import { dueOf, isOpen, type Occurrence } from '../assignments/plan.js'
import { addDays, noonOf } from '../time/calendar.js'

/** Kinds of reminders, in chronological order */
export const REMINDER_KINDS = ['assigned', 'in_14', 'in_3', 'today', 'late_7'] as const
/**
 * `assigned`: when the period opens; `in_14`, `in_3`: 14 and 3 days before the due day; `today`: on the due day;
 * `late_7`: 7 days after the due day. A reminder that falls on a weekend is due on the Monday after the weekend.
 */
export type ReminderKind = (typeof REMINDER_KINDS)[number]

export interface Remindable extends Pick<Occurrence, 'state' | 'period' | 'due_on' | 'extended_until'> {
  mandatory: boolean
  /** Day of the last reminder of any kind; null before the first */
  reminded_on: string | null
}

/** Hours of the day when mails are planned, in the service's time zone; `until` is exclusive */
export const MAIL_HOURS = { from: 7, until: 20 }

/** Returns whether a day is Monday to Friday. Ignores holidays, which differ between regions and companies. */
export function isWorkingDay(day: string): boolean {
  const weekday = noonOf(day).getUTCDay()
  return weekday !== 0 && weekday !== 6
}

/** Returns the day itself, or the Monday after a weekend. */
export function nextWorkingDay(day: string): string {
  return isWorkingDay(day) ? day : nextWorkingDay(addDays(day, 1))
}

/** Returns a function that tells whether mails are planned at a moment: on working days within `MAIL_HOURS`. */
export function createMailTime(timeZone: string): (moment: { at: Date; today: string }) => boolean {
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', hour: '2-digit' })
  return ({ at, today }) => {
    const hour = Number(format.format(at))
    return isWorkingDay(today) && hour >= MAIL_HOURS.from && hour < MAIL_HOURS.until
  }
}

/**
 * Returns the reminders of an open occurrence with their days, in order. Includes `in_14` and `in_3` only if they are
 * due after the day of `assigned`, and `late_7` only if the occurrence is mandatory.
 */
export function plannedReminders(occurrence: Omit<Remindable, 'reminded_on'>): { kind: ReminderKind; day: string }[] {
  const due = dueOf(occurrence)
  const assigned = nextWorkingDay(occurrence.period)
  const planned: { kind: ReminderKind; day: string }[] = [{ kind: 'assigned', day: assigned }]
  for (const [kind, days] of [
    ['in_14', -14],
    ['in_3', -3],
  ] as const) {
    const day = nextWorkingDay(addDays(due, days))
    if (day > assigned) planned.push({ kind, day })
  }
  planned.push({ kind: 'today', day: nextWorkingDay(due) })
  if (occurrence.mandatory) planned.push({ kind: 'late_7', day: nextWorkingDay(addDays(due, 7)) })
  return planned
}

/**
 * Returns the latest reminder planned up to `today`. Returns undefined if the occurrence is not open, or if a reminder
 * was already sent on or after the planned day. Skips earlier reminders that were missed, for example while the service
 * was down. After an extension, the new due day determines the further reminders.
 */
export function findDueReminder(occurrence: Remindable, today: string): ReminderKind | undefined {
  if (!isOpen(occurrence)) return undefined
  const latest = plannedReminders(occurrence).findLast(({ day }) => day <= today)
  if (latest === undefined) return undefined
  const { reminded_on } = occurrence
  return reminded_on === null || reminded_on < latest.day ? latest.kind : undefined
}
