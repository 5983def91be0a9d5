import type { Kysely } from 'kysely'
import { type Actor, noteView } from '../../../db/queries/accounts/audit.js'
import type { Oversight } from '../../../db/queries/assignments/assignments.js'
import {
  countOccurrences,
  type ListedOccurrence,
  listOccurrences,
  type OccurrencePage,
} from '../../../db/queries/assignments/occurrences.js'
import type { Watched } from '../../../db/queries/assignments/plan.js'
import type { Database } from '../../../db/types.js'
import { dueOf, isOverdue } from '../../domain/assignments/plan.js'
import { type AssignmentClock, planAssignment, planJoiners, planPersons, settle } from './plan.js'

/** An assignment and the persons whose state the caller may see. */
export interface Overseen {
  assignment: Oversight
  /** Teams of which the caller is lead; undefined for the responsible person, who sees all */
  watched: Watched
}

/**
 * Returns a page of occurrences, brought up to date, without any result. Notes once a day in the audit trail that the
 * caller has looked at the names.
 */
export async function listOverseenOccurrences(
  db: Kysely<Database>,
  actor: Actor,
  { assignment, watched }: Overseen,
  page: OccurrencePage,
  clock: AssignmentClock,
) {
  const { today } = clock.moment()
  const { id, title, planned_on } = assignment
  if (watched === undefined && planned_on !== today) await planAssignment(db, id, clock)
  // Joiners come last, so each page would look for the same ones.
  if (page.after === undefined) await planJoiners(db, id, watched, clock)
  const stored = await listOccurrences(db, id, watched, page)
  await settle(db, { ids: stored.map((row) => row.id) }, clock)
  const userIds = stored.map(({ user_id }) => user_id)
  await planPersons(db, id, userIds, clock)
  const found = await listOccurrences(db, id, watched, { ...page, limit: page.limit + 1 })
  await noteView(db, actor, { id, title, day: today })
  const rows = found.slice(0, page.limit)
  return {
    occurrences: rows.map((row) => describe(row, today)),
    next_after: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null,
    counts: page.after === undefined ? await countOccurrences(db, id, watched, today) : null,
    today,
  }
}

function describe(row: ListedOccurrence, today: string) {
  const { id, user_id, display_name, period, state, extended_until, done_at, personal_open } = row
  return {
    ...{ id, user: { id: user_id, display_name }, period, state, due: dueOf(row), overdue: isOverdue(row, today) },
    ...{ extended_until, done_at, personal_open },
  }
}
