import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AUDITED_GROUPS } from '../../../src/domain/accounts/auditor.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import type { CertificateScope } from '../certificates/search.js'

// Raw SQL: rows come from arrays (`unnest`), and views are read per assignment (`lateral`) with conditions on JSON.

export interface Actor {
  actor_id: number | null
  actor: string
  via: Database['audit_log']['via']
  address: string | null
}

export type AuditAction =
  | 'user.create'
  | 'user.update'
  | 'user.delete'
  | 'user.password'
  | 'user.sessions'
  | 'user.tokens'
  | 'user.passkeys'
  | 'user.identities'
  | 'login.emergency'
  | 'identity.link'
  | 'identity.unlink'
  | 'token.create'
  | 'token.delete'
  | 'token.service'
  | 'passkey.create'
  | 'passkey.delete'
  | 'content.import'
  | 'content.upload'
  | 'source.create'
  | 'source.rename'
  | 'source.archive'
  | 'source.restore'
  | 'source.adopt'
  | 'source.purge'
  | 'source.release'
  | 'card.reset'
  | 'card.purge'
  | 'editor.add'
  | 'editor.remove'
  | 'proof.revoke'
  | 'proof.replace'
  | 'proof.export'
  | 'proof.view'
  | 'report.settle'
  | 'report.reopen'
  | 'team.create'
  | 'team.update'
  | 'team.delete'
  | 'team.join'
  | 'team.leave'
  | 'assignment.create'
  | 'assignment.update'
  | 'assignment.delete'
  | 'assignment.renew'
  | 'assignment.correct'
  | 'assignment.view'
  | 'mail.resend'
  | 'mail.test'
  | 'webhook.create'
  | 'webhook.update'
  | 'webhook.delete'
  | 'webhook.test'
  | 'webhook.resend'
  | 'occurrence.confirm'
  | 'occurrence.exempt'
  | 'occurrence.extend'
  | 'occurrence.recognise'
  | 'occurrence.reopen'
  | 'occurrence.attempt'

export interface AuditEntry extends Actor {
  id: number
  at: Date
  action: string
  target_id: number | null
  target: string | null
  details: unknown
}

/** `details` must not contain secrets. */
export interface AuditedAction {
  action: AuditAction
  target_id?: number
  target?: string
  details?: object
}

/** Inserts an entry. An entry about a change must be inserted in the transaction of the change. */
export async function insertAuditEntry(db: Kysely<Database>, actor: Actor, deed: AuditedAction): Promise<void> {
  const { details, ...rest } = deed
  await db
    .insertInto('audit_log')
    .values({ ...actor, ...rest, details: details === undefined ? null : JSON.stringify(details) })
    .execute()
}

/** A view or export of persons of assignments */
export interface Seen {
  /** `YYYY-MM-DD` */
  day: string
  /** Sorted ids of the teams whose members were shown; undefined if all persons were shown */
  teams: readonly number[] | undefined
  /** Purpose of an export */
  purpose?: string | undefined
}

/**
 * Records that the actor has viewed the persons of an assignment, unless the log already contains this view for the
 * same day and teams. An export with a purpose is always recorded.
 */
export async function recordView(
  db: Kysely<Database>,
  actor: Actor,
  { id, title, ...seen }: { id: number; title: string } & Seen,
): Promise<void> {
  await insertViews(db, actor, sql`select ${id}::integer as id, ${title}::text as title`, seen)
}

/** Records for each of the assignments what `recordView` records for one. */
export async function recordViews(
  db: Kysely<Database>,
  actor: Actor,
  assignmentIds: readonly number[],
  seen: Seen,
): Promise<void> {
  const viewed = sql`select id, title from assignments where id = any(${assignmentIds}::integer[])`
  await insertViews(db, actor, viewed, seen)
}

/** @param viewed query with the columns `id` and `title` of the assignments */
async function insertViews(
  db: Kysely<Database>,
  { actor_id, actor, via, address }: Actor,
  viewed: RawBuilder<unknown>,
  seen: Seen,
): Promise<void> {
  const details = JSON.stringify(seen)
  await sql`
    insert into audit_log (actor_id, actor, via, address, action, target_id, target, details)
    select ${actor_id}::integer, ${actor}::text, ${via}::text, ${address}::text, 'assignment.view', viewed.id, title,
      ${details}::jsonb
    from (${viewed}) as viewed
    where ${seen.purpose !== undefined} or not exists (
      select from audit_log
      where action = 'assignment.view' and actor_id = ${actor_id} and target_id = viewed.id
        and details = ${details}::jsonb)
    order by viewed.id`.execute(db)
}

/**
 * Records that the actor has viewed certificates, unless the log already contains this view for the same day and scope.
 * The entry names the assignments if the actor may not see all certificates.
 */
export async function recordCertificateView(
  db: Kysely<Database>,
  { actor_id, actor, via, address }: Actor,
  { day, scope }: { day: string; scope: CertificateScope },
): Promise<void> {
  const details =
    scope === 'all'
      ? sql`jsonb_build_object('day', ${day}::text)`
      : sql`jsonb_build_object('day', ${day}::text, 'assignments', (
          select coalesce(jsonb_agg(id order by id), '[]') from assignments
          where responsible_id = ${scope.responsibleId} and archived_at is null))`
  await sql`
    insert into audit_log (actor_id, actor, via, address, action, details)
    select ${actor_id}::integer, ${actor}::text, ${via}::text, ${address}::text, 'proof.view', details
    from (select ${details} as details) as seen
    where not exists (
      select from audit_log
      where action = 'proof.view' and actor_id = ${actor_id} and audit_log.details = seen.details)`.execute(db)
}

