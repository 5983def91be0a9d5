import type { Kysely } from 'kysely'
import { type Actor, type AuditedAction, insertAuditEntries } from '../../../db/queries/accounts/audit.js'
import {
  findTakenIds,
  findTakenNames,
  findTakenNumbers,
  insertUsers,
  lockExternalIds,
  lockPersonnelNumbers,
} from '../../../db/queries/accounts/users.js'
import { insertMembers } from '../../../db/queries/teams/members.js'
import { findTeamsByName } from '../../../db/queries/teams/teams.js'
import { noteDisabledFromStart } from '../../../db/queries/webhooks/announce.js'
import type { Database } from '../../../db/types.js'
import { generatePassword } from '../../domain/accounts/passwords.js'
import { FaultyUsers } from '../../domain/accounts/refusals.js'
import {
  type ListedUser,
  nameKey,
  sortFaults,
  takenIdFault,
  takenNameFault,
  takenNumberFault,
  type UserList,
  unknownTeamFault,
} from '../../domain/accounts/user-list.js'
import { CALLER_GONE } from '../../domain/refusal.js'
import { accountShare } from '../fair-turns.js'
import { creationDetailsOf } from './change-account.js'
import { hashPassword } from './passwords.js'

export interface CreatedUser extends Omit<ListedUser, 'password'> {
  id: number
  /** Set only if the password was generated */
  password: string | null
}

type HashedUser = Omit<CreatedUser, 'id'> & { password_hash: string }

/** Checks that all users of the list can be created. @throws FaultyUsers with all faults, if there are any */
export async function checkAccounts(db: Kysely<Database>, { users, faults }: UserList): Promise<void> {
  const taken = await findTakenNames(
    db,
    users.map(({ username }) => username),
  )
  const teams = await findTeamIds(db, users)
  refuse([...faults, ...faultsOf(users, taken), ...(await takenKeys(db, users)), ...missingTeams(users, teams)])
}

/**
 * Creates all users of the list or none, each with an audit entry. Hashes the passwords before the transaction, so that
 * no lock is held for long. Hashes them one after another, so that logins do not have to wait for all of them.
 * @param options signal: cancels the creation when the client disconnects, because only the response contains the
 * generated passwords; today: the first day of the team memberships (`YYYY-MM-DD`)
 * @throws FaultyUsers if the list has faults, or a concurrent request took a name or removed a team
 * @throws CALLER_GONE if the signal is aborted before the transaction commits
 */
export async function createAccounts(
  db: Kysely<Database>,
  actor: Actor,
  list: UserList,
  { signal, today }: { signal: AbortSignal; today: string },
): Promise<CreatedUser[]> {
  await checkAccounts(db, list)
  const share = accountShare(actor.actor_id)
  const users: HashedUser[] = []
  for (const { password: given, ...user } of list.users) {
    if (signal.aborted) throw CALLER_GONE
    const madeUp = given === undefined ? generatePassword() : null
    users.push({ ...user, password: madeUp, password_hash: await hashPassword(given ?? (madeUp as string), share) })
  }
  const ids = await db.transaction().execute(async (transaction) => {
    const hasIds = users.some(({ external_id }) => external_id !== null)
    const hasNumbers = users.some(({ personnel_number }) => personnel_number !== null)
    if (hasIds) await lockExternalIds(transaction)
    if (hasNumbers) await lockPersonnelNumbers(transaction)
    // A concurrent request may have taken one of the ids or numbers.
    if (hasIds || hasNumbers) refuse(await takenKeys(transaction, users))
    const created = await insertUsers(transaction, users)
    // A concurrent request may have taken one of the names.
    refuse(users.filter(({ username }) => !created.has(username)).map(({ line }) => takenNameFault(line)))
    await noteDisabledFromStart(transaction, { ids: [...created.values()], today })
    const teams = await findTeamIds(transaction, users)
    // A concurrent request may have deleted or renamed one of the teams.
    refuse(missingTeams(users, teams))
    const joined = users.flatMap((user) =>
      user.teams.map((team) => ({
        team_id: teams.get(team) as number,
        user_id: created.get(user.username) as number,
      })),
    )
    await insertMembers(transaction, joined, today)
    const deeds = users.map(({ username, teams: joins, ...user }): AuditedAction => {
      const details = {
        ...creationDetailsOf(user),
        ...(joins.length === 1 && { team: joins[0] }),
        ...(joins.length > 1 && { teams: joins }),
      }
      return { action: 'user.create', target_id: created.get(username) as number, target: username, details }
    })
    await insertAuditEntries(transaction, actor, deeds)
    if (signal.aborted) throw CALLER_GONE
    return created
  })
  return users.map(({ password_hash: _, ...user }) => ({ ...user, id: ids.get(user.username) as number }))
}

function faultsOf(users: ListedUser[], taken: string[]) {
  const keys = new Set(taken.map(nameKey))
  return users.filter(({ username }) => keys.has(nameKey(username))).map(({ line }) => takenNameFault(line))
}

async function takenKeys(
  db: Kysely<Database>,
  users: Pick<ListedUser, 'line' | 'personnel_number' | 'external_id'>[],
): Promise<UserList['faults']> {
  const numbers = users.flatMap(({ personnel_number }) => personnel_number ?? [])
  const takenNumbers = new Set((await findTakenNumbers(db, numbers)).map(({ personnel_number }) => personnel_number))
  const externalIds = users.flatMap(({ external_id }) => external_id ?? [])
  const takenIds = new Set(await findTakenIds(db, externalIds))
  return users.flatMap(({ line, personnel_number, external_id }) => [
    ...(personnel_number !== null && takenNumbers.has(personnel_number) ? [takenNumberFault(line)] : []),
    ...(external_id !== null && takenIds.has(external_id) ? [takenIdFault(line)] : []),
  ])
}

export type WithTeams = Pick<ListedUser, 'line' | 'teams'>

export async function findTeamIds(db: Kysely<Database>, users: WithTeams[]): Promise<Map<string, number>> {
  const names = new Set(users.flatMap((user) => user.teams))
  const teams = await findTeamsByName(db, [...names])
  return new Map(teams.map(({ id, name }) => [name, id]))
}

export function missingTeams(users: WithTeams[], ids: Map<string, number>): UserList['faults'] {
  return users.flatMap(({ line, teams }) =>
    teams.filter((team) => !ids.has(team)).map((team) => unknownTeamFault(line, team)),
  )
}

function refuse(faults: UserList['faults']): void {
  if (faults.length > 0) throw new FaultyUsers(sortFaults(faults))
}
