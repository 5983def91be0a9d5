import type { Kysely } from 'kysely'
import { type Actor, recordView } from '../../../db/queries/accounts/audit.js'
import { findParts, type Oversight, type StoredPart } from '../../../db/queries/assignments/assignments.js'
import {
  countOccurrences,
  type Days,
  findSelected,
  findSortKey,
  type ListedOccurrence,
  listChangedOccurrences,
  listOccurrenceIds,
  listOccurrences,
  listUrgent,
  type OccurrencePage,
  type OccurrenceSelection,
} from '../../../db/queries/assignments/occurrences.js'
import type { VisibleTeams } from '../../../db/queries/assignments/plan.js'
import type { Database } from '../../../db/types.js'
import { describeParts, isLocked } from '../../domain/assignments/part-state.js'
import { dueOf, isOverdue, OCCURRENCE_STATES, type OccurrenceState } from '../../domain/assignments/plan.js'
import { ASSIGNMENT_NOT_FOUND, LIST_TOO_LONG } from '../../domain/assignments/refusals.js'
import { cutPage } from '../../domain/page.js'
import { invalidCursor } from '../../domain/text/parameters.js'
import { addDays, mondayOf } from '../../domain/time/calendar.js'
import { type ChangesQuery, listChanges } from '../changes/list-changes.js'
import type { PrintedSession } from '../print/session.js'
import { type AssignmentContext, planAssignment, planJoiners, planOccurrences, planPersons } from './plan.js'

export interface OverseenAssignment {
  assignment: Oversight
  /** Ids of the teams that the caller leads; undefined for the responsible person and auditors, who see all persons */
  watched: VisibleTeams
  /** Whether the caller is an auditor, who does not learn who has a mail address */
  audits: boolean
}

export interface PageRequest extends Omit<OccurrencePage, 'after'> {
  /** Id of the last occurrence of the previous page; undefined for the first page */
  after: number | undefined
}

/**
 * Returns a page of occurrences in their current state, without test results. Because the page shows names, writes an
 * audit entry, at most one per day, caller, assignment and set of visible teams.
 * @throws InvalidInput if `page.after` is not an occurrence that the caller may see
 */
export async function listOverseenOccurrences(
  db: Kysely<Database>,
  actor: Actor,
  { assignment, watched, audits }: OverseenAssignment,
  page: PageRequest,
  { sendsMail, ...context }: AssignmentContext & { sendsMail: boolean },
) {
  const { today } = context.moment()
  const showsReach = sendsMail && watched === undefined && !audits
  const parts = await listParts(db, assignment)
  const found = await listCurrent(db, { assignment, watched, audits }, page, context)
  await recordView(db, actor, { id: assignment.id, title: assignment.title, day: today, teams: watched })
  const { page: rows, next } = cutPage(found, page.limit, ({ id }) => id)
  const { id } = assignment
  return {
    occurrences: rows.map((row) => describe(row, parts, { today, showsReach, ordered: assignment.ordered })),
    next_after: next,
    counts: page.after === undefined ? await countOccurrences(db, id, watched, restOfWeek(today)) : null,
    today,
  }
}

/**
 * Returns a page of changed occurrences, in their current state, as `listOverseenOccurrences` does. The first page plans
 * and completes all occurrences that the caller sees, because a finished test or deck changes them only then.
 * @param seen rights of the caller, and a function that reads them again
 * @throws CHANGES_GONE as `listChanges` does
 */
export async function listChangedOverseen(
  db: Kysely<Database>,
  actor: Actor,
  seen: { overseen: OverseenAssignment; readRights: () => Promise<OverseenAssignment> },
  { selection, changes }: { selection: OccurrenceSelection; changes: ChangesQuery },
  { sendsMail, ...context }: AssignmentContext & { sendsMail: boolean },
) {
  const { userId } = changes
  const { today } = context.moment()
  if (changes.after === undefined) await planVisible(db, seen.overseen, context)
  let { overseen } = seen
  const { entries, ...next } = await listChanges(db, changes, async () => {
    overseen = await seen.readRights()
    const { assignment, watched, audits } = overseen
    const { id: assignmentId, ordered } = assignment
    const showsReach = sendsMail && watched === undefined && !audits
    const parts = await listParts(db, assignment)
    return {
      listIds: (changed) => listChangedOccurrences(db, assignmentId, { userId, watched }, selection, changed),
      find: async (ids) => {
        const rows = await findSelected(db, { assignmentId, watched }, selection, ids, context.timeZone)
        return rows.map((row) => describe(row, parts, { today, showsReach, ordered }))
      },
      table: watched === undefined ? 'occurrences' : undefined,
    }
  })
  const { assignment, watched } = overseen
  const { id, title } = assignment
  await recordView(db, actor, { id, title, day: today, teams: watched })
  const counts = changes.after === undefined ? await countOccurrences(db, id, watched, restOfWeek(today)) : null
  return { occurrences: entries, ...next, counts, today }
}

const PLANNED_AT_ONCE = 250

