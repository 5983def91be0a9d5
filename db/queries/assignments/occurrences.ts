import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import type { PartKind } from '../../../src/domain/assignments/assignment.js'
import type { OccurrenceState } from '../../../src/domain/assignments/plan.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { type ChangedIds, changesSince } from '../changes.js'
import { liveVersion } from '../content/editing/state.js'
import { OWN_PARTS, type OwnPart } from './assignments.js'
import { IS_NOT_MADE_UP, MISSED } from './missed.js'
import { isVisiblePerson, type VisibleTeams } from './plan.js'

// Raw SQL: the lists aggregate JSON, lock in a `lateral` subquery, compare keys as rows, and need `in (…)` as literals
// for partial indexes.

/** A completed part; `done_on` is the day in the service's time zone, for a personal part the day of the instruction. */
export interface DonePart {
  position: number
  done_on: string
}

/** @param timeZone IANA name */
const doneOn = (timeZone: string) => sql<string>`coalesce(held_on, (done_at at time zone ${timeZone}::text)::date)`

export interface OwnOccurrence {
  id: number
  assignment_id: number
  title: string
  description: string
  mandatory: boolean
  ordered: boolean
  responsible: string | null
  period: string
  due_on: string
  extended_until: string | null
  state: OccurrenceState
  /** Reason of an exemption, recognition, extension, reopening or granted attempt */
  reason: string | null
  covered_until: string | null
  done_at: Date | null
  done_on: string | null
  missed: number
  parts: OwnPart[]
  /** Slugs of the tests at which the person has an open attempt */
  open_tests: string[]
  /** Completed parts; `held_on` and `confirmed_by` (the instructor) are null unless the part is `personal` */
  done: (DonePart & { done_at: string; held_on: string | null; confirmed_by: string | null })[]
  proof_code: string | null
  proof_revoked_at: Date | null
}

/**
 * Returns the open occurrences of a person by due day, and then the closed ones, latest period first. Omits open
 * occurrences of archived assignments.
 */
export async function listOwnOccurrences(
  db: Kysely<Database>,
  userId: number,
  { limit, timeZone }: { limit: number; timeZone: string },
): Promise<OwnOccurrence[]> {
  const { rows } = await sql<OwnOccurrence>`
    select occurrences.id, occurrences.assignment_id, title, description, mandatory, ordered, period, occurrences.due_on, extended_until, state,
      reason, covered_until, done_at, done_on, ${MISSED} as missed, ${OWN_PARTS} as parts,
      array(
        select slug from attempts join tests on tests.id = test_id
        where attempts.user_id = ${userId} and ended_at is null
      ) as open_tests, (
        select coalesce(json_agg(json_build_object(
            'position', position, 'done_at', done_at, 'done_on', ${doneOn(timeZone)}, 'held_on', held_on, 'confirmed_by', confirmed_by)), '[]')
        from occurrence_parts where occurrence_id = occurrences.id
      ) as done,
      (select display_name from users where users.id = responsible_id) as responsible,
      proofs.code as proof_code, proofs.revoked_at as proof_revoked_at
    from occurrences
      join assignments on assignments.id = occurrences.assignment_id
      left join proofs on occurrence_id = occurrences.id and replaced_by is null
    where occurrences.user_id = ${userId} and (archived_at is null or state not in ('open', 'in_progress'))
    order by state not in ('open', 'in_progress'),
      case when state in ('open', 'in_progress') then coalesce(extended_until, occurrences.due_on) end,
      period desc, occurrences.id desc
    limit ${limit}`.execute(db)
  return rows
}

/** Contains no test results, which overseers must not see. */
export interface ListedOccurrence {
  id: number
  user_id: number
  display_name: string
  personnel_number: string | null
  has_address: boolean
  period: string
  due_on: string
  extended_until: string | null
  state: OccurrenceState
  done_at: Date | null
  done_on: string | null
  missed: number
  /** Completed parts in their order */
  done: DonePart[]
}

