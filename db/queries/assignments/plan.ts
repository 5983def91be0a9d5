import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Audience } from '../../../src/domain/assignments/assignment.js'
import type { Span } from '../../../src/domain/assignments/membership-start.js'
import type { Occurrence } from '../../../src/domain/assignments/plan.js'
import type { Database } from '../../types.js'
import { isEnabled } from '../accounts/enabled.js'
import { insertOccurrenceEvents } from '../webhooks/announce.js'
import { type AssignmentRow, lockedIds } from './assignments.js'

// Raw SQL: audience, spans and history are JSON aggregates in subqueries, and rows come from JSON
// (`jsonb_to_recordset`).

/** A person's data for planning the occurrences of an assignment */
export interface AudienceMember {
  assignment_id: number
  user_id: number
  created_at: Date
  disabled_on: string | null
  /** Spans of days in the audience as a member of a team or as an individual, without `everybody_from` */
  spans: Span[]
  /** Occurrences in the order of their periods */
  history: Occurrence[]
}

const IS_NAMED = sql`exists (
  select from assignment_users where assignment_id = assignments.id and user_id = users.id)`

const IS_MEMBER = sql`exists (
  select from assignment_teams join team_members using (team_id)
  where assignment_id = assignments.id and user_id = users.id and until_on is null)`

const HAS_OPEN = sql`exists (
  select from occurrences
  where assignment_id = assignments.id and user_id = users.id and state in ('open', 'in_progress'))`

const HAS_ANY = sql`exists (
  select from occurrences where assignment_id = assignments.id and user_id = users.id)`

const IS_IN_AUDIENCE = sql`(everybody_from is not null or ${IS_NAMED} or ${IS_MEMBER})`

/**
 * Spans of days in the audience. Includes former memberships, so that a person who changes from one team of the
 * audience to another has no gap.
 */
const SPANS = sql`(
  select coalesce(json_agg(json_build_object('from_on', from_on, 'until_on', until_on)), '[]')
  from (
    select added_on as from_on, null::date as until_on from assignment_users
    where assignment_id = assignments.id and user_id = users.id
    union all
    select greatest(from_on, added_on), until_on from assignment_teams join team_members using (team_id)
    where assignment_id = assignments.id and user_id = users.id
  ) as span)`

const HISTORY = sql`(
  select coalesce(json_agg(json_build_object(
      'id', id, 'period', period, 'due_on', due_on, 'extended_until', extended_until, 'state', state,
      'done_on', done_on, 'covered_until', covered_until, 'content_version', content_version,
      'reopened', reopened_at is not null
    ) order by period), '[]')
  from occurrences where assignment_id = assignments.id and user_id = users.id)`

function selectConcerned(db: Kysely<Database>, condition: RawBuilder<unknown>, limit: number | null) {
  return sql<AudienceMember>`
    select assignments.id as assignment_id, users.id as user_id, users.created_at, disabled_on, ${SPANS} as spans,
      ${HISTORY} as history
    from (
      select assignments.id as concerned_assignment, users.id as concerned_user
      from assignments cross join users
      where archived_at is null and ${condition}
      order by users.id, assignments.id limit ${limit}
    ) as concerned
    join assignments on assignments.id = concerned_assignment
    join users on users.id = concerned_user
    order by users.id, assignments.id`
    .execute(db)
    .then(({ rows }) => rows)
}

/**
 * Returns the persons who are in the audience of the assignment or have an open occurrence of it, ordered by id.
 * @param after last id of the previous batch
 */
export function listAudience(
  db: Kysely<Database>,
  assignmentId: number,
  { after, limit }: { after: number; limit: number },
): Promise<AudienceMember[]> {
  const condition = sql`assignments.id = ${assignmentId} and users.id > ${after} and (${IS_IN_AUDIENCE} or ${HAS_OPEN})`
  return selectConcerned(db, condition, limit)
}