/** Records that the actor has exported certificates of the assignments, also of deleted ones. */
export async function recordCertificateExports(
  db: Kysely<Database>,
  { actor_id, actor, via, address }: Actor,
  assignmentIds: readonly number[],
  seen: Seen & { purpose: string },
): Promise<void> {
  await sql`
    insert into audit_log (actor_id, actor, via, address, action, target_id, target, details)
    select ${actor_id}::integer, ${actor}::text, ${via}::text, ${address}::text, 'proof.export', exported.id, title,
      ${JSON.stringify(seen)}::jsonb
    from (select distinct unnest(${assignmentIds}::integer[]) as id) as exported
      left join assignments on assignments.id = exported.id
    order by exported.id`.execute(db)
}

export async function insertAuditEntries(db: Kysely<Database>, actor: Actor, deeds: AuditedAction[]): Promise<void> {
  const { actor_id, actor: name, via, address } = actor
  await sql`
    insert into audit_log (actor_id, actor, via, address, action, target_id, target, details)
    select ${actor_id}::integer, ${name}::text, ${via}::text, ${address}::text, action, target_id, target, details::jsonb
    from unnest(
      ${deeds.map(({ action }) => action)}::text[], ${deeds.map(({ target_id }) => target_id ?? null)}::integer[],
      ${deeds.map(({ target }) => target ?? null)}::text[],
      ${deeds.map(({ details }) => (details === undefined ? null : JSON.stringify(details)))}::text[]
    ) with ordinality as deed (action, target_id, target, details, position)
    order by position`.execute(db)
}

export interface AuditFilter {
  limit: number
  action?: string | undefined
  /** The actor's user name at the time of the action, in any Unicode form */
  actor?: string | undefined
  /** Only entries with a lower id */
  before?: number | undefined
  /** Whether the reader is only an auditor, who sees entries on assignments and certificates, without addresses */
  onlyAudited?: boolean
}

export async function listAuditEntries(
  db: Kysely<Database>,
  { limit, action, actor, before, onlyAudited = false }: AuditFilter,
): Promise<AuditEntry[]> {
  if (![action, actor].every((text) => text === undefined || isStorable(text))) return []
  let query = db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit)
  if (action !== undefined) query = query.where('action', '=', action)
  if (actor !== undefined) query = query.where(sql<boolean>`normalize(actor, NFC) = normalize(${actor}::text, NFC)`)
  if (before !== undefined) query = query.where('id', '<', before)
  if (!onlyAudited) return query.execute()
  const entries = await query.where(sql`split_part(action, '.', 1)`, 'in', AUDITED_GROUPS).execute()
  return entries.map((entry) => ({ ...entry, address: null }))
}

/** A view or export that included data of a person. */
export interface Access {
  id: number
  at: Date
  kind: 'view' | 'export'
  /** Current display name of the actor; the user name at the time of the access if the account was deleted */
  actor: string
  /** Title of the assignment; null if certificates of several assignments were viewed or exported */
  title: string | null
  /** Stated purpose of an export; null for a view */
  purpose: string | null
}

/**
 * Returns views of the person's state and certificates, and exports of the person's certificates by other users, newest first. Omits
 * those that did not show the person: of other teams, and views before the person's first period of the assignment.
 */
export async function listAccesses(
  db: Kysely<Database>,
  userId: number,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Access[]> {
  const isOfOthers = sql`actor_id is distinct from ${userId} and (${before ?? null}::bigint is null or id < ${before ?? null})`
  const latest = sql`order by id desc limit ${limit}`
  const showsTeam = sql`(details -> 'teams' is null or exists (
    select from team_members
    where user_id = ${userId} and details -> 'teams' @> to_jsonb(team_id) and from_on <= (details ->> 'day')::date
      and (until_on is null or until_on >= (details ->> 'day')::date)))`
  const { rows } = await sql<Access>`
    with entries as (
      select entry.* from (
        select assignment_id, min(period) as first_period from occurrences where user_id = ${userId} group by assignment_id
      ) as own cross join lateral (
        select id, at, case when details ? 'purpose' then 'export' else 'view' end as kind, actor_id, actor,
          target as title, details ->> 'purpose' as purpose
        from audit_log
        where action = 'assignment.view' and target_id = assignment_id and ${isOfOthers}
          and first_period <= (details ->> 'day')::date
          and ${showsTeam}
        ${latest}
      ) as entry
      union all
      (
        select id, at, 'export', actor_id, actor, target, details ->> 'purpose'
        from audit_log
        where action = 'proof.export' and ${isOfOthers} and ${showsTeam}
          and exists (
            select from proofs
            where user_id = ${userId} and issued_at <= at and (target_id is null or assignment_id = target_id))
        ${latest}
      )
      union all
      (
        select id, at, 'view', actor_id, actor, null, null
        from audit_log
        where action = 'proof.view' and ${isOfOthers}
          and exists (
            select from proofs
            where user_id = ${userId} and issued_at < (details ->> 'day')::date + 1
              and (details -> 'assignments' is null or details -> 'assignments' @> to_jsonb(assignment_id)))
        ${latest}
      )
    )
    select entries.id, at, kind, coalesce(display_name, actor) as actor, title, purpose
    from entries left join users on users.id = actor_id
    order by entries.id desc limit ${limit}`.execute(db)
  return rows
}
