import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { type ChangedIds, changesSince } from '../changes.js'

// Raw SQL: the first part of the search is materialized, so that it reads only an index, and names are compared folded.

/** Whose certificates a reader may see: all, or those of assignments that a user is responsible for */
export type CertificateScope = 'all' | { responsibleId: number }

export const CERTIFICATE_STATES = ['valid', 'expiring', 'expired', 'revoked'] as const

export interface CertificateFilter {
  /** Part of the name or personnel number on the certificate, case-insensitive and in any Unicode form */
  q: string | undefined
  userId: number | undefined
  assignmentId: number | undefined
  /** Only persons who are members of the team now */
  teamId: number | undefined
  completedFrom: string | undefined
  completedTo: string | undefined
  state: (typeof CERTIFICATE_STATES)[number] | undefined
  today: string
  /** Last day of `expiring` */
  until: string
}

export interface FoundCertificate
  extends Pick<
    Selectable<Database['proofs']>,
    'id' | 'code' | 'snapshot' | 'completed_on' | 'valid_until' | 'revoked_at'
  > {}

const isInScope = (scope: CertificateScope, assignmentId = sql.ref('assignment_id')) =>
  scope === 'all'
    ? sql`true`
    : sql`${assignmentId} in (
        select id from assignments where responsible_id = ${scope.responsibleId} and archived_at is null)`

const isMember = (teamId: number | undefined) =>
  teamId === undefined
    ? sql`true`
    : sql`user_id in (select user_id from team_members where team_id = ${teamId} and until_on is null)`

function hasState({ state, today, until }: CertificateFilter): RawBuilder<unknown> {
  const isValid = sql`revoked_at is null and (valid_until is null or valid_until >= ${today}::date)`
  switch (state) {
    case undefined:
      return sql`true`
    case 'revoked':
      return sql`revoked_at is not null`
    case 'valid':
      return isValid
    case 'expired':
      return sql`revoked_at is null and valid_until < ${today}::date`
    case 'expiring':
      return sql`${isValid} and valid_until <= ${until}::date`
  }
}

/**
 * Returns certificates that were not replaced, the newest first.
 * @param after only certificates with a lower id
 */
