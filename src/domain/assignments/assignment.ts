import { checkText } from '../accounts/accounts.js'
import { InvalidField, InvalidInput } from '../refusal.js'
import { checkStorable } from '../text/parameters.js'
import { countCharacters } from '../text/text.js'
import { isDay } from '../time/calendar.js'
import { type Due, daysAfterJoining, OPENS_DAYS_BEFORE, type Recurrence, type Starts } from './schedule.js'

export const PART_KINDS = ['sheet', 'test', 'deck', 'personal'] as const
export type PartKind = (typeof PART_KINDS)[number]

export type PartInput =
  | { kind: 'sheet' | 'test'; slug: string }
  | { kind: 'deck'; slug: string; share_percent?: number | undefined }
  | { kind: 'personal'; title: string }

export interface Audience {
  everybody: boolean
  team_ids: number[]
  user_ids: number[]
}

export interface AssignmentInput {
  title: string
  description: string
  parts: PartInput[]
  audience: Audience
  starts: Starts
  due: Due
  recurrence: Recurrence | null
  mandatory: boolean
  /** Whether a part can be done only after all parts before it */
  ordered: boolean
  retention_years: number
  /** User id of the responsible person; null if there is none, for example because the account was deleted */
  responsible_id: number | null
}

const MAX_DESCRIPTION = 2_000
const MAX_DAYS = 3_660
/** Range of years allowed in dates. The range limits the number of periods that planning has to step through. */
const FIRST_YEAR = '2000'
const LAST_YEAR = '2099'
/**
 * Maximum of `opens_days_before` per month between two due days. A period thus opens no earlier than halfway between
 * the previous due day and its own due day.
 */
const MAX_OPENS_DAYS_PER_MONTH = 14

/**
 * Parses the fields of a request: trims titles and sets the default of `opens_days_before`. Absent fields stay absent.
 * @throws InvalidInput if a field exceeds its limits, has the wrong form or is not storable, a part has no slug or
 *   title, or the audience is empty
 * @example parseAssignment({ title: ' Brandschutz ' }) // { title: 'Brandschutz' }
 */
export function parseAssignment<T extends Partial<GivenAssignment>>(given: T): Partial<AssignmentInput> {
  const { title, description, parts, audience, starts, due, recurrence, retention_years } = given
  const { mandatory, ordered, responsible_id } = given
  const trimmed = title?.normalize('NFC').trim()
  if (trimmed !== undefined) checkText('title', trimmed)
  if (description !== undefined) checkLongText('description', description, MAX_DESCRIPTION)
  if (typeof starts === 'string') checkDay('starts', starts)
  else if (starts !== undefined) checkRange('starts/days_after_joining', daysAfterJoining(starts), 0, MAX_DAYS)
  if (typeof due === 'string') checkDay('due', due)
  else if (due !== undefined) checkRange('due/days_after_start', due.days_after_start, 0, MAX_DAYS)
  if (retention_years !== undefined) checkRange('retention_years', retention_years, 1, 30)
  // Copies only known keys, because a request may contain others, such as `__proto__`.
  return {
    ...(trimmed !== undefined && { title: trimmed }),
    ...(description !== undefined && { description }),
    ...(parts !== undefined && { parts: parts.map(parsePart) }),
    ...(audience !== undefined && { audience: parseAudience(audience) }),
    ...(starts !== undefined && { starts }),
    ...(due !== undefined && { due }),
    ...(recurrence !== undefined && { recurrence: recurrence === null ? null : parseRecurrence(recurrence) }),
    ...(mandatory !== undefined && { mandatory }),
    ...(ordered !== undefined && { ordered }),
    ...(retention_years !== undefined && { retention_years }),
    ...(responsible_id !== undefined && { responsible_id }),
  }
}

/** @throws InvalidInput if both dates are fixed and the assignment would be due before it starts */
export function checkDates({ starts, due }: Pick<AssignmentInput, 'starts' | 'due'>): void {
  if (typeof starts === 'string' && typeof due === 'string' && due < starts) {
    throw new InvalidField('due', 'muss nach dem Beginn liegen')
  }
}

