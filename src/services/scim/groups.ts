import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  endScimMembers,
  findNamedGroups,
  findScimGroup,
  insertMembershipEntries,
  insertScimMembers,
  lockKnownUsers,
  type ScimGroup,
  setGroupState,
} from '../../../db/queries/scim/groups.js'
import { lockTeam, lockTeamNames } from '../../../db/queries/teams/teams.js'
import type { Database } from '../../../db/types.js'
import { EXTERNAL_ID_TAKEN } from '../../domain/external-id.js'
import { Refusal } from '../../domain/refusal.js'
import type { GroupInput, MemberChanges, NewGroupInput } from '../../domain/scim/group.js'
import { GROUP_OF_LOGINS, invalidValue, notUnique, SCIM_NOT_FOUND } from '../../domain/scim/refusals.js'
import { toRowId } from '../../domain/scim/row-id.js'
import { TEAM_TAKEN } from '../../domain/teams/refusals.js'
import { storeTeam, updateStoredTeam } from '../teams/teams.js'

interface GroupRules {
  today: string
  /** Called with the ids of members that are no accounts here and were left out */
  onUnknown(ids: string[]): void
}

/**
 * Creates a team that SCIM manages. Revives a team that SCIM has deleted instead, and takes over a team of the same name
 * if the settings allow it.
 * @param options adopts: whether a team without a group of logins and without an external id is taken over
 * @throws ScimRefusal `uniqueness` if another team has the name or the external id
 */
export async function createScimGroup(
  db: Kysely<Database>,
  actor: Actor,
  input: NewGroupInput,
  { adopts, ...rules }: GroupRules & { adopts: boolean },
): Promise<ScimGroup> {
  return inTransaction(db, async (transaction) => {
    const { displayName: name, externalId = null } = input
    const found = await findNamedGroups(transaction, { name, externalId })
    const [team] = found
    if (found.length > 1) throw notUnique('displayName')
    if (team === undefined) {
      const id = await storeTeam(transaction, actor, { name, external_group: null, external_id: externalId })
      await setGroupState(transaction, id, 'bound')
      return change(transaction, actor, id, { ...input, externalId }, rules)
    }
    const isFree = team.scim_state === null && team.external_id === null && team.external_group === null
    if (team.scim_state !== 'deleted' && !(adopts && isFree)) {
      throw notUnique(team.name === name ? 'displayName' : 'externalId')
    }
    if (team.scim_state === 'deleted') await bind(transaction, actor, team)
    return change(transaction, actor, team.id, input, rules)
  })
}

/**
 * Changes a team and its memberships by SCIM; memberships by hand stay. The first change of a team that was made here
 * makes SCIM its manager.
 * @throws SCIM_NOT_FOUND if there is no such team or SCIM has deleted it
 * @throws GROUP_OF_LOGINS if the team follows a group of logins
 * @throws ScimRefusal `uniqueness` under the conditions of `createScimGroup`; `invalidValue` if a list of only
 * unknown members would end memberships
 */
export async function changeScimGroup(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  input: GroupInput,
  rules: GroupRules,
): Promise<ScimGroup> {
  return inTransaction(db, (transaction) => change(transaction, actor, id, input, rules))
}

/**
 * Ends the memberships by SCIM and hides the team from SCIM. The team stays with its leads, its other members and its
 * assignments, whose evidence refers to it. Does nothing if SCIM does not manage the team: a provider that was replaced
 * deletes its groups late, and must not end the memberships that it has left.
 * @throws SCIM_NOT_FOUND, GROUP_OF_LOGINS under the conditions of `changeScimGroup`
 */
export async function deleteScimGroup(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  { today }: Pick<GroupRules, 'today'>,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const team = await lock(transaction, id)
    if (team.scim_state === null) return
    const left = await endScimMembers(transaction, id, { userIds: [], isExcept: true }, today)
    await setGroupState(transaction, id, 'deleted')
    await insertMembershipEntries(transaction, actor, { action: 'team.leave', team, userIds: left })
    await writeState(transaction, actor, team, 'deleted')
  })
}

/** Runs a change while no other one gives names and external ids to teams, and converts its refusals to those of SCIM. */
async function inTransaction<T>(
  db: Kysely<Database>,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction().execute(async (transaction) => {
      await lockTeamNames(transaction)
      return work(transaction)
    })
  } catch (error) {
    if (error === EXTERNAL_ID_TAKEN) throw notUnique('externalId')
    if (error instanceof Refusal && error.code === TEAM_TAKEN.code) throw notUnique('displayName')
    throw error
  }
}

async function lock(transaction: Transaction<Database>, id: number): Promise<ScimGroup> {
  const locked = await lockTeam(transaction, id)
  const team = locked && (await findScimGroup(transaction, id))
  if (team === undefined) throw SCIM_NOT_FOUND
  if (team.external_group !== null) throw GROUP_OF_LOGINS
  return team
}

async function change(
  transaction: Transaction<Database>,
  actor: Actor,
  id: number,
  { displayName: name, externalId: external_id, members }: GroupInput,
  { today, onUnknown }: GroupRules,
): Promise<ScimGroup> {
  const team = await lock(transaction, id)
  if (team.scim_state === null) await bind(transaction, actor, team)
  const { name: current } = await updateStoredTeam(transaction, actor, { id, change: { name, external_id }, today })
  if (members !== undefined) {
    const unknown = await changeMembers(transaction, actor, { id, name: current }, members, today)
    if (unknown.length > 0) onUnknown(unknown)
  }
  return lock(transaction, id)
}

async function bind(transaction: Transaction<Database>, actor: Actor, team: ScimGroup): Promise<void> {
  await setGroupState(transaction, team.id, 'bound')
  await writeState(transaction, actor, team, 'bound')
}

async function writeState(
  transaction: Transaction<Database>,
  actor: Actor,
  { id, name: target }: ScimGroup,
  scim_state: string,
): Promise<void> {
  const details = { fields: ['scim_state'], scim_state }
  await insertAuditEntry(transaction, actor, { action: 'team.update', target_id: id, target, details })
}

/**
 * Starts and ends memberships by SCIM, each with an audit entry. They never have the role of a lead. The provider
 * decides, so open tasks of the owner of the token are no obstacle.
 * @returns the ids to add that are no accounts here
 */
async function changeMembers(
  transaction: Transaction<Database>,
  actor: Actor,
  team: { id: number; name: string },
  { replaces, add, remove }: MemberChanges,
  today: string,
): Promise<string[]> {
  const wanted = [...add]
  const known = await lockKnownUsers(transaction, idsOf(wanted))
  const ending = replaces ? { userIds: known, isExcept: true } : { userIds: idsOf([...remove]), isExcept: false }
  const left = await endScimMembers(transaction, team.id, ending, today)
  // A list that the service does not know at all is a fault of the provider, not a decision to empty the team.
  if (replaces && wanted.length > 0 && known.length === 0 && left.length > 0) {
    throw invalidValue('members', 'names only unknown users')
  }
  const joined = await insertScimMembers(transaction, team.id, known, today)
  await insertMembershipEntries(transaction, actor, { action: 'team.leave', team, userIds: left })
  await insertMembershipEntries(transaction, actor, { action: 'team.join', team, userIds: joined })
  if (known.length === wanted.length) return []
  const found = new Set(known.map(String))
  return wanted.filter((id) => !found.has(id))
}

function idsOf(texts: readonly string[]): number[] {
  return texts.flatMap((text) => toRowId(text) ?? [])
}
