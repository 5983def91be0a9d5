import type { Kysely } from 'kysely'
import { listOwnOccurrences, type OwnOccurrence } from '../../../db/queries/assignments/occurrences.js'
import type { Database } from '../../../db/types.js'
import { dueOf, isOpen, isOverdue } from '../../domain/assignments/plan.js'
import { type AssignmentClock, planPerson } from './plan.js'

/** More than a person ever has open; old ones beyond are not shown. */
const MAX_OWN = 200

/** Returns the occurrences of a person, brought up to date: open ones first, by due day. */
export async function listMine(db: Kysely<Database>, userId: number, clock: AssignmentClock) {
  await planPerson(db, userId, clock)
  const { today } = clock.moment()
  const rows = await listOwnOccurrences(db, userId, { limit: MAX_OWN })
  return rows.map((row) => describe(row, today))
}

function describe(row: OwnOccurrence, today: string) {
  const done = new Map(row.done.map(({ position, done_at }) => [position, new Date(done_at)]))
  return {
    id: row.id,
    assignment: {
      id: row.assignment_id,
      title: row.title,
      description: row.description,
      mandatory: row.mandatory,
    },
    period: row.period,
    state: row.state,
    due: dueOf(row),
    overdue: isOverdue(row, today),
    extended_until: row.extended_until,
    done_at: row.done_at,
    parts: row.parts.map((part, position) => ({
      ...part,
      state: done.has(position) ? ('done' as const) : isOpen(row) ? ('open' as const) : ('closed' as const),
      done_at: done.get(position) ?? null,
    })),
    proof_code: row.proof_code,
  }
}