export interface GivenAssignment extends Omit<AssignmentInput, 'parts' | 'audience' | 'recurrence'> {
  parts: { kind: PartKind; slug?: string; title?: string; share_percent?: number }[]
  audience: Partial<Audience>
  recurrence: (Omit<Recurrence, 'opens_days_before'> & { opens_days_before?: number }) | null
}

function parsePart({ kind, slug, title, share_percent }: GivenAssignment['parts'][number], index: number): PartInput {
  if (kind === 'personal') {
    const trimmed = title?.normalize('NFC').trim() ?? ''
    checkText(`parts/${index}/title`, trimmed)
    return { kind, title: trimmed }
  }
  if (slug === undefined || slug === '') throw new InvalidField(`parts/${index}/slug`, 'fehlt')
  if (kind !== 'deck') return { kind, slug }
  if (share_percent !== undefined) checkRange(`parts/${index}/share_percent`, share_percent, 1, 100)
  return { kind, slug, share_percent }
}

/** @throws InvalidField if the audience is empty */
export function parseAudience({ everybody = false, team_ids = [], user_ids = [] }: Partial<Audience>): Audience {
  if (!everybody && team_ids.length + user_ids.length === 0) {
    throw new InvalidField('audience', 'muss jemanden nennen')
  }
  return { everybody, team_ids: [...new Set(team_ids)], user_ids: [...new Set(user_ids)] }
}

const WRONG_MONTHS = 'Ein festes Ende im Jahr gibt es nur alle 1, 2, 3, 4, 6 oder 12 Monate oder mehrere Jahre'

function parseRecurrence({
  every_months,
  window_end,
  opens_days_before,
}: NonNullable<GivenAssignment['recurrence']>): Recurrence {
  checkRange('recurrence/every_months', every_months, 1, 120)
  // 2028 is a leap year, so that 29 February is valid.
  if (window_end !== undefined && (!/^\d\d-\d\d$/.test(window_end) || !isDay(`2028-${window_end}`))) {
    throw new InvalidField('recurrence/window_end', 'muss ein Tag wie 03-31 sein')
  }
  if (window_end !== undefined && every_months % 12 !== 0 && 12 % every_months !== 0) {
    throw new InvalidInput(WRONG_MONTHS, 'invalid_input', { field: 'recurrence/window_end' })
  }
  const longest = every_months * MAX_OPENS_DAYS_PER_MONTH
  if (opens_days_before !== undefined) checkRange('recurrence/opens_days_before', opens_days_before, 0, longest)
  return { every_months, window_end, opens_days_before: opens_days_before ?? Math.min(OPENS_DAYS_BEFORE, longest) }
}

/** @throws InvalidInput if the text is not a calendar day (`YYYY-MM-DD`) of the years 2000 to 2099 */
export function checkDay(field: string, day: string): void {
  if (!isDay(day) || day.slice(0, 4) < FIRST_YEAR || day.slice(0, 4) > LAST_YEAR) {
    throw new InvalidField(field, 'muss ein Tag sein, etwa 2026-12-31')
  }
}

function checkRange(field: string, value: number, least: number, most: number): void {
  if (value < least || value > most)
    throw new InvalidField(field, `muss von ${least} bis ${most} sein`, { details: { minimum: least, maximum: most } })
}

function checkLongText(field: string, text: string, longest: number): void {
  if (countCharacters(text) > longest)
    throw new InvalidField(field, `darf höchstens ${longest} Zeichen haben`, { details: { maximum: longest } })
  checkStorable(field, text)
}

/**
 * Returns a reason or note, trimmed.
 * @throws InvalidInput if it has more than 2,000 code points or is not storable
 * @example parseNote('note', ' gut\n') // 'gut'
 */
export function parseAssignmentNote(field: string, text: string): string {
  const trimmed = text.trim()
  checkLongText(field, trimmed, MAX_DESCRIPTION)
  return trimmed
}

/**
 * Returns the reason for a decision, trimmed.
 * @throws InvalidInput if it is empty, too long or not storable
 * @example parseReason(' krank ') // 'krank'
 */
export function parseReason(text: string): string {
  const reason = parseAssignmentNote('reason', text)
  if (reason === '') throw new InvalidField('reason', 'darf nicht leer sein')
  return reason
}
