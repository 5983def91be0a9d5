import type { Kysely } from 'kysely'
import { type Actor, noteView } from '../../../db/queries/accounts/audit.js'
import { findAssignment, type Oversight } from '../../../db/queries/assignments/assignments.js'
import {
  countOccurrences,
  findMark,
  type ListedOccurrence,
  listOccurrences,
  type OccurrencePage,
} from '../../../db/queries/assignments/occurrences.js'
import type { Watched } from '../../../db/queries/assignments/plan.js'
import type { Database } from '../../../db/types.js'
import { dueOf, isOverdue, type OccurrenceState } from '../../domain/assignments/plan.js'
import { ASSIGNMENT_NOT_FOUND, LIST_TOO_LONG } from '../../domain/assignments/refusals.js'
import { cutPage } from '../../domain/page.js'
import { invalidCursor } from '../../domain/text/parameters.js'
import type { PrintedSession } from '../print/session.js'
import { type AssignmentClock, planAssignment, planJoiners, planPersons, settle } from './plan.js'

/** An assignment and the persons whose state the caller may see. */
export interface Overseen {
  assignment: Oversight
  /** Teams of which the caller is lead; undefined for the responsible person, who sees all */
  watched: Watched
}

/** A page that a caller asks for. */
export interface PageRequest extends Omit<OccurrencePage, 'after'> {
  /** Id of the last occurrence of the previous page */
  after: number | undefined
}

/**
 * Returns a page of occurrences, brought up to date, without any result. Notes once a day in the audit trail that the
 * caller has looked at the names.
 */
export async function listOverseenOccurrences(
  db: Kysely<Database>,
  actor: Actor,
  { assignment, watched }: Overseen,
  page: PageRequest,
  { sendsMail, ...clock }: AssignmentClock & { sendsMail: boolean },
) {
  const { today } = clock.moment()
  const showsReach = sendsMail && watched === undefined
  const found = await listCurrent(db, { assignment, watched }, page, clock)
  await noteView(db, actor, { id: assignment.id, title: assignment.title, day: today, teams: watched })
  const { page: rows, next } = cutPage(found, page.limit, ({ id }) => id)
  const { id } = assignment
  return {
    occurrences: rows.map((row) => describe(row, { today, showsReach })),
    next_after: next,
    counts: page.after === undefined ? await countOccurrences(db, id, watched, today) : null,
    today,
  }
}

/** Maximum number of persons of a list to sign */
export const MAX_SIGNERS = 1_000

/**
 * Returns the content of a list to sign: the persons once each, by name, brought up to date. Noted in the audit trail as
 * the list is.
 * @throws LIST_TOO_LONG
 */
export async function listSigners(
  db: Kysely<Database>,
  actor: Actor,
  overseen: Overseen,
  states: readonly OccurrenceState[],
  clock: AssignmentClock,
): Promise<PrintedSession> {
  const { at, today } = clock.moment()
  const { id, title } = overseen.assignment
  const stored = await findAssignment(db, id)
  if (stored === undefined) throw ASSIGNMENT_NOT_FOUND
  const page = { after: undefined, limit: MAX_SIGNERS, states, q: undefined, overdueOn: undefined }
  const rows = await listCurrent(db, overseen, page, clock)
  if (rows.length > MAX_SIGNERS) throw LIST_TOO_LONG
  await noteView(db, actor, { id, title, day: today, teams: overseen.watched })
  const names = new Map(rows.map(({ user_id, display_name }) => [user_id, display_name]))
  const persons = [...names].map(([user_id, name]) => ({ id: user_id, name }))
  return { title, parts: stored.parts.map((part) => part.title), day: today, at, persons }
}

/**
 * Returns a page and the row after it, brought up to date.
 * @throws InvalidInput if the page should start after an unknown occurrence; an empty one would look like the end
 */
async function listCurrent(
  db: Kysely<Database>,
  { assignment: { id, planned_on }, watched }: Overseen,
  { after, ...filter }: PageRequest,
  clock: AssignmentClock,
): Promise<ListedOccurrence[]> {
  if (watched === undefined && planned_on !== clock.moment().today) await planAssignment(db, id, clock)
  // Each page would look for the same ones.
  if (after === undefined) await planJoiners(db, id, watched, clock)
  const mark = after === undefined ? undefined : await findMark(db, id, watched, after)
  if (after !== undefined && mark === undefined) throw invalidCursor('after')
  const page = { ...filter, after: mark }
  const stored = await listOccurrences(db, id, watched, page)
  await settle(db, { ids: stored.map((row) => row.id) }, clock)
  const userIds = stored.map(({ user_id }) => user_id)
  await planPersons(db, id, userIds, clock)
  return listOccurrences(db, id, watched, { ...page, limit: page.limit + 1 })
}

function describe(row: ListedOccurrence, { today, showsReach }: { today: string; showsReach: boolean }) {
  const { id, user_id, display_name, period, state, extended_until, done_at, personal_open } = row
  return {
    ...{ id, user: { id: user_id, display_name, reachable: showsReach ? row.has_address : null }, period, state },
    ...{ due: dueOf(row), overdue: isOverdue(row, today), extended_until, done_at, personal_open },
  }
}
