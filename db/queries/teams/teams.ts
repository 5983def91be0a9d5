import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { TeamInput, ViewableTeams } from '../../../src/domain/teams/teams.js'
import type { Database } from '../../types.js'
import { type ChangedIds, changesSince } from '../changes.js'

// Raw SQL: an advisory lock is a function call without a table; changes come from a union of the log.

const TEAM = ['id', 'name', 'external_group', 'external_id', 'created_at', 'edit_version as version'] as const

export type Team = Omit<Selectable<Database['teams']>, 'edit_version' | 'scim_state'> & { version: number }

/** A team with the number of its current members, leads included. */
export type ListedTeam = Team & { members: number }

/** @param ids default: all */
export async function listTeams(
  db: Kysely<Database>,
  viewable: ViewableTeams,
  ids?: readonly number[],
): Promise<ListedTeam[]> {
  return db
    .selectFrom('teams')
    .select((eb) => [
      ...(['teams.id', 'teams.name', 'teams.external_group', 'teams.external_id', 'teams.created_at'] as const),
      'edit_version as version',
      eb
        .selectFrom('team_members')
        .select(sql<number>`count(distinct user_id)::integer`.as('members'))
        .whereRef('team_id', '=', 'teams.id')
        .where('until_on', 'is', null)
        .$asScalar()
        .$notNull()
        .as('members'),
    ])
    .$if(viewable !== 'all', (query) =>
      query.where('teams.id', '=', sql<number>`any(${[...(viewable as ReadonlySet<number>)]}::integer[])`),
    )
    .$if(ids !== undefined, (query) => query.where('teams.id', '=', sql<number>`any(${ids}::integer[])`))
    .orderBy(sql`name collate "und-x-icu"`)
    .orderBy('id')
    .execute()
}

/**
 * Returns the ids of viewable teams that have changed, whose members have, or that the reader leads since then. Returns
 * deleted teams only if all teams are viewable.
 */
export async function listChangedTeams(
  db: Kysely<Database>,
  { userId, viewable }: { userId: number; viewable: ViewableTeams },
  { since, after, limit }: ChangedIds,
): Promise<number[]> {
  const isViewable = viewable === 'all' ? sql`true` : sql`id = any(${[...viewable]}::integer[])`
  const { rows } = await sql<{ id: number }>`
    select id from (
      select object_id as id from ${changesSince('team', since)} as log where object_id > ${after}
      union select scope_id from ${changesSince('member', since)} as log where scope_id > ${after}
      union select scope_id from ${changesSince('role', since)} as log
      where ${viewable !== 'all'} and object_id = ${userId} and scope_id > ${after}
    ) as changed
    where ${isViewable} order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

export async function findTeam(db: Kysely<Database>, id: number): Promise<Team | undefined> {
  return db.selectFrom('teams').select(TEAM).where('id', '=', id).executeTakeFirst()
}

/** Returns the team with whether SCIM manages it. */
export async function findTeamWithManager(
  db: Kysely<Database>,
  id: number,
): Promise<(Team & { by_scim: boolean }) | undefined> {
  return db
    .selectFrom('teams')
    .select([...TEAM, sql<boolean>`scim_state is not distinct from 'bound'`.as('by_scim')])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function findTeamByExternalId(db: Kysely<Database>, externalId: string): Promise<Team | undefined> {
  return db.selectFrom('teams').select(TEAM).where('external_id', '=', externalId).executeTakeFirst()
}

export async function lockTeam(
  transaction: Transaction<Database>,
  id: number,
): Promise<(Team & Pick<Selectable<Database['teams']>, 'scim_state'>) | undefined> {
  return transaction
    .selectFrom('teams')
    .select([...TEAM, 'scim_state'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Returns the teams with these names and, within a transaction, prevents their deletion until it ends. */
export async function findTeamsByName(db: Kysely<Database>, names: string[]): Promise<Pick<Team, 'id' | 'name'>[]> {
  if (names.length === 0) return []
  return db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('name', '=', sql<string>`any(${names}::text[])`)
    .forKeyShare()
    .execute()
}

export async function findTeamsOfGroups(db: Kysely<Database>, groups: string[]): Promise<number[]> {
  if (groups.length === 0) return []
  const rows = await db
    .selectFrom('teams')
    .select('id')
    .where('external_group', '=', sql<string>`any(${groups}::text[])`)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function insertTeam(
  db: Kysely<Database>,
  team: { name: string; external_group: string | null; external_id?: string | null | undefined },
): Promise<Team> {
  return db.insertInto('teams').values(team).returning(TEAM).executeTakeFirstOrThrow()
}

/** Returns the key whose value another team has; undefined if the name, the group and the external id are free. */
export async function findTakenKey(
  db: Kysely<Database>,
  {
    id,
    name,
    external_group = null,
    external_id = null,
  }: {
    id?: number
    name?: string | undefined
    external_group?: string | null | undefined
    external_id?: string | null | undefined
  },
): Promise<'name' | 'external_group' | 'external_id' | undefined> {
  const other = await db
    .selectFrom('teams')
    .select(['name', 'external_group'])
    .where('id', '<>', id ?? 0)
    .where((eb) =>
      eb.or([
        eb('name', '=', name ?? null),
        eb('external_group', '=', external_group),
        eb('external_id', '=', external_id),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (other === undefined) return undefined
  if (other.name === name) return 'name'
  return external_group !== null && other.external_group === external_group ? 'external_group' : 'external_id'
}

/** Changes a team and raises its version. */
export async function updateTeam(transaction: Transaction<Database>, id: number, change: TeamInput): Promise<Team> {
  return transaction
    .updateTable('teams')
    .set({
      ...change,
      // A team that SCIM has deleted may get a group, and then belongs to the logins.
      ...(change.external_group && { scim_state: null }),
      edit_version: sql`edit_version + 1`,
    })
    .where('id', '=', id)
    .returning(TEAM)
    .executeTakeFirstOrThrow()
}

/** Ends the connection of a team with SCIM, including its external id, and raises its version. */
export async function releaseFromScim(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction
    .updateTable('teams')
    .set({ scim_state: null, external_id: null, edit_version: sql`edit_version + 1` })
    .where('id', '=', id)
    .execute()
}

/** Serialises the changes of names, groups and external ids of teams until the transaction ends, so that they stay unique. */
export async function lockTeamNames(transaction: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('svc-training teams'))`.execute(transaction)
}

export async function deleteTeam(transaction: Transaction<Database>, id: number): Promise<string | undefined> {
  const row = await transaction.deleteFrom('teams').where('id', '=', id).returning('name').executeTakeFirst()
  return row?.name
}
