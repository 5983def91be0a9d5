import type { Kysely } from 'kysely'
import { type AssignmentRow, recordPlanned } from '../../../db/queries/assignments/assignments.js'
import { markDoneParts, type OccurrenceFilter, updateStates } from '../../../db/queries/assignments/completion.js'
import { groupByAssignment } from '../../../db/queries/assignments/occurrences.js'
import {
  type AudienceMember,
  closeOccurrences,
  findAudienceMembers,
  findPlannable,
  insertOccurrences,
  listAssignmentsOf,
  listAudience,
  listUnplanned,
  missOccurrences,
  type PlannedRow,
  reopenOccurrences,
  type VisibleTeams,
} from '../../../db/queries/assignments/plan.js'
import type { Database } from '../../../db/types.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { currentMembershipStart, hasLeftToday } from '../../domain/assignments/membership-start.js'
import { createPlanner, type PlannedAssignment, type Planner } from '../../domain/assignments/plan.js'
import type { Due, Starts } from '../../domain/assignments/schedule.js'
import { type Clock, startOfDay } from '../../domain/time/calendar.js'
import { issueCertificates } from '../certificates/issue.js'

/** What the planning and completion of occurrences need of the service */
export interface AssignmentContext extends Clock {
  /** IANA name of the time zone */
  timeZone: string
  /** Name of the company, which heads new certificates; null if none is configured */
  issuer: string | null
}

/** Small, because the persons of a batch are read and planned without yielding */
const PERSON_BATCH_SIZE = 250
const MAX_JOINERS = 1_000

/** Completes occurrences and issues their certificates. @returns the ids of the persons who have completed one */
export async function completeOccurrences(
  db: Kysely<Database>,
  filter: OccurrenceFilter,
  context: AssignmentContext,
): Promise<number[]> {
  // A part of an ordered assignment may open the next one.
  while (await markDoneParts(db, filter)) {}
  const { user_ids, lacks_certificate } = await updateStates(db, filter, context.timeZone)
  if (lacks_certificate) await issueCertificates(db, filter, context)
  return user_ids
}

/**
 * Plans an assignment for its audience and for all other persons with an open occurrence of it, in batches. Idempotent,
 * even if an earlier run was killed. Does nothing if the assignment is archived or does not exist.
 * @param beforeBatch called before each batch; may throw to end the work
 * @returns the number of new occurrences
 */
export async function planAssignment(
  db: Kysely<Database>,
  id: number,
  context: AssignmentContext,
  beforeBatch: () => Promise<void> = async () => {},
): Promise<number> {
  const { today } = context.moment()
  const assignment = (await findPlannable(db, [id])).get(id)
  if (assignment === undefined) return 0
  const plan = createPlanning(new Map([[id, assignment]]), context)
  let inserted = 0
  let persons: AudienceMember[] = []
  do {
    await beforeBatch()
    persons = await listAudience(db, id, { after: persons.at(-1)?.user_id ?? 0, limit: PERSON_BATCH_SIZE })
    inserted += await write(db, plan(persons))
  } while (persons.length === PERSON_BATCH_SIZE)
  // Planning comes first, because a test that was begun after the next period has opened does not count for the last.
  const completed = await completeOccurrences(db, { assignmentId: id }, context)
  for (let first = 0; first < completed.length; first += PERSON_BATCH_SIZE) {
    await beforeBatch()
    const batch = completed.slice(first, first + PERSON_BATCH_SIZE)
    inserted += await write(db, plan(await findAudienceMembers(db, id, batch)))
  }
  await recordPlanned(db, id, today)
  return inserted
}

/** Plans all assignments for a person and completes the person's occurrences. Idempotent. */
export async function planPerson(db: Kysely<Database>, userId: number, context: AssignmentContext): Promise<void> {
  const plan = async () => planConcerned(db, await listAssignmentsOf(db, userId), context)
  await plan()
  if ((await completeOccurrences(db, { userId }, context)).length > 0) await plan()
}

/**
 * Plans an assignment for given persons, who may have left the audience or returned to it, and completes the given
 * occurrences of theirs.
 */
export async function planPersons(
  db: Kysely<Database>,
  assignmentId: number,
  { userIds, ids }: { userIds: readonly number[]; ids: readonly number[] },
  context: AssignmentContext,
): Promise<void> {
  const plan = async (persons: readonly number[]) =>
    planConcerned(db, await findAudienceMembers(db, assignmentId, persons), context)
  await plan(userIds)
  const completed = await completeOccurrences(db, { ids }, context)
  if (completed.length > 0) await plan(completed)
}

/**
 * Plans the persons of the given occurrences and completes these. An act on an occurrence begins with this, because the
 * time of the occurrence may be over.
 */
