import type { Kysely } from 'kysely'
import { type Actor, type AuditedDeed, insertAuditEntries } from '../../../db/queries/accounts/audit.js'
import { findTakenNames, insertUsers } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { makeUpPassword } from '../../domain/accounts/passwords.js'
import { FaultyUsers } from '../../domain/accounts/refusals.js'
import { type ListedUser, nameKey, nameTaken, sortFaults, type UserList } from '../../domain/accounts/user-list.js'
import { CALLER_GONE } from '../../domain/refusal.js'
import { accountShare } from '../fair-turns.js'
import { hashPassword } from './passwords.js'

export interface CreatedUser extends Omit<ListedUser, 'password'> {
  id: number
  /** Set only if the password was generated */
  password: string | null
}

type HashedUser = Omit<CreatedUser, 'id'> & { password_hash: string }

/** Checks that all users of the list could be created. @throws FaultyUsers with every fault */
export async function checkAccounts(db: Kysely<Database>, { users, faults }: UserList): Promise<void> {
  const taken = await findTakenNames(
    db,
    users.map(({ username }) => username),
  )
  refuse([...faults, ...faultsOf(users, taken)])
}

/**
 * Creates all users of the list or none, each with an audit entry. Passwords are hashed first, one at a time, so that
 * neither logins nor the database wait.
 * @param signal aborted when the caller disconnects, who alone would learn the generated passwords
 * @throws FaultyUsers with every fault
 * @throws CALLER_GONE if the signal aborts before the rows are written
 */
export async function createAccounts(
  db: Kysely<Database>,
  actor: Actor,
  list: UserList,
  signal: AbortSignal,
): Promise<CreatedUser[]> {
  await checkAccounts(db, list)
  const share = accountShare(actor.actor_id)
  const users: HashedUser[] = []
  for (const { password: given, ...user } of list.users) {
    if (signal.aborted) throw CALLER_GONE
    const madeUp = given === undefined ? makeUpPassword() : null
    users.push({ ...user, password: madeUp, password_hash: await hashPassword(given ?? (madeUp as string), share) })
  }
  const ids = await db.transaction().execute(async (transaction) => {
    const created = await insertUsers(transaction, users)
    // A concurrent request created one of the names.
    refuse(users.filter(({ username }) => !created.has(username)).map(({ line }) => nameTaken(line)))
    const deeds = users.map(({ username, is_admin, is_author, must_change_password, disabled_on }): AuditedDeed => {
      const details = {
        is_admin,
        ...(is_author && { is_author }),
        ...(must_change_password && { must_change_password }),
        ...(disabled_on !== null && { disabled_on }),
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
  return users.filter(({ username }) => keys.has(nameKey(username))).map(({ line }) => nameTaken(line))
}

function refuse(faults: UserList['faults']): void {
  if (faults.length > 0) throw new FaultyUsers(sortFaults(faults))
}
