import { type Kysely, sql, type Transaction } from 'kysely'
import type { ClaimedMembership } from '../../../src/domain/teams/follow-groups.js'
import type { TeamRole } from '../../../src/domain/teams/teams.js'
import type { Database } from '../../types.js'

// Raw SQL: `on conflict` names a partial index, and rows come from arrays (`unnest`).

/** A current member. A person with several memberships, by hand and by group, has the higher role. */
export interface TeamMember {
  id: number
  username: string
  display_name: string
  role: TeamRole
  /** Whether the provider's groups make the person a member, by a login or by SCIM */
  by_group: boolean
  /** Whether administrators may end a membership; may be true together with `by_group` */
  by_hand: boolean
}

/** Whether administrators may end a membership: by hand, or by SCIM in a team that SCIM no longer manages */
const IS_BY_HAND = sql<boolean>`(origin = 'hand' or (origin = 'scim'
  and (select scim_state from teams where teams.id = team_members.team_id) is distinct from 'bound'))`

/** The higher role of two memberships */
const HIGHER_ROLE = sql<TeamRole>`case when bool_or(role = 'lead') then 'lead' else 'member' end`

const NAME = sql`display_name collate "und-x-icu"`

/** Place of a member in the list, which begins with the leads */
export type MemberPlace = Pick<TeamMember, 'id' | 'role' | 'display_name'>

/** Lists the current members, leads first. @param page default: all members */
export async function listMembers(
  db: Kysely<Database>,
  teamId: number,
  page?: { after: MemberPlace | undefined; limit: number },
): Promise<TeamMember[]> {
  const members = db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['users.id', 'username', 'display_name', HIGHER_ROLE.as('role')])
    .select(({ fn, not }) => [
      fn<boolean>('bool_or', [not(IS_BY_HAND)]).as('by_group'),
      fn<boolean>('bool_or', [IS_BY_HAND]).as('by_hand'),
    ])
    .where('team_id', '=', teamId)
    .where('until_on', 'is', null)
    .groupBy('users.id')
  const listed = db.selectFrom(members.as('member')).selectAll().orderBy('role').orderBy(NAME).orderBy('id')
  if (page === undefined) return listed.execute()
  const { after, limit } = page
  const rest =
    after === undefined
      ? listed
      : listed.where(
          sql<boolean>`(role, ${NAME}, id) > (${after.role}::text, ${after.display_name}::text, ${after.id}::integer)`,
        )
  return rest.limit(limit).execute()
}

/** Returns the place of a member, also of a former one; undefined if the user was never a member or is deleted. */
export async function findMemberPlace(
  db: Kysely<Database>,
  teamId: number,
  userId: number,
): Promise<MemberPlace | undefined> {
  return db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['users.id', 'display_name', HIGHER_ROLE.as('role')])
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .groupBy('users.id')
    .executeTakeFirst()
}

/** If the user has two memberships in the team, `role` is the higher role. */
export interface TeamOfUser {
  id: number
  name: string
  role: TeamRole
}

export async function listTeamsOf(db: Kysely<Database>, userId: number): Promise<TeamOfUser[]> {
  return db
    .selectFrom('team_members')
    .innerJoin('teams', 'teams.id', 'team_id')
    .select(['teams.id', 'name', HIGHER_ROLE.as('role')])
    .where('user_id', '=', userId)
    .where('until_on', 'is', null)
    .groupBy('teams.id')
    .orderBy(sql`name collate "und-x-icu"`)
    .orderBy('teams.id')
    .execute()
}

/** Returns the ids of the teams that the user leads now, in ascending order. */
export async function listLedTeams(db: Kysely<Database>, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('team_members')
    .select('team_id')
    .distinct()
    .where('user_id', '=', userId)
    .where('role', '=', 'lead')
    .where('until_on', 'is', null)
    .orderBy('team_id')
    .execute()
  return rows.map(({ team_id }) => team_id)
}