export interface OccurrenceSortKey {
  display_name: string
  user_id: number
  period: string
}

/** Days including both ends; `from` is today. */
export interface Days {
  from: string
  to: string
}

export interface OccurrenceSelection {
  states: readonly OccurrenceState[]
  /** Part of the display name, case-insensitive and in any Unicode form */
  q: string | undefined
  /** Restricts the page to open occurrences that are overdue on this day; undefined for all */
  overdueOn: string | undefined
  /** Restricts the page to open occurrences that are due in these days and not overdue; undefined for all */
  dueIn: Days | undefined
  /** Restricts the page to open occurrences with an open part of this kind; undefined for all */
  missing: PartKind | undefined
}

export interface OccurrencePage extends OccurrenceSelection {
  /** Sort key of the last occurrence of the previous page; undefined for the first page */
  after: OccurrenceSortKey | undefined
  limit: number
}

const IS_OPEN = sql<boolean>`state in ('open', 'in_progress')`
const isOverdueOn = (day: string) =>
  sql<boolean>`${IS_OPEN} and (coalesce(extended_until, due_on) < ${day}::date or ${MISSED} > 0)`

const isDueIn = ({ from, to }: Days) =>
  sql<boolean>`${IS_OPEN} and coalesce(extended_until, due_on) between ${from}::date and ${to}::date and ${MISSED} = 0`

const NAME = sql`users.display_name collate "und-x-icu"`

export async function listOccurrences(
  db: Kysely<Database>,
  assignmentId: number,
  watched: VisibleTeams,
  { after, limit, ...selection }: OccurrencePage,
  timeZone: string,
): Promise<ListedOccurrence[]> {
  const { rows } = await sql<ListedOccurrence>`
    ${selectListed(timeZone)}
    where ${isSelected(assignmentId, watched, selection)} ${after === undefined ? sql`` : sql`and ${isAfter(after)}`}
    order by ${NAME}, users.id, period desc limit ${limit}`.execute(db)
  return rows
}

/** Returns the ids of all selected occurrences, in the order of `listOccurrences`. */
export async function listOccurrenceIds(
  db: Kysely<Database>,
  assignmentId: number,
  watched: VisibleTeams,
  selection: OccurrenceSelection,
): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] | null }>`
    select array_agg(occurrences.id order by ${NAME}, users.id, period desc) as ids
    from occurrences join users on users.id = user_id
    where ${isSelected(assignmentId, watched, selection)}`.execute(db)
  return rows[0]?.ids ?? []
}

export interface ChangesReader {
  userId: number
  watched: VisibleTeams
}

/**
 * Returns the ids of selected occurrences that have changed, or that the reader may see since then; an open occurrence
 * changes with the others of the person, which decide `missed`. Also returns the ids of all deleted ones, unless the
 * reader sees only members of teams.
 */
