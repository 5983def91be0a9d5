import { laterDay } from '../time/calendar.js'

/** Days on which a person belongs to an audience for one reason, such as membership in a team. */
export interface Span {
  from_on: string
  /** First day after the span; null if the span has not ended */
  until_on: string | null
}

/**
 * Returns the first day of the current uninterrupted stay in an audience; undefined if the person does not belong to
 * the audience today. A change from one team of the audience to another on the same day does not interrupt the stay.
 */
export function currentMembershipStart(spans: readonly Span[], today: string): string | undefined {
  let stay: { from: string; until: string | null } | undefined
  for (const { from_on, until_on } of spans.toSorted((a, b) => (a.from_on < b.from_on ? -1 : 1))) {
    if (from_on > today || (until_on !== null && until_on <= from_on)) continue
    if (stay === undefined || (stay.until !== null && from_on > stay.until)) {
      stay = { from: from_on, until: until_on }
    } else if (stay.until !== null) {
      stay.until = until_on === null ? null : laterDay(stay.until, until_on)
    }
  }
  return stay !== undefined && (stay.until === null || stay.until > today) ? stay.from : undefined
}

/**
 * Returns whether a membership ended today that began earlier. Also true if another one begins today, as in a change of
 * teams, which takes two steps.
 */
export function hasLeftToday(spans: readonly Span[], today: string): boolean {
  return spans.some(({ from_on, until_on }) => until_on === today && from_on < today)
}