export async function searchCertificates(
  db: Kysely<Database>,
  scope: CertificateScope,
  filter: CertificateFilter,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<FoundCertificate[]> {
  const conditions = [matches(scope, filter), ...(after === undefined ? [] : [sql`id < ${after}`])]
  const { rows } = await sql<FoundCertificate>`
    with found as materialized (
      select id from proofs where ${sql.join(conditions, sql` and `)} order by id desc limit ${limit}
    )
    select id, code, snapshot, completed_on, valid_until, revoked_at
    from found join proofs using (id) order by id desc`.execute(db)
  return rows
}

function matches(scope: CertificateScope, filter: CertificateFilter): RawBuilder<unknown> {
  const { q, userId, assignmentId, teamId, completedFrom, completedTo } = filter
  const conditions = [
    sql`replaced_by is null`,
    isInScope(scope),
    isMember(teamId),
    hasState(filter),
    ...(q === undefined ? [] : [isStorable(q) ? sql`strpos(person_key, fold_text(${q}::text)) > 0` : sql`false`]),
    ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
    ...(assignmentId === undefined ? [] : [sql`assignment_id = ${assignmentId}`]),
    ...(completedFrom === undefined ? [] : [sql`completed_on >= ${completedFrom}::date`]),
    ...(completedTo === undefined ? [] : [sql`completed_on <= ${completedTo}::date`]),
  ]
  return sql.join(conditions, sql` and `)
}

/**
 * Returns the ids of found certificates that are new or have changed, or that the reader may see since then. Also returns
 * those of deleted and replaced ones of the assignments that the reader may see, whatever the filter, except its assignment.
 */
export async function listChangedCertificates(
  db: Kysely<Database>,
  scope: CertificateScope,
  filter: CertificateFilter,
  { since, after, limit }: ChangedIds,
): Promise<number[]> {
  const isNewlyVisible =
    scope === 'all'
      ? sql`false`
      : sql`assignment_id in (select object_id from ${changesSince('overseer', since)} as log)`
  const { assignmentId } = filter
  const isOfAssignment = assignmentId === undefined ? sql`true` : sql`log.scope_id = ${assignmentId}`
  const { rows } = await sql<{ id: number }>`
    select id from (
      select id from proofs
      where id > ${after} and ${matches(scope, filter)}
        and (id in (select object_id from ${changesSince('proof', since)} as log) or ${isNewlyVisible})
      union
      select object_id from ${changesSince('proof', since)} as log
      where object_id > ${after} and ${isInScope(scope, sql.ref('log.scope_id'))} and ${isOfAssignment}
        and not exists (select from proofs where proofs.id = log.object_id and replaced_by is null)
    ) as changed
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns those of the certificates that a search finds. */
export async function findListedCertificates(
  db: Kysely<Database>,
  scope: CertificateScope,
  filter: CertificateFilter,
  ids: readonly number[],
): Promise<FoundCertificate[]> {
  const { rows } = await sql<FoundCertificate>`
    select id, code, snapshot, completed_on, valid_until, revoked_at
    from proofs where id = any(${ids}::integer[]) and ${matches(scope, filter)}`.execute(db)
  return rows
}

/** A certificate or an open task that ends soon */
export interface EndingItem {
  kind: 'proof' | 'task'
  /** Id of the certificate or occurrence */
  id: number
  /** Code of the certificate; null for a task */
  code: string | null
  name: string
  personnel_number: string | null
  assignment_id: number
  title: string
  /** Last day of the certificate, or due day of the task with its extension */
  ends_on: string
  /** Names of the current teams of the person */
  teams: string[]
}

export interface EndingFilter {
  proofs: CertificateScope
  tasks: CertificateScope
  assignmentId: number | undefined
  teamId: number | undefined
  today: string
  until: string
}

/** The certificates or tasks that end on one day, and the assignments that they belong to */
export type EndingDay = Pick<EndingItem, 'kind' | 'ends_on'> & { ids: number[]; assignment_ids: number[] }

export type EndingKey = Pick<EndingItem, 'kind' | 'id' | 'ends_on'>

/**
 * Returns the certificates and open tasks that end from today to `until`, the earliest first. Omits certificates whose
 * person has a later one for the same assignment that ends after `until`.
 */
export async function listEndingDays(
  db: Kysely<Database>,
  { proofs, tasks, assignmentId, teamId, today, until }: EndingFilter,
  limit: number,
): Promise<EndingDay[]> {
  const isWanted = sql`${isMember(teamId)} and ${
    assignmentId === undefined ? sql`true` : sql`assignment_id = ${assignmentId}`
  }`
  const { rows } = await sql<EndingDay>`
    with ending as materialized (
      select 'proof' as kind, id, valid_until as ends_on, assignment_id
      from proofs
      where replaced_by is null and revoked_at is null and valid_until between ${today}::date and ${until}::date
        and ${isInScope(proofs)} and ${isWanted}
        and not exists (
          select from proofs as later
          where later.user_id = proofs.user_id and later.assignment_id = proofs.assignment_id
            and later.revoked_at is null and later.replaced_by is null
            and (later.valid_until is null or later.valid_until > ${until}::date))
      union all
      select 'task', occurrences.id, coalesce(extended_until, occurrences.due_on), assignment_id
      from occurrences join assignments on assignments.id = assignment_id
      where state in ('open', 'in_progress') and archived_at is null
        and coalesce(extended_until, occurrences.due_on) between ${today}::date and ${until}::date
        and ${isInScope(tasks)} and ${isWanted}
      order by ends_on, kind, id limit ${limit}
    )
    select kind, ends_on, json_agg(id order by id) as ids, json_agg(distinct assignment_id) as assignment_ids
    from ending group by ends_on, kind order by ends_on, kind`.execute(db)
  return rows
}

/** Returns the certificates and tasks with the keys, in the order of the keys. Omits deleted ones. */
export async function findEnding(db: Kysely<Database>, keys: readonly EndingKey[]): Promise<EndingItem[]> {
  const column = (name: keyof EndingKey) => keys.map((key) => key[name])
  const { rows } = await sql<EndingItem>`
    with wanted as (
      select * from unnest(${column('kind')}::text[], ${column('id')}::integer[], ${column('ends_on')}::date[])
        with ordinality as wanted (kind, wanted_id, ends_on, place)
    ), found as (
      select place, kind, id, code, snapshot::jsonb ->> 'name' as name,
        snapshot::jsonb ->> 'personnel_number' as personnel_number, assignment_id, snapshot::jsonb ->> 'title' as title,
        ends_on, user_id
      from wanted join proofs on kind = 'proof' and id = wanted_id
      union all
      select place, kind, occurrences.id, null, display_name, personnel_number, assignment_id, title, ends_on, user_id
      from wanted
        join occurrences on kind = 'task' and occurrences.id = wanted_id
        join users on users.id = user_id
        join assignments on assignments.id = assignment_id
    )
    select kind, id, code, name, personnel_number, assignment_id, title, ends_on, array(
        select name from team_members join teams on teams.id = team_id
        where team_members.user_id = found.user_id and until_on is null order by name
      ) as teams
    from found order by place`.execute(db)
  return rows
}

/** Assignments with certificates or tasks that a reader may see, and the teams of their persons, by name */
export interface CertificateChoices {
  assignments: { id: number; title: string }[]
  teams: { id: number; name: string }[]
}

export async function listChoices(db: Kysely<Database>, scope: CertificateScope): Promise<CertificateChoices> {
  const { rows } = await sql<CertificateChoices>`
    with visible as (
      select id, title from assignments where ${
        scope === 'all'
          ? sql`archived_at is null or exists (select from proofs where assignment_id = assignments.id)`
          : sql`archived_at is null and responsible_id = ${scope.responsibleId}`
      }
    )
    select
      (select coalesce(json_agg(json_build_object('id', id, 'title', title) order by title, id), '[]') from visible)
        as assignments,
      (select coalesce(json_agg(json_build_object('id', id, 'name', name) order by name, id), '[]') from teams
        where ${
          scope === 'all'
            ? sql`true`
            : sql`exists (
              select from team_members join occurrences using (user_id) join visible on visible.id = assignment_id
              where team_id = teams.id and until_on is null)`
        }) as teams`.execute(db)
  return rows[0] as CertificateChoices
}

/** Returns the title of an assignment, also of an archived one; undefined if the reader may not see its certificates. */
export async function findTitle(
  db: Kysely<Database>,
  id: number,
  scope: CertificateScope,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('assignments')
    .select('title')
    .where('id', '=', id)
    .$if(scope !== 'all', (query) => query.where('archived_at', 'is', null))
    .$if(scope !== 'all', (query) =>
      query.where('responsible_id', '=', (scope as Exclude<CertificateScope, 'all'>).responsibleId),
    )
    .executeTakeFirst()
  return row?.title
}

/** Returns whether the certificate of an assignment is in the scope. */
export async function isCertificateInScope(
  db: Kysely<Database>,
  assignmentId: number,
  scope: CertificateScope,
): Promise<boolean> {
  return scope === 'all' || (await findTitle(db, assignmentId, scope)) !== undefined
}

/** Returns the codes of the certificates of an assignment that are neither replaced nor revoked, the oldest first. */
export async function listInForce(db: Kysely<Database>, assignmentId: number): Promise<string[]> {
  const { rows } = await sql<{ codes: string[] | null }>`
    select array_agg(code order by id) as codes from proofs
    where assignment_id = ${assignmentId} and replaced_by is null and revoked_at is null`.execute(db)
  return rows[0]?.codes ?? []
}