export function listAssignmentsOf(db: Kysely<Database>, userId: number): Promise<AudienceMember[]> {
  return selectConcerned(db, sql`users.id = ${userId} and (${IS_IN_AUDIENCE} or ${HAS_OPEN})`, null)
}

/**
 * Returns whether an assignment that concerns the person contains one of the tests.
 * @param testIds ids of originals
 */
export async function isTestAssigned(
  db: Kysely<Database>,
  userId: number,
  testIds: readonly number[],
): Promise<boolean> {
  const { rows } = await sql<{ is_assigned: boolean }>`
    select exists (
      select from assignments join assignment_parts on assignment_parts.assignment_id = assignments.id cross join users
      where users.id = ${userId} and archived_at is null and test_id = any(${testIds}::integer[])
        and (${IS_IN_AUDIENCE} or ${HAS_OPEN})
    ) as is_assigned`.execute(db)
  return rows[0]?.is_assigned ?? false
}

/**
 * Returns the open occurrences of mandatory assignments in whose audience the user is, with the responsible persons of
 * these assignments.
 */
export async function listOwnDuties(
  db: Kysely<Database>,
  userId: number,
): Promise<{ id: number; responsible_id: number | null }[]> {
  const { rows } = await sql<{ id: number; responsible_id: number | null }>`
    select occurrences.id, responsible_id
    from occurrences
      join assignments on assignments.id = assignment_id
      join users on users.id = user_id
    where user_id = ${userId} and state in ('open', 'in_progress') and mandatory and archived_at is null
      and ${IS_IN_AUDIENCE}
    order by occurrences.id`.execute(db)
  return rows
}

/** Ids of the teams whose members are visible; undefined if all persons are visible */
export type VisibleTeams = readonly number[] | undefined

export function isVisiblePerson(teamIds: VisibleTeams) {
  if (teamIds === undefined) return sql<boolean>`true`
  return sql<boolean>`users.id in (
    select user_id from team_members where team_id = any(${teamIds}::integer[]) and until_on is null)`
}

export interface Reach {
  persons: number
  /** The first names, at most `shown` */
  names: string[]
}

/** Counts the enabled accounts that are in an audience today, each once. */
export async function findReach(
  db: Kysely<Database>,
  { everybody, team_ids, user_ids }: Audience,
  { today, shown }: { today: string; shown: number },
): Promise<Reach> {
  const { rows } = await sql<{ persons: number; display_name: string }>`
    select count(*) over ()::integer as persons, display_name
    from users
    where ${isEnabled(today)} and (
      ${everybody} or id = any(${user_ids}::integer[]) or ${isVisiblePerson(team_ids)})
    order by display_name collate "und-x-icu", id limit ${shown}`.execute(db)
  return { persons: rows[0]?.persons ?? 0, names: rows.map(({ display_name }) => display_name) }
}

/** Returns whether a member of these teams is in the audience of the assignment or has an occurrence of it. */
export async function concernsMembers(
  db: Kysely<Database>,
  assignmentId: number,
  teamIds: readonly number[],
): Promise<boolean> {
  const { rows } = await sql<{ concerns: boolean }>`
    select exists (
      select from assignments cross join users
      where assignments.id = ${assignmentId} and ${isVisiblePerson(teamIds)} and (${HAS_ANY} or ${IS_IN_AUDIENCE})
    ) as concerns`.execute(db)
  return rows[0]?.concerns ?? false
}

/** Returns the given persons, even if they are not in the audience; an empty array if the assignment is archived. */
export function findAudienceMembers(
  db: Kysely<Database>,
  assignmentId: number,
  userIds: readonly number[],
): Promise<AudienceMember[]> {
  const condition = sql`assignments.id = ${assignmentId} and users.id = any(${userIds}::integer[])`
  return selectConcerned(db, condition, null)
}

export function listUnplanned(
  db: Kysely<Database>,
  assignmentId: number,
  watched: VisibleTeams,
  limit: number,
): Promise<AudienceMember[]> {
  const condition = sql`
    assignments.id = ${assignmentId} and ${isVisiblePerson(watched)} and not ${HAS_ANY} and ${IS_IN_AUDIENCE}`
  return selectConcerned(db, condition, limit)
}

