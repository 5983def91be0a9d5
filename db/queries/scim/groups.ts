import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import { type Condition, comparedText } from '../../../src/domain/scim/filter.js'
import { invalidFilter } from '../../../src/domain/scim/refusals.js'
import { toRowId } from '../../../src/domain/scim/row-id.js'
import type { Database } from '../../types.js'
import type { Actor } from '../accounts/audit.js'

// Raw SQL: members are read and changed by sets, from arrays (`unnest`), because a group may have 10,000 of them.

const GROUP = ['id', 'name', 'external_id', 'external_group', 'scim_state', 'created_at'] as const

export type ScimGroup = Pick<Selectable<Database['teams']>, (typeof GROUP)[number]>

const IS_VISIBLE = sql<boolean>`scim_state is distinct from 'deleted'`

/** Returns the team; undefined if it does not exist or SCIM has deleted it. */
export async function findScimGroup(db: Kysely<Database>, id: number): Promise<ScimGroup | undefined> {
  return db.selectFrom('teams').select(GROUP).where('id', '=', id).where(IS_VISIBLE).executeTakeFirst()
}

/** Returns the teams with the name or the external id, also those that SCIM has deleted. */
export async function findNamedGroups(
  transaction: Transaction<Database>,
  { name, externalId }: { name: string; externalId: string | null },
): Promise<ScimGroup[]> {
  return transaction
    .selectFrom('teams')
    .select(GROUP)
    .where(({ eb, or }) => or([eb('name', '=', name), eb('external_id', '=', externalId)]))
    .orderBy('id')
    .execute()
}

export async function setGroupState(
  transaction: Transaction<Database>,
  id: number,
  scim_state: NonNullable<Updateable<Database['teams']>['scim_state']>,
): Promise<void> {
  await transaction.updateTable('teams').set({ scim_state }).where('id', '=', id).execute()
}

/** Returns a page of the teams that SCIM has not deleted, with the number of their members, in the order of ids. */
export async function listScimGroups(
  db: Kysely<Database>,
  { conditions, offset, limit }: { conditions: Condition[]; offset: number; limit: number },
): Promise<{ groups: (ScimGroup & { size: number })[]; total: number }> {
  const restrictions = conditions.map(toSql)
  const found = () =>
    restrictions.reduce((query, restriction) => query.where(restriction), db.selectFrom('teams')).where(IS_VISIBLE)
  const { total } = await found()
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  if (limit === 0 || Number(total) === 0) return { groups: [], total: Number(total) }
  const groups = await found()
    .select(GROUP)
    .select(({ selectFrom }) =>
      selectFrom('team_members')
        .select(sql<number>`count(*)::integer`.as('size'))
        .whereRef('team_id', '=', 'teams.id')
        .where('until_on', 'is', null)
        .$asScalar()
        .$notNull()
        .as('size'),
    )
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
  return { groups, total: Number(total) }
}

/** @throws ScimRefusal `invalidFilter` for an attribute that cannot be compared */
function toSql(condition: Condition): RawBuilder<boolean> {
  const { attribute } = condition
  const compared = comparedText(condition)
  const text = compared ?? ''
  const compare = (comparison: RawBuilder<boolean>) => (compared === undefined ? sql<boolean>`false` : comparison)
  switch (attribute) {
    case 'id':
      return compare(sql<boolean>`teams.id = ${toRowId(text) ?? 0}::integer`)
    case 'displayname':
      // Names in another case count only if no team has the exact name.
      return compare(sql<boolean>`lower(name) = lower(${text}::text) and (
        name = ${text}::text
        or not exists (
          select from teams as exact
          where exact.name = ${text}::text and exact.scim_state is distinct from 'deleted'))`)
    case 'externalid':
      return compare(sql<boolean>`external_id = ${text}::text`)
    case 'members':
    case 'members.value':
      return compare(sql<boolean>`exists (
        select from team_members join users on users.id = user_id
        where team_id = teams.id and user_id = ${toRowId(text) ?? 0}::integer and until_on is null
          and not scim_deleted)`)
    default:
      throw invalidFilter('groups cannot be filtered by this attribute')
  }
}

