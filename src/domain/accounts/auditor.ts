import { InvalidField } from '../refusal.js'
import { isDay } from '../time/calendar.js'

export interface AuditorRole {
  is_auditor: boolean
  /** Last day of the role as `YYYY-MM-DD`; null if it has no end */
  auditor_until: string | null
}

/**
 * Returns whether the user is an auditor on a day (`YYYY-MM-DD`).
 * @example isAuditor({ is_auditor: true, auditor_until: '2026-12-04' }, '2026-12-04') // true
 */
export function isAuditor({ is_auditor, auditor_until }: AuditorRole, today: string): boolean {
  return is_auditor && (auditor_until === null || today <= auditor_until)
}

/**
 * Parses a day as `YYYY-MM-DD`.
 * @throws InvalidInput if the text is not a calendar day of the years 1000 to 2999
 * @example parseAuditorUntil('2026-12-04') // '2026-12-04'
 */
export function parseAuditorUntil(day: string): string {
  if (!isDay(day)) throw new InvalidField('auditor_until', 'muss ein Tag sein, etwa 2026-12-31')
  return day
}

/** Groups of audit actions that auditors see; an action begins with its group and a dot */
export const AUDITED_GROUPS = ['assignment', 'occurrence', 'proof']