export async function listChangedOccurrences(
  db: Kysely<Database>,
  assignmentId: number,
  { userId, watched }: ChangesReader,
  selection: OccurrenceSelection,
  { since, after, limit }: ChangedIds,
): Promise<number[]> {
  const log = changesSince('occurrence', since)
  const changed = sql`(select object_id from ${log} as log where scope_id = ${assignmentId})`
  const isNewlyVisible =
    watched === undefined
      ? sql`false`
      : sql`(
        user_id in (select object_id from ${changesSince('member', since)} as log where scope_id = any(${watched}::integer[]))
        or user_id in (
          select user_id from team_members where until_on is null and team_id = any(${watched}::integer[]) and team_id in (
            select scope_id from (
              select * from ${changesSince('member', since)} as log
              union all select * from ${changesSince('role', since)} as log
            ) as log where object_id = ${userId})))`
  const { rows } = await sql<{ id: number }>`
    select id from (
      select occurrences.id from occurrences join users on users.id = user_id
      where occurrences.id > ${after} and ${isSelected(assignmentId, watched, selection)} and (
        occurrences.id in ${changed}
        or ${IS_OPEN} and user_id in (select user_id from occurrences as other where other.id in ${changed})
        or user_id in (select object_id from ${changesSince('person', since)} as log)
        or exists (
          select from (
            select object_id from ${changesSince('assignment', since)} as log
            union all select object_id from ${changesSince('overseer', since)} as log
          ) as log where object_id = ${assignmentId})
        or ${isNewlyVisible})
      union
      select object_id from ${changed} as log
      where ${watched === undefined} and object_id > ${after}
        and not exists (select from occurrences where occurrences.id = object_id)
    ) as found
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns those of the occurrences that are selected and visible. */
export async function findSelected(
  db: Kysely<Database>,
  { assignmentId, watched }: { assignmentId: number; watched: VisibleTeams },
  selection: OccurrenceSelection,
  ids: readonly number[],
  timeZone: string,
): Promise<ListedOccurrence[]> {
  const { rows } = await sql<ListedOccurrence>`
    ${selectListed(timeZone)}
    where occurrences.id = any(${ids}::integer[]) and ${isSelected(assignmentId, watched, selection)}`.execute(db)
  return rows
}

/** Returns the occurrences with the ids, in the order of the ids. */
export async function findOccurrences(
  db: Kysely<Database>,
  ids: readonly number[],
  timeZone: string,
): Promise<ListedOccurrence[]> {
  const { rows } = await sql<ListedOccurrence>`
    ${selectListed(timeZone)} join unnest(${ids}::integer[]) with ordinality as wanted (id, place) on wanted.id = occurrences.id
    order by place`.execute(db)
  return rows
}

function selectListed(timeZone: string) {
  return sql`
    select occurrences.id, user_id, display_name, personnel_number, email is not null as has_address, period, due_on,
      extended_until, state, done_at, done_on, ${MISSED} as missed, (
        select coalesce(json_agg(json_build_object('position', position, 'done_on', ${doneOn(timeZone)})
            order by position), '[]')
        from occurrence_parts where occurrence_id = occurrences.id
      ) as done
    from occurrences join users on users.id = user_id`
}

function isSelected(
  assignmentId: number,
  watched: VisibleTeams,
  { states, q, overdueOn, dueIn, missing }: OccurrenceSelection,
) {
  return sql<boolean>`
    assignment_id = ${assignmentId} and state = any(${states}::text[]) and ${isVisiblePerson(watched)}
    ${q === undefined ? sql`` : sql`and ${hasInName(q)}`}
    ${overdueOn === undefined ? sql`` : sql`and ${isOverdueOn(overdueOn)}`}
    ${dueIn === undefined ? sql`` : sql`and ${isDueIn(dueIn)}`}
    ${missing === undefined ? sql`` : sql`and ${IS_OPEN} and ${lacksPart(missing)}`}`
}

function hasInName(q: string) {
  return isStorable(q) ? sql<boolean>`strpos(fold_text(display_name), fold_text(${q}::text)) > 0` : sql.lit(false)
}

function lacksPart(kind: PartKind) {
  return sql<boolean>`exists (
    select from assignment_parts as part
    where part.assignment_id = occurrences.assignment_id and kind = ${kind} and not exists (
      select from occurrence_parts as done where occurrence_id = occurrences.id and done.position = part.position))`
}

export async function findSortKey(
  db: Kysely<Database>,
  assignmentId: number,
  watched: VisibleTeams,
  id: number,
): Promise<OccurrenceSortKey | undefined> {
  return db
    .selectFrom('occurrences')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['display_name', 'user_id', 'period'])
    .where('occurrences.id', '=', id)
    .where('assignment_id', '=', assignmentId)
    .where(isVisiblePerson(watched))
    .executeTakeFirst()
}

function isAfter({ display_name, user_id, period }: OccurrenceSortKey) {
  return sql<boolean>`(${NAME}, users.id) >= (${display_name}::text, ${user_id})
    and (users.id <> ${user_id} or period < ${period}::date)`
}

export interface OccurrenceCounts {
  open: number
  /** Number of open occurrences that were due before today, or of persons who have missed an earlier period */
  overdue: number
  /** Number of open occurrences that are due in the week of today and not overdue */
  due_this_week: number
  done: number
  /** Number of exempt or recognised occurrences */
  excused: number
  missed: number
  left: number
}

export async function countOccurrences(
  db: Kysely<Database>,
  assignmentId: number,
  watched: VisibleTeams,
  week: Days,
): Promise<OccurrenceCounts> {
  const { rows } = await sql<OccurrenceCounts>`
    select count(*) filter (where ${IS_OPEN})::integer as open,
      count(*) filter (where ${isOverdueOn(week.from)})::integer as overdue,
      count(*) filter (where ${isDueIn(week)})::integer as due_this_week,
      count(*) filter (where state = 'done')::integer as done,
      count(*) filter (where state in ('exempt', 'recognised'))::integer as excused,
      count(*) filter (where state = 'missed')::integer as missed,
      count(*) filter (where state = 'left')::integer as "left"
    from occurrences join users on users.id = user_id
    where assignment_id = ${assignmentId} and ${isVisiblePerson(watched)}`.execute(db)
  return rows[0] as OccurrenceCounts
}

export interface UrgentAssignment {
  id: number
  title: string
  /** Number of open occurrences that are overdue */
  overdue: number
  /** Number of open occurrences that are due in the week of today and not overdue */
  due_this_week: number
}

/**
 * Returns assignments with open occurrences that the user oversees and that are overdue or due this week, the most
 * urgent first. The user oversees all occurrences as the responsible person, and those of mandatory assignments as a
 * lead of the person's team.
 */
export async function listUrgent(
  db: Kysely<Database>,
  { userId, led }: { userId: number; led: readonly number[] },
  week: Days,
  limit: number,
): Promise<UrgentAssignment[]> {
  // Aggregates the missed periods instead of `MISSED`, which runs once per row; a company has 500,000 open occurrences.
  const urgentOf = (isOverseen: RawBuilder<unknown>) => sql`
    select id, assignment_id, due < ${week.from}::date or missed.user_id is not null as is_overdue
    from (
      select id, assignment_id, user_id, coalesce(extended_until, due_on) as due from occurrences
      where ${IS_OPEN} and ${isOverseen}
    ) as task
      left join (
        select distinct assignment_id, user_id from occurrences as gone where ${IS_NOT_MADE_UP} and ${isOverseen}
      ) as missed using (assignment_id, user_id)
    where due <= ${week.to}::date or missed.user_id is not null`
  const isOwn = sql`assignment_id in (
    select id from assignments where responsible_id = ${userId} and archived_at is null)`
  const isLed = sql`
    user_id in (select user_id from team_members where team_id = any(${led}::integer[]) and until_on is null)
    and assignment_id in (select id from assignments where mandatory and archived_at is null)`
  const { rows } = await sql<UrgentAssignment>`
    select assignment_id as id, title, count(*) filter (where is_overdue)::integer as overdue,
      count(*) filter (where not is_overdue)::integer as due_this_week
    from (${urgentOf(isOwn)} union ${urgentOf(isLed)}) as urgent join assignments on assignments.id = assignment_id
    group by assignment_id, title order by overdue desc, due_this_week desc, assignment_id limit ${limit}`.execute(db)
  return rows
}

export type OccurrenceOwner = Pick<
  Selectable<Database['occurrences']>,
  'id' | 'assignment_id' | 'user_id' | 'state' | 'period' | 'counts_from' | 'due_on' | 'extended_until'
> & {
  username: string
  title: string
  ordered: boolean
  /** Positions of the parts that are done */
  done: number[]
}

/** Returns the given occurrences and their persons by assignment. Omits occurrences of archived assignments. */
export async function groupByAssignment(
  db: Kysely<Database>,
  ids: readonly number[],
): Promise<{ assignment_id: number; ids: number[]; userIds: number[] }[]> {
  return db
    .selectFrom('occurrences')
    .innerJoin('assignments', 'assignments.id', 'assignment_id')
    .select(['assignment_id', sql<number[]>`array_agg(occurrences.id order by occurrences.id)`.as('ids')])
    .select(sql<number[]>`array_agg(distinct user_id)`.as('userIds'))
    .where('occurrences.id', '=', ({ fn, val }) => fn.any(val([...ids])))
    .where('archived_at', 'is', null)
    .groupBy('assignment_id')
    .orderBy('assignment_id')
    .execute()
}

/**
 * Locks the occurrences until the end of the transaction, in the order of ids. Omits occurrences of archived
 * assignments.
 */
export async function lockOccurrences(
  transaction: Transaction<Database>,
  ids: readonly number[],
): Promise<OccurrenceOwner[]> {
  return transaction
    .selectFrom('occurrences')
    .innerJoin('users', 'users.id', 'user_id')
    .innerJoin('assignments', 'assignments.id', 'assignment_id')
    .select(['occurrences.id', 'assignment_id', 'user_id', 'state', 'period', 'counts_from', 'occurrences.due_on'])
    .select(['extended_until', 'username', 'title', 'ordered'])
    .select(
      sql<number[]>`array(
      select position from occurrence_parts where occurrence_id = occurrences.id order by position)`.as('done'),
    )
    .where('occurrences.id', '=', ({ fn, val }) => fn.any(val([...ids])))
    .where('archived_at', 'is', null)
    .orderBy('occurrences.id')
    .forUpdate('occurrences')
    .execute()
}

export interface OverseenOccurrence {
  id: number
  /** Whether the user is responsible for the assignment; if not, the user leads a team of the occurrence's person */
  is_responsible: boolean
}

/**
 * Returns those of the given occurrences that the user oversees: as the responsible person, or, if the assignment is
 * mandatory, as a lead of the person's team. Omits occurrences of archived assignments.
 */
export async function listOverseen(
  db: Kysely<Database>,
  userId: number,
  ledTeams: readonly number[],
  ids: readonly number[],
): Promise<OverseenOccurrence[]> {
  return db
    .selectFrom('occurrences')
    .innerJoin('assignments', 'assignments.id', 'assignment_id')
    .innerJoin('users', 'users.id', 'user_id')
    .select('occurrences.id')
    .select(({ eb, fn, lit }) =>
      fn
        .coalesce(eb('responsible_id', '=', userId), lit(false))
        .$castTo<boolean>()
        .as('is_responsible'),
    )
    .where('occurrences.id', '=', ({ fn, val }) => fn.any(val([...ids])))
    .where('archived_at', 'is', null)
    .where(({ eb, or, and }) =>
      or([eb('responsible_id', '=', userId), and([eb('mandatory', '=', true), isVisiblePerson(ledTeams)])]),
    )
    .orderBy('occurrences.id')
    .execute()
}

export interface SheetPart {
  is_confirmed: boolean
  /** Language that the person has chosen for the sheet; null without a choice */
  chosen: string | null
  /** The sheet and its variants that learners see, the original first; empty if the sheet was deleted */
  sheets: { id: number; lang: string }[]
}

/** Returns the sheets of a part; undefined if the part does not exist or is not a sheet. */
export async function findSheetPart(
  transaction: Transaction<Database>,
  { id, assignment_id, user_id }: Pick<OccurrenceOwner, 'id' | 'assignment_id' | 'user_id'>,
  position: number,
): Promise<SheetPart | undefined> {
  const { rows } = await sql<SheetPart>`
    select exists (
        select from occurrence_parts as done where occurrence_id = ${id} and done.position = part.position
      ) as is_confirmed,
      (select lang from chosen_languages where user_id = ${user_id} and cheatsheet_id = part.cheatsheet_id) as chosen, (
        select coalesce(json_agg(json_build_object('id', cheatsheets.id, 'lang', coalesce(lang, 'de'))
            order by cheatsheets.id <> part.cheatsheet_id, lang), '[]')
        from cheatsheets left join imported_cheatsheets on imported_cheatsheets.cheatsheet_id = cheatsheets.id
        where cheatsheets.id = part.cheatsheet_id
          or coalesce(translation_of, imported_cheatsheets.cheatsheet_id) = part.cheatsheet_id and archived_at is null
      ) as sheets
    from assignment_parts as part
    where assignment_id = ${assignment_id} and position = ${position} and kind = 'sheet'`.execute(transaction)
  return rows[0]
}

export interface LockedSheet {
  updated_at: Date
  /** Number of the current version */
  version: number
}

/** Returns a sheet and locks it against changes; undefined if it was deleted. */
export async function lockSheet(transaction: Transaction<Database>, id: number): Promise<LockedSheet | undefined> {
  // A statement that waits for a lock still reads other tables as of its start, so the version needs a statement after it.
  await sql`select from cheatsheets where id = ${id} for share`.execute(transaction)
  const { rows } = await sql<LockedSheet>`
    select updated_at, ${liveVersion('cheatsheets')} as version from cheatsheets where id = ${id}`.execute(transaction)
  return rows[0]
}

export async function listPartKinds(
  db: Kysely<Database>,
  assignmentId: number,
): Promise<{ position: number; kind: PartKind }[]> {
  return db
    .selectFrom('assignment_parts')
    .select(['position', 'kind'])
    .where('assignment_id', '=', assignmentId)
    .orderBy('position')
    .execute()
}

/** Marks parts of locked occurrences as done. A part that is already done stays unchanged. */
export async function insertDoneParts(
  transaction: Transaction<Database>,
  parts: readonly {
    occurrence_id: number
    position: number
    done_at: Date
    sheet_version?: number | null
    lang?: string | null
    content_id?: number | null
    held_on?: string
    confirmed_by?: string
    note?: string | null
  }[],
): Promise<void> {
  await transaction
    .insertInto('occurrence_parts')
    .values([...parts])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function updateOccurrence(
  transaction: Transaction<Database>,
  id: number,
  change: Partial<
    Pick<
      Selectable<Database['occurrences']>,
      'state' | 'reason' | 'covered_until' | 'done_at' | 'done_on' | 'extended_until'
    >
  >,
): Promise<void> {
  await transaction.updateTable('occurrences').set(change).where('id', '=', id).execute()
}

export async function addAttempt(transaction: Transaction<Database>, id: number, reason: string): Promise<void> {
  await transaction
    .updateTable('occurrences')
    .set(({ eb }) => ({ extra_attempts: eb('extra_attempts', '+', 1), reason }))
    .where('id', '=', id)
    .execute()
}

/**
 * Opens a locked missed occurrence again. Attempts count from now on, parts that are done stay done, unless the content
 * was renewed since.
 */
export async function reopenMissed(
  transaction: Transaction<Database>,
  id: number,
  { at, until, reason }: { at: Date; until: string; reason: string },
): Promise<void> {
  await sql`
    with renewed as (
      delete from occurrence_parts using occurrences join assignments on assignments.id = assignment_id
      where occurrence_id = ${id} and occurrences.id = ${id} and content_version < version
      returning occurrence_id
    )
    update occurrences set reason = ${reason}, extended_until = ${until}::date, reopened_at = ${at}::timestamptz,
      content_version = version,
      counts_from = case when content_version < version then ${at}::timestamptz else counts_from end,
      state = case when exists (select from occurrence_parts where occurrence_id = ${id})
        and not exists (select from renewed) then 'in_progress' else 'open' end
    from assignments
    where occurrences.id = ${id} and assignments.id = assignment_id`.execute(transaction)
}