/** Makes the user a member by hand, or changes the role of that membership. Returns false if nothing changes. */
export async function setMember(
  transaction: Transaction<Database>,
  { teamId, userId, role, today }: { teamId: number; userId: number; role: TeamRole; today: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into team_members (team_id, user_id, role, origin, from_on)
    values (${teamId}, ${userId}, ${role}, 'hand', ${today})
    on conflict (team_id, user_id, origin) where until_on is null
      do update set role = excluded.role where team_members.role <> excluded.role`.execute(transaction)
  return numAffectedRows === 1n
}

interface Membership {
  team_id: number
  user_id: number
}

const given = (members: readonly Membership[]) => sql`
  unnest(${members.map(({ team_id }) => team_id)}::integer[], ${members.map(({ user_id }) => user_id)}::integer[])
    as given (team_id, user_id)`

/**
 * Inserts memberships by hand with the role `member`. None of the users may already have a current membership by hand
 * in the team.
 */
export async function insertMembers(
  transaction: Transaction<Database>,
  members: readonly Membership[],
  today: string,
): Promise<void> {
  if (members.length === 0) return
  await sql`
    insert into team_members (team_id, user_id, role, origin, from_on)
    select team_id, user_id, 'member', 'hand', ${today}::date
    from ${given(members)}`.execute(transaction)
}

/** Lists the current memberships of users; a user may have several in a team, by hand and by group. */
export async function listMembershipsOf(
  db: Kysely<Database>,
  userIds: readonly number[],
): Promise<{ user_id: number; team_id: number; name: string; role: TeamRole; by_hand: boolean }[]> {
  return db
    .selectFrom('team_members')
    .innerJoin('teams', 'teams.id', 'team_id')
    .select(['user_id', 'team_id', 'name', 'role', IS_BY_HAND.as('by_hand')])
    .where('user_id', '=', sql<number>`any(${userIds}::integer[])`)
    .where('until_on', 'is', null)
    .orderBy('user_id')
    .orderBy('name')
    .execute()
}

/** Ends those of the memberships that administrators may end. Returns their number. */
export async function endMemberships(
  transaction: Transaction<Database>,
  members: readonly Membership[],
  today: string,
): Promise<number> {
  if (members.length === 0) return 0
  const { numAffectedRows } = await sql`
    update team_members set until_on = ${today}::date
    from ${given(members)}
    where team_members.team_id = given.team_id and team_members.user_id = given.user_id and ${IS_BY_HAND}
      and until_on is null`.execute(transaction)
  return Number(numAffectedRows)
}

export async function isMember(db: Kysely<Database>, teamId: number, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('team_members')
    .select('id')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('until_on', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function listClaimedMemberships(db: Kysely<Database>, userId: number): Promise<ClaimedMembership[]> {
  return db
    .selectFrom('team_members')
    .select(['id', 'team_id'])
    .where('user_id', '=', userId)
    .where('origin', '=', 'claim')
    .where('until_on', 'is', null)
    .orderBy('id')
    .execute()
}

/** Starts memberships by the provider's groups in the teams `join` and ends the memberships with the ids `end`. */
export async function moveClaimedMemberships(
  transaction: Transaction<Database>,
  userId: number,
  { join, end }: { join: number[]; end: number[] },
  today: string,
): Promise<void> {
  if (end.length > 0) {
    await transaction
      .updateTable('team_members')
      .set({ until_on: today })
      .where('id', '=', ({ fn, val }) => fn.any(val(end)))
      .execute()
  }
  if (join.length > 0) {
    // Skips a team that a concurrent request has deleted.
    await sql`
      insert into team_members (team_id, user_id, role, origin, from_on)
      select id, ${userId}, 'member', 'claim', ${today} from teams where id = any(${join}::integer[]) order by id for key share
      on conflict (team_id, user_id, origin) where until_on is null do nothing`.execute(transaction)
  }
}

export async function endClaimedMembers(
  transaction: Transaction<Database>,
  teamId: number,
  today: string,
): Promise<void> {
  await transaction
    .updateTable('team_members')
    .set({ until_on: today })
    .where('team_id', '=', teamId)
    .where('origin', '=', 'claim')
    .where('until_on', 'is', null)
    .execute()
}

/** Makes the memberships that SCIM has left to a team follow its group of logins. */
export async function claimReleasedMembers(transaction: Transaction<Database>, teamId: number): Promise<void> {
  await transaction
    .updateTable('team_members')
    .set({ origin: 'claim' })
    .where('team_id', '=', teamId)
    .where('origin', '=', 'scim')
    .where('until_on', 'is', null)
    .execute()
}
