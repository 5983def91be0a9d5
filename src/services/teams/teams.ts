import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockAccount } from '../../../db/queries/accounts/users.js'
import { listLeads } from '../../../db/queries/assignments/responsible.js'
import {
  claimReleasedMembers,
  endClaimedMembers,
  endMemberships,
  isMember,
  setMember,
} from '../../../db/queries/teams/members.js'
import {
  deleteTeam,
  findTakenKey,
  findTeam,
  findTeamByExternalId,
  insertTeam,
  lockTeam,
  lockTeamNames,
  releaseFromScim,
  type Team,
  updateTeam,
} from '../../../db/queries/teams/teams.js'
import type { Database } from '../../../db/types.js'
import { USER_NOT_FOUND } from '../../domain/accounts/refusals.js'
import { requireVersion } from '../../domain/content/refusals.js'
import { EXTERNAL_ID_TAKEN } from '../../domain/external-id.js'
import { InvalidField, type Refusal } from '../../domain/refusal.js'
import { MEMBER_BY_GROUP, TEAM_BY_SCIM, TEAM_NOT_FOUND, TEAM_TAKEN } from '../../domain/teams/refusals.js'
import type { TeamInput, TeamRole } from '../../domain/teams/teams.js'
import { handOver } from '../assignments/hand-over.js'
import { keepOwnDuties } from '../assignments/own-duties.js'
import { createOnce, type FormRequest } from '../create-once.js'

interface NewTeam {
  name: string
  external_group: string | null
  external_id?: string | null | undefined
}

/**
 * Creates a team and writes an audit entry. A repeated request creates none and returns the team in its current state.
 * @throws TEAM_TAKEN if another team has the name or the group, EXTERNAL_ID_TAKEN if it has the external id
 * @throws ClientIdUsed if the client id belongs to another team
 */
export async function createTeam(
  db: Kysely<Database>,
  actor: Actor,
  given: NewTeam,
  request?: FormRequest,
): Promise<Team> {
  return db.transaction().execute(async (transaction) => {
    const id = await createOnce(transaction, request, {
      kind: 'team',
      input: given,
      create: () => storeTeam(transaction, actor, given),
      name: async (id) => (await findTeam(transaction, id)) && { id },
    })
    const team = await findTeam(transaction, id)
    if (team === undefined) throw TEAM_NOT_FOUND
    return team
  })
}

/** Stores a new team, writes an audit entry and returns the id. @throws TEAM_TAKEN, EXTERNAL_ID_TAKEN as `createTeam` */
export async function storeTeam(transaction: Transaction<Database>, actor: Actor, given: NewTeam): Promise<number> {
  await lockTeamNames(transaction)
  const taken = await findTakenKey(transaction, given)
  if (taken !== undefined) throw takenRefusal(taken)
  const team = await insertTeam(transaction, given)
  const { external_group, external_id = null } = given
  const details = {
    ...(external_group !== null && { external_group }),
    ...(external_id !== null && { external_id }),
  }
  const hasDetails = Object.keys(details).length > 0
  await insertAuditEntry(transaction, actor, {
    action: 'team.create',
    target_id: team.id,
    target: team.name,
    ...(hasDetails && { details }),
  })
  return team.id
}

/** Returns the team without the state of SCIM, which responses do not contain. */
function teamOf({ scim_state: _, ...team }: Team & { scim_state: unknown }): Team {
  return team
}

function takenRefusal(key: 'name' | 'external_group' | 'external_id'): Refusal {
  return key === 'external_id' ? EXTERNAL_ID_TAKEN : TEAM_TAKEN.at(key)
}

/**
 * Changes a team and writes an audit entry. If its provider group changes, the memberships from the former group end.
 * Memberships that SCIM has left follow the new group.
 * @param version version that the change is based on; undefined skips the check
 * @throws TEAM_NOT_FOUND if the team does not exist
 * @throws VersionOutdated if the team has changed since `version`
 * @throws TEAM_TAKEN if another team has the name or the group, EXTERNAL_ID_TAKEN if it has the external id
 * @throws OWN_OCCURRENCE if an ended membership would release the actor from an open mandatory occurrence
 * @throws TEAM_BY_SCIM if SCIM manages the team, and the change gives it a group
 */
export async function changeTeam(db: Kysely<Database>, actor: Actor, request: TeamChange): Promise<Team> {
  return db.transaction().execute((transaction) => updateStoredTeam(transaction, actor, request))
}

interface TeamChange {
  id: number
  change: TeamInput
  version?: number | undefined
  today: string
}

/** Changes a team under the conditions of `changeTeam`. */
export async function updateStoredTeam(
  transaction: Transaction<Database>,
  actor: Actor,
  { id, change, version, today }: TeamChange,
): Promise<Team> {
  await lockTeamNames(transaction)
  const before = await lockTeam(transaction, id)
  if (before === undefined) throw TEAM_NOT_FOUND
  requireVersion(version, before.version)
  const fields = (['name', 'external_group', 'external_id'] as const).filter(
    (field) => change[field] !== undefined && change[field] !== before[field],
  )
  if (fields.length === 0) return teamOf(before)
  const taken = await findTakenKey(transaction, { ...change, id })
  if (taken !== undefined) throw takenRefusal(taken)
  if (before.scim_state === 'bound' && change.external_group) throw TEAM_BY_SCIM
  if (fields.includes('external_group')) {
    const leads = { userIds: await listLeads(transaction, id), today }
    await handOver(transaction, actor, leads, () =>
      keepOwnDuties(transaction, actor, () => endClaimedMembers(transaction, id, today)),
    )
    if (change.external_group) await claimReleasedMembers(transaction, id)
  }
  const team = await updateTeam(transaction, id, change)
  const details = {
    fields,
    ...(fields.includes('external_group') && { external_group: team.external_group }),
    ...(fields.includes('external_id') && { external_id: team.external_id }),
  }
  await insertAuditEntry(transaction, actor, { action: 'team.update', target_id: id, target: team.name, details })
  return team
}