/** Plans and completes all occurrences that the caller sees, as `listCurrent` does for those of a page. */
async function planVisible(
  db: Kysely<Database>,
  { assignment: { id }, watched }: OverseenAssignment,
  context: AssignmentContext,
): Promise<void> {
  if (watched === undefined) {
    await planAssignment(db, id, context)
    return
  }
  await planJoiners(db, id, watched, context)
  const all = { states: OCCURRENCE_STATES, q: undefined, overdueOn: undefined, dueIn: undefined, missing: undefined }
  const ids = await listOccurrenceIds(db, id, watched, all)
  for (let first = 0; first < ids.length; first += PLANNED_AT_ONCE) {
    await planOccurrences(db, ids.slice(first, first + PLANNED_AT_ONCE), context)
  }
}

/**
 * Returns the days from today to the Sunday of the week.
 * @example restOfWeek('2026-12-04') // { from: '2026-12-04', to: '2026-12-06' }
 */
export function restOfWeek(today: string): Days {
  return { from: today, to: addDays(mondayOf(today), 6) }
}

const MAX_URGENT = 1_000

/**
 * Counts the overdue tasks and those due this week that the user oversees, as of the last planning: the daily job, or
 * a later request of the person or for the list. Returns no names, so it writes no audit entry.
 */
export async function countUrgent(
  db: Kysely<Database>,
  overseer: { userId: number; led: readonly number[] },
  today: string,
) {
  const week = restOfWeek(today)
  const assignments = await listUrgent(db, overseer, week, MAX_URGENT)
  return {
    overdue: assignments.reduce((sum, one) => sum + one.overdue, 0),
    due_this_week: assignments.reduce((sum, one) => sum + one.due_this_week, 0),
    week_ends_on: week.to,
    assignments,
  }
}

const MAX_LISTED = 1_000

/**
 * Returns the content of an attendance list with all persons who have an occurrence in one of the states, sorted by
 * name. Writes an audit entry under the same condition as `listOverseenOccurrences`.
 * @throws ASSIGNMENT_NOT_FOUND if the assignment does not exist
 * @throws LIST_TOO_LONG if more than 1,000 occurrences are in these states
 */
export async function listSigners(
  db: Kysely<Database>,
  actor: Actor,
  overseen: OverseenAssignment,
  states: readonly OccurrenceState[],
  context: AssignmentContext,
): Promise<Omit<PrintedSession, 'language'>> {
  const { at, today } = context.moment()
  const { id, title } = overseen.assignment
  const parts = await listParts(db, overseen.assignment)
  const filter = { states, q: undefined, overdueOn: undefined, dueIn: undefined, missing: undefined }
  const page = { after: undefined, limit: MAX_LISTED, ...filter }
  const rows = await listCurrent(db, overseen, page, context)
  if (rows.length > MAX_LISTED) throw LIST_TOO_LONG
  await recordView(db, actor, { id, title, day: today, teams: overseen.watched })
  const names = new Map(rows.map(({ user_id, display_name }) => [user_id, display_name]))
  const persons = [...names].map(([user_id, name]) => ({ id: user_id, name }))
  return { title, parts: parts.map((part) => part.title), day: today, at, persons }
}

/**
 * Plans and completes the occurrences of a page. Returns its rows and, if there is one, the first row after it.
 * @throws InvalidInput if `after` is not an occurrence that the caller may see; an empty page would look like the end
 * of the list
 */
async function listCurrent(
  db: Kysely<Database>,
  { assignment: { id, planned_on }, watched }: OverseenAssignment,
  { after, ...filter }: PageRequest,
  context: AssignmentContext,
): Promise<ListedOccurrence[]> {
  if (watched === undefined && planned_on !== context.moment().today) await planAssignment(db, id, context)
  // Later pages skip this step, because the request for the first page has already planned new members.
  if (after === undefined) await planJoiners(db, id, watched, context)
  const sortKey = after === undefined ? undefined : await findSortKey(db, id, watched, after)
  if (after !== undefined && sortKey === undefined) throw invalidCursor('after')
  const page = { ...filter, after: sortKey }
  const stored = await listOccurrences(db, id, watched, page, context.timeZone)
  const shown = { ids: stored.map((row) => row.id), userIds: stored.map(({ user_id }) => user_id) }
  await planPersons(db, id, shown, context)
  return listOccurrences(db, id, watched, { ...page, limit: page.limit + 1 }, context.timeZone)
}

/** @throws ASSIGNMENT_NOT_FOUND if the assignment was deleted during the request */
export async function listParts(db: Kysely<Database>, { id }: Oversight): Promise<StoredPart[]> {
  const parts = await findParts(db, id)
  if (parts === undefined) throw ASSIGNMENT_NOT_FOUND
  return parts
}

function describe(
  row: ListedOccurrence,
  parts: readonly StoredPart[],
  { today, showsReach, ordered }: { today: string; showsReach: boolean; ordered: boolean },
) {
  const { id, user_id, display_name, personnel_number, period, state, extended_until, done_at, done_on } = row
  const described = describeParts(parts, row)
  const done = new Set(row.done.map(({ position }) => position))
  return {
    id,
    user: { id: user_id, display_name, personnel_number, reachable: showsReach ? row.has_address : null },
    period,
    state,
    due: dueOf(row),
    overdue: isOverdue(row, today),
    extended_until,
    done_at,
    done_on,
    missed: row.missed,
    parts: described,
    personal_open: described.some(
      ({ kind, state }, position) => kind === 'personal' && state === 'open' && !isLocked({ ordered }, position, done),
    ),
  }
}