export async function findPlannable(db: Kysely<Database>, ids: readonly number[]): Promise<Map<number, AssignmentRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('assignments')
    .selectAll()
    .where('id', '=', ({ fn, val }) => fn.any(val([...ids])))
    .where('archived_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export interface PlannedRow {
  assignment_id: number
  user_id: number
  period: string
  due_on: string
  content_version: number
  counts_from: Date
  /** Null if the occurrence is open */
  missed_at: Date | null
}

/**
 * Inserts occurrences that do not exist yet, with the events of the open ones. They count only attempts and reviews
 * after the completion of earlier ones. Skips assignments and users that a concurrent request has deleted.
 * @returns the number of new rows
 */
export async function insertOccurrences(db: Kysely<Database>, rows: readonly PlannedRow[]): Promise<number> {
  if (rows.length === 0) return 0
  const { rows: counted } = await sql<{ count: number }>`
    with planned as (
      insert into occurrences (assignment_id, user_id, period, due_on, content_version, counts_from, state, missed_at)
      select given.assignment_id, given.user_id, given.period, given.due_on, given.content_version,
        greatest(given.counts_from, (
          select max(done_at) + interval '1 millisecond' from occurrences as earlier
          where earlier.assignment_id = given.assignment_id and earlier.user_id = given.user_id
            and earlier.state = 'done' and earlier.period < given.period)),
        case when missed_at is null then 'open' else 'missed' end, missed_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
          assignment_id integer, user_id integer, period date, due_on date, content_version integer,
          counts_from timestamptz, missed_at timestamptz)
        join assignments on assignments.id = given.assignment_id
        join users on users.id = given.user_id
      order by given.user_id, given.assignment_id, given.period
      for key share of assignments, users
      on conflict on constraint occurrences_period_key do nothing
      returning id, assignment_id, user_id, period, due_on, null::date as done_on, state
    ), written as (
      ${insertOccurrenceEvents('assignment.assigned', 'planned', sql`planned.state = 'open'`)}
    )
    select count(*)::integer as count from planned`.execute(db)
  return counted[0]?.count ?? 0
}

const locked = (ids: readonly number[]) => lockedIds(sql`id = any(${ids}::integer[])`, 'no key update')

/** Marks open occurrences as missed. After that, they count only attempts and reviews before `missed_at`. */
export async function missOccurrences(
  db: Kysely<Database>,
  rows: readonly { id: number; missed_at: Date }[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update occurrences set state = 'missed', missed_at = given.missed_at,
      counts_from = greatest(counts_from, reopened_at), reopened_at = null
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id integer, missed_at timestamptz)
    where occurrences.id = given.id and state in ('open', 'in_progress')
      and occurrences.id in ${locked(rows.map(({ id }) => id))}`.execute(db)
}

export async function closeOccurrences(db: Kysely<Database>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('occurrences')
    .set({ state: 'left' })
    .where('id', 'in', locked(ids))
    .where('state', 'in', ['open', 'in_progress'])
    .execute()
}

/** Opens occurrences of persons who have come back, with their events. */
export async function reopenOccurrences(
  db: Kysely<Database>,
  rows: readonly { id: number; extended_until: string }[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    with opened as (
      update occurrences set extended_until = reopened.extended_until,
        state = case when exists (select from occurrence_parts where occurrence_id = occurrences.id)
          then 'in_progress' else 'open' end
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as reopened (id integer, extended_until date)
      where occurrences.id = reopened.id and state = 'left' and occurrences.id in ${locked(rows.map(({ id }) => id))}
      returning occurrences.id, assignment_id, user_id, period, occurrences.extended_until as due_on,
        null::date as done_on
    )
    ${insertOccurrenceEvents('assignment.assigned', 'opened')}`.execute(db)
}