/**
 * Changes the team with the external id under the conditions of `changeTeam`, or creates it under those of `createTeam`.
 * A concurrent call waits, so that both change the same team.
 * @throws InvalidInput if a new team has no name
 */
export async function putTeam(
  db: Kysely<Database>,
  actor: Actor,
  { externalId, change, today }: { externalId: string; change: TeamInput; today: string },
): Promise<{ team: Team; isNew: boolean }> {
  return db.transaction().execute(async (transaction) => {
    await lockTeamNames(transaction)
    const known = await findTeamByExternalId(transaction, externalId)
    if (known !== undefined) {
      return { team: await updateStoredTeam(transaction, actor, { id: known.id, change, today }), isNew: false }
    }
    const { name, external_group = null } = change
    if (name === undefined) throw new InvalidField('name', 'fehlt')
    const id = await storeTeam(transaction, actor, { name, external_group, external_id: externalId })
    const team = await findTeam(transaction, id)
    if (team === undefined) throw TEAM_NOT_FOUND
    return { team, isNew: true }
  })
}

/**
 * Ends the connection of a team with SCIM and writes an audit entry. Its members stay: administrators, a group of logins
 * or another provider may then end their memberships. Returns false if SCIM has no connection with the team.
 * @throws TEAM_NOT_FOUND if the team does not exist
 */
export async function releaseTeam(db: Kysely<Database>, actor: Actor, id: number): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockTeamNames(transaction)
    const team = await lockTeam(transaction, id)
    if (team === undefined) throw TEAM_NOT_FOUND
    if (team.scim_state === null) return false
    await releaseFromScim(transaction, id)
    const hadId = team.external_id !== null
    const details = {
      fields: hadId ? ['scim_state', 'external_id'] : ['scim_state'],
      scim_state: null,
      ...(hadId && { external_id: null }),
    }
    await insertAuditEntry(transaction, actor, { action: 'team.update', target_id: id, target: team.name, details })
    return true
  })
}

/**
 * Deletes a team with its memberships and writes an audit entry. Does nothing if the team does not exist.
 * @throws OWN_OCCURRENCE if this would release the actor from an open mandatory occurrence
 */
export async function removeTeam(db: Kysely<Database>, actor: Actor, id: number, today: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const leads = { userIds: await listLeads(transaction, id), today }
    const name = await handOver(transaction, actor, leads, () =>
      keepOwnDuties(transaction, actor, () => deleteTeam(transaction, id)),
    )
    if (name === undefined) return
    await insertAuditEntry(transaction, actor, { action: 'team.delete', target_id: id, target: name })
  })
}

/**
 * Makes a user a member or lead of a team by hand, with an audit entry. Does nothing if the user already has this role
 * through a membership made by hand.
 * @throws TEAM_NOT_FOUND if the team does not exist
 * @throws USER_NOT_FOUND if the user does not exist
 */
export async function addMember(
  db: Kysely<Database>,
  actor: Actor,
  member: { teamId: number; userId: number; role: TeamRole; today: string },
): Promise<void> {
  const { teamId, userId, role, today } = member
  await db.transaction().execute((transaction) =>
    handOver(transaction, actor, { userIds: [userId], today }, async () => {
      const team = await lockTeam(transaction, teamId)
      if (team === undefined) throw TEAM_NOT_FOUND
      const user = await lockAccount(transaction, userId)
      if (user === undefined) throw USER_NOT_FOUND
      if (!(await setMember(transaction, member))) return
      const details = { username: user.username, role }
      await insertAuditEntry(transaction, actor, { action: 'team.join', target_id: teamId, target: team.name, details })
    }),
  )
}

/**
 * Ends a membership that was made by hand, or that SCIM has left to the team, if there is one, with an audit entry. A
 * membership from the provider's groups stays.
 * @throws TEAM_NOT_FOUND if the team does not exist
 * @throws USER_NOT_FOUND if the user does not exist
 * @throws MEMBER_BY_GROUP if only the provider's groups make the user a member
 * @throws OWN_OCCURRENCE if this would release the actor from an open mandatory occurrence
 */
export async function removeMember(
  db: Kysely<Database>,
  actor: Actor,
  { teamId, userId, today }: { teamId: number; userId: number; today: string },
): Promise<void> {
  await db.transaction().execute((transaction) =>
    handOver(transaction, actor, { userIds: [userId], today }, async () => {
      const team = await lockTeam(transaction, teamId)
      if (team === undefined) throw TEAM_NOT_FOUND
      const user = await lockAccount(transaction, userId)
      if (user === undefined) throw USER_NOT_FOUND
      const ended = await keepOwnDuties(transaction, actor, () =>
        endMemberships(transaction, [{ team_id: teamId, user_id: userId }], today),
      )
      if (ended === 0) {
        if (await isMember(transaction, teamId, userId)) throw MEMBER_BY_GROUP
        return
      }
      const details = { username: user.username }
      await insertAuditEntry(transaction, actor, {
        action: 'team.leave',
        target_id: teamId,
        target: team.name,
        details,
      })
    }),
  )
}