export interface ScimMember {
  team_id: number
  user_id: number
  display_name: string
}

/** Returns the current members of teams, by hand, by a login and by SCIM, without the accounts that SCIM has deleted. */
export async function listScimMembers(db: Kysely<Database>, teamIds: readonly number[]): Promise<ScimMember[]> {
  return db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['team_id', 'user_id', 'display_name'])
    .distinct()
    .where('team_id', '=', sql<number>`any(${teamIds}::integer[])`)
    .where('until_on', 'is', null)
    .where('scim_deleted', '=', false)
    .orderBy('team_id')
    .orderBy('user_id')
    .execute()
}

/** Returns those of the ids that are accounts SCIM knows, and prevents their deletion until the transaction ends. */
export async function lockKnownUsers(transaction: Transaction<Database>, ids: readonly number[]): Promise<number[]> {
  const rows = await transaction
    .selectFrom('users')
    .select('id')
    .where('id', '=', sql<number>`any(${ids}::integer[])`)
    .where('scim_deleted', '=', false)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return rows.map(({ id }) => id)
}

/** Starts memberships by SCIM. Returns the users who had none. */
export async function insertScimMembers(
  transaction: Transaction<Database>,
  teamId: number,
  userIds: readonly number[],
  today: string,
): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    insert into team_members (team_id, user_id, role, origin, from_on)
    select ${teamId}::integer, user_id, 'member', 'scim', ${today}::date
    from unnest(${userIds}::integer[]) as given (user_id)
    order by user_id
    on conflict (team_id, user_id, origin) where until_on is null do nothing
    returning user_id`.execute(transaction)
  return rows.map(({ user_id }) => user_id)
}

/**
 * Ends memberships by SCIM; others stay. Returns their users.
 * @param only users whose memberships end; all except these if `isExcept`
 */
export async function endScimMembers(
  transaction: Transaction<Database>,
  teamId: number,
  { userIds, isExcept }: { userIds: readonly number[]; isExcept: boolean },
  today: string,
): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    update team_members set until_on = ${today}::date
    where team_id = ${teamId} and origin = 'scim' and until_on is null
      and ${isExcept}::boolean <> (user_id in (select unnest(${userIds}::integer[])))
    returning user_id`.execute(transaction)
  return rows.map(({ user_id }) => user_id)
}

/** Ends the memberships of a user by SCIM in teams that SCIM manages; others stay. Returns their teams. */
export async function endScimMembershipsOf(
  transaction: Transaction<Database>,
  userId: number,
  today: string,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    with ended as (
      update team_members set until_on = ${today}::date
      where user_id = ${userId} and origin = 'scim' and until_on is null
        and (select scim_state from teams where teams.id = team_id) = 'bound'
      returning team_id
    )
    select id, name from teams where id in (select team_id from ended) order by id`.execute(transaction)
  return rows
}

/** Writes an audit entry for each user who has joined or left a team. */
export async function insertMembershipEntries(
  transaction: Transaction<Database>,
  { actor_id, actor, via, address }: Actor,
  {
    action,
    team,
    userIds,
  }: { action: 'team.join' | 'team.leave'; team: { id: number; name: string }; userIds: number[] },
): Promise<void> {
  if (userIds.length === 0) return
  const role = action === 'team.join' ? sql`, 'role', 'member'` : sql``
  await sql`
    insert into audit_log (actor_id, actor, via, address, action, target_id, target, details)
    select ${actor_id}::integer, ${actor}::text, ${via}::text, ${address}::text, ${action}::text, ${team.id}::integer,
      ${team.name}::text, jsonb_build_object('username', username${role})
    from users where id in (select unnest(${userIds}::integer[]))
    order by id`.execute(transaction)
}
