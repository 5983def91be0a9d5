import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'
import { isEnabled } from '../accounts/enabled.js'

// Raw SQL: the conditions on all teams of an audience are nested subqueries without columns, shared as fragments.

/** An assignment whose responsible person leads every team of the audience */
export interface LedAssignment {
  id: number
  title: string
  responsible_id: number
}

const TEAMS = sql`(select team_id from assignment_teams where assignment_id = assignments.id)`

/**
 * Returns the assignments for which one of the users is responsible as lead of all teams of the audience, and locks
 * them in the order of ids.
 */
export async function lockLedAssignments(
  transaction: Transaction<Database>,
  userIds: readonly number[],
): Promise<LedAssignment[]> {
  if (userIds.length === 0) return []
  const { rows } = await sql<LedAssignment>`
    select id, title, responsible_id from assignments
    where responsible_id = any(${userIds}::integer[]) and archived_at is null and everybody_from is null
      and exists ${TEAMS}
      and not exists (
        select from assignment_teams
        where assignment_id = assignments.id and team_id not in (
          select team_id from team_members where user_id = responsible_id and role = 'lead' and until_on is null))
    order by id for no key update`.execute(transaction)
  return rows
}

/**
 * Returns the former responsible person if this person still leads every team of the audience; otherwise the lead of
 * every team who has been a member the longest; null if there is none. Ignores disabled accounts.
 */
export async function findSuccessor(
  transaction: Transaction<Database>,
  assignmentId: number,
  { former, today }: { former: number; today: string },
): Promise<number | null> {
  const { rows } = await sql<{ user_id: number }>`
    select user_id
    from team_members join users on users.id = user_id
    where role = 'lead' and until_on is null and ${isEnabled(today)}
      and team_id in (select team_id from assignment_teams where assignment_id = ${assignmentId})
    group by user_id
    having count(distinct team_id) = (select count(*) from assignment_teams where assignment_id = ${assignmentId})
    order by user_id = ${former} desc, min(from_on), min(team_members.id)
    limit 1`.execute(transaction)
  return rows[0]?.user_id ?? null
}

export async function listLeads(db: Kysely<Database>, teamId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('team_members')
    .select('user_id')
    .distinct()
    .where('team_id', '=', teamId)
    .where('role', '=', 'lead')
    .where('until_on', 'is', null)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Returns the responsible persons of assignments whose accounts are disabled on a day (`YYYY-MM-DD`). */
export async function listDisabledResponsible(db: Kysely<Database>, today: string): Promise<number[]> {
  const rows = await db
    .selectFrom('assignments')
    .innerJoin('users', 'users.id', 'responsible_id')
    .select('users.id')
    .distinct()
    .where('archived_at', 'is', null)
    .where('disabled_on', '<=', today)
    .orderBy('users.id')
    .execute()
  return rows.map(({ id }) => id)
}