export async function planOccurrences(
  db: Kysely<Database>,
  ids: readonly number[],
  context: AssignmentContext,
): Promise<void> {
  for (const { assignment_id, ...concerned } of await groupByAssignment(db, ids)) {
    await planPersons(db, assignment_id, concerned, context)
  }
}

/**
 * Plans an assignment for at most 1,000 persons of its audience who have no occurrence of it yet, for example because
 * they have joined since the last nightly run.
 * @param watched teams whose members are planned; undefined for all persons
 */
export async function planJoiners(
  db: Kysely<Database>,
  assignmentId: number,
  watched: VisibleTeams,
  context: AssignmentContext,
): Promise<void> {
  await planConcerned(db, await listUnplanned(db, assignmentId, watched, MAX_JOINERS), context)
}

async function planConcerned(
  db: Kysely<Database>,
  persons: AudienceMember[],
  context: AssignmentContext,
): Promise<void> {
  if (persons.length === 0) return
  const assignments = await findPlannable(db, [...new Set(persons.map(({ assignment_id }) => assignment_id))])
  await write(db, createPlanning(assignments, context)(persons))
}

interface Changes {
  insert: PlannedRow[]
  miss: { id: number; missed_at: Date }[]
  close: number[]
  reopen: { id: number; extended_until: string }[]
}

function createPlanning(assignments: ReadonlyMap<number, AssignmentRow>, { moment, timeZone }: AssignmentContext) {
  const { today } = moment()
  const planners = new Map<number, Planner>()
  const starts = new Map<string, Date>()
  const startOf = (day: string) => {
    const start = starts.get(day) ?? startOfDay(day, timeZone).instant
    starts.set(day, start)
    return start
  }
  const plannerOf = (row: AssignmentRow) => {
    const planner = planners.get(row.id) ?? createPlanner(toPlanned(row), today)
    planners.set(row.id, planner)
    return planner
  }
  return (persons: readonly AudienceMember[]): Changes => {
    const changes: Changes = { insert: [], miss: [], close: [], reopen: [] }
    for (const person of persons) {
      const assignment = assignments.get(person.assignment_id)
      if (assignment === undefined) continue
      const since = membershipStart(assignment, person, moment)
      // After the end of a team membership, occurrences close on the next day. If they closed now and opened again, they
      // would get a new due day.
      if (since === undefined && !isDisabled(person, today) && hasLeftToday(person.spans, today)) continue
      const plan = plannerOf(assignment)(since, person.history)
      for (const { period, due_on, opens_on, missed_on } of plan.insert) {
        changes.insert.push({
          assignment_id: assignment.id,
          user_id: person.user_id,
          period,
          due_on,
          content_version: assignment.version,
          counts_from:
            period === assignment.renewed_on ? (assignment.renewed_at ?? startOf(opens_on)) : startOf(opens_on),
          missed_at: missed_on === null ? null : startOf(missed_on),
        })
      }
      changes.miss.push(...plan.miss.map(({ id, on }) => ({ id, missed_at: startOf(on) })))
      changes.close.push(...plan.close)
      changes.reopen.push(...plan.reopen)
    }
    return changes
  }

  function membershipStart(
    { everybody_from }: AssignmentRow,
    { spans, created_at, disabled_on }: AudienceMember,
    at: Clock['moment'],
  ): string | undefined {
    if (isDisabled({ disabled_on }, today)) return undefined
    if (everybody_from === null) return currentMembershipStart(spans, today)
    const created_on = at(created_at).today
    const from_on = created_on > everybody_from ? created_on : everybody_from
    return currentMembershipStart([...spans, { from_on, until_on: null }], today)
  }
}

export function startsOf({ starts_on, starts_days }: Pick<AssignmentRow, 'starts_on' | 'starts_days'>): Starts {
  return starts_on ?? (starts_days === null ? { joining: true } : { days_after_joining: starts_days })
}

export function dueRuleOf({ due_on, due_days }: Pick<AssignmentRow, 'due_on' | 'due_days'>): Due {
  return due_on ?? { days_after_start: due_days ?? 0 }
}

function toPlanned(row: AssignmentRow): PlannedAssignment {
  const { every_months, window_end, opens_days_before } = row
  return {
    ...row,
    starts: startsOf(row),
    due: dueRuleOf(row),
    recurrence:
      every_months === null
        ? null
        : { every_months, window_end: window_end ?? undefined, opens_days_before: opens_days_before ?? 0 },
  }
}

async function write(db: Kysely<Database>, { insert, miss, close, reopen }: Changes): Promise<number> {
  await missOccurrences(db, miss)
  const inserted = await insertOccurrences(db, insert)
  await closeOccurrences(db, close)
  await reopenOccurrences(db, reopen)
  return inserted
}
