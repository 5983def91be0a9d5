import type { Kysely, Transaction } from 'kysely'
import { isNameTaken } from '../../../db/errors.js'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockAdmins, lockExternalIds, lockPersonnelNumbers, lockUserNames } from '../../../db/queries/accounts/users.js'
import { lockLedAssignments } from '../../../db/queries/assignments/responsible.js'
import { endScimMembershipsOf, insertMembershipEntries } from '../../../db/queries/scim/groups.js'
import {
  findHolder,
  findScimUser,
  hasLogin,
  listFoldedNames,
  lockScimUser,
  markScimUser,
  type ScimUser,
} from '../../../db/queries/scim/users.js'
import { lockTeamNames } from '../../../db/queries/teams/teams.js'
import type { Database } from '../../../db/types.js'
import type { AccountChange } from '../../domain/accounts/accounts.js'
import { isAuditor } from '../../domain/accounts/auditor.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { nameKey } from '../../domain/accounts/user-list.js'
import { Refusal } from '../../domain/refusal.js'
import { EMERGENCY_STAYS, LAST_ADMIN_STAYS, notUnique, SCIM_NOT_FOUND } from '../../domain/scim/refusals.js'
import type { NewUserInput, UserInput } from '../../domain/scim/user.js'
import { type AccountRules, storeAccount, updateAccount } from '../accounts/change-account.js'

/**
 * Creates an account without a password, which the first login through the provider links. Revives an account that SCIM
 * has deleted instead, and takes over an account of the same name if the settings allow it.
 * @param options adopts: whether an account without rights and external id is taken over, unless SCIM has created it
 * @throws ScimRefusal `uniqueness` if another account has the user name, also in another case, the external id or the
 * employee number; or if the account was deleted by SCIM with another external id, and has a right or a login
 */
export async function createScimUser(
  db: Kysely<Database>,
  actor: Actor,
  input: NewUserInput,
  { adopts, ...rules }: AccountRules & { adopts: boolean },
): Promise<ScimUser> {
  return inTransaction(db, async (transaction) => {
    const { userName: username, externalId = null } = input
    await lockUserNames(transaction)
    const known = externalId === null ? undefined : await findHolder(transaction, 'external_id', externalId)
    const named = await listFoldedNames(transaction, username)
    const exact = named.find((one) => nameKey(one.username) === nameKey(username))
    if (known !== undefined && exact !== undefined && known.id !== exact.id) {
      throw notUnique('userName', exact.scim_deleted)
    }
    const hidden = named.length === 1 ? named.find(({ scim_deleted }) => scim_deleted) : undefined
    const chosen = known ?? exact ?? hidden
    const found = chosen && (await lock(transaction, chosen.id, input))
    if (found === undefined) {
      const [holder] = named.filter(({ id }) => id !== chosen?.id)
      if (holder !== undefined) throw notUnique('userName', holder.scim_deleted)
      return insert(transaction, actor, input, rules)
    }
    if (found.scim_deleted) {
      // A name may have passed to another person, who must not get the account of the former one.
      const isOther = externalId !== null && found.external_id !== null && externalId !== found.external_id
      if (isOther && (holdsRight(found, rules.today) || (await hasLogin(transaction, found.id)))) {
        throw notUnique('userName', true)
      }
      return revive(transaction, actor, found, { ...input, active: input.active ?? true }, rules)
    }
    if (known !== undefined) throw notUnique('externalId')
    const isOfScim = found.external_id !== null || found.awaits_link
    if (!adopts || isOfScim || holdsRight(found, rules.today)) throw notUnique('userName')
    return change(transaction, actor, found, input, rules)
  })
}

/**
 * Changes an account. Neither renames an account that holds a right, nor lifts a deactivation that SCIM has not made; the
 * returned account shows what applies.
 * @param read returns the change, given the stored account
 * @throws SCIM_NOT_FOUND if there is no such account or SCIM has deleted it
 * @throws ScimRefusal `uniqueness` under the conditions of `createScimUser`
 * @throws LAST_ADMIN_STAYS, EMERGENCY_STAYS if the account must not be disabled
 */
export async function changeScimUser(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  read: (stored: Pick<ScimUser, 'email'>) => UserInput,
  rules: AccountRules,
): Promise<ScimUser> {
  return inTransaction(db, async (transaction) => {
    // Whether a request disables the account does not depend on the stored address.
    const before = await requireVisible(lock(transaction, id, read({ email: null })))
    return change(transaction, actor, before, read(before), rules)
  })
}

/**
 * Disables an account, ends its memberships by SCIM in teams that SCIM manages, and hides it from SCIM. Its data and
 * evidence stay.
 * @throws SCIM_NOT_FOUND, LAST_ADMIN_STAYS, EMERGENCY_STAYS under the conditions of `changeScimUser`
 */
export async function deleteScimUser(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  rules: AccountRules,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    // Serialises with changes of groups, so that none of them adds the account in the meantime.
    await lockTeamNames(transaction)
    const input = { active: false }
    const before = await requireVisible(lock(transaction, id, input))
    if (before.emergency) throw EMERGENCY_STAYS
    await change(transaction, actor, before, input, rules)
    for (const team of await endScimMembershipsOf(transaction, id, rules.today)) {
      await insertMembershipEntries(transaction, actor, { action: 'team.leave', team, userIds: [id] })
    }
    await markDeleted(transaction, actor, before, true)
  })
}

/**
 * Runs a change while no other one gives external ids and personnel numbers to accounts, and converts its refusals to
 * those of SCIM.
 */
async function inTransaction<T>(
  db: Kysely<Database>,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction().execute(async (transaction) => {
      await lockExternalIds(transaction)
      await lockPersonnelNumbers(transaction)
      return work(transaction)
    })
  } catch (error) {
    if (isNameTaken(error)) throw notUnique('userName')
    if (error instanceof Refusal && error.code === 'last_admin') throw LAST_ADMIN_STAYS
    throw error
  }
}

/**
 * Returns the account and locks its row, so that the rights and the deactivation that a change depends on stay. First
 * locks the assignments and administrators that a deactivation needs, because other transactions lock in this order.
 */
async function lock(
  transaction: Transaction<Database>,
  id: number,
  { active }: UserInput,
): Promise<ScimUser | undefined> {
  if (active === false) {
    await lockLedAssignments(transaction, [id])
    await lockAdmins(transaction)
  }
  return lockScimUser(transaction, id)
}

async function requireVisible(found: Promise<ScimUser | undefined>): Promise<ScimUser> {
  const user = await found
  if (user === undefined || user.scim_deleted) throw SCIM_NOT_FOUND
  return user
}

function holdsRight(user: ScimUser, today: string): boolean {
  return user.is_admin || user.is_author || isAuditor(user, today) || user.emergency
}

/** @throws ScimRefusal `uniqueness` if another account than the given one has the external id or the employee number */
async function requireFree(
  transaction: Transaction<Database>,
  { externalId, employeeNumber }: UserInput,
  id?: number,
): Promise<void> {
  const keys = [
    ['externalId', 'external_id', externalId],
    ['employeeNumber', 'personnel_number', employeeNumber],
  ] as const
  for (const [attribute, key, value] of keys) {
    const holder = typeof value === 'string' ? await findHolder(transaction, key, value) : undefined
    if (holder !== undefined && holder.id !== id) throw notUnique(attribute, holder.scim_deleted)
  }
}

async function insert(
  transaction: Transaction<Database>,
  actor: Actor,
  input: NewUserInput,
  { today }: AccountRules,
): Promise<ScimUser> {
  await requireFree(transaction, input)
  const { userName: username, displayName, active, externalId = null, email = null, employeeNumber = null } = input
  const keys = { external_id: externalId, personnel_number: employeeNumber }
  const account = { username, display_name: displayName ?? username, email, ...keys }
  const disabled_on = active === false ? today : null
  const scim_disabled = active === false
  const state = { is_admin: false, password_hash: null, awaits_link: true, disabled_on, scim_disabled }
  const id = await storeAccount(transaction, actor, { ...account, ...state }, today)
  if (id === undefined) throw notUnique('userName')
  return requireVisible(findScimUser(transaction, id))
}

async function revive(
  transaction: Transaction<Database>,
  actor: Actor,
  before: ScimUser,
  input: UserInput,
  rules: AccountRules,
): Promise<ScimUser> {
  const after = await change(transaction, actor, before, input, rules)
  await markDeleted(transaction, actor, after, false)
  return { ...after, scim_deleted: false }
}

async function markDeleted(
  transaction: Transaction<Database>,
  actor: Actor,
  { id, username: target }: ScimUser,
  scim_deleted: boolean,
): Promise<void> {
  await markScimUser(transaction, id, { scim_deleted })
  const details = { fields: ['scim_deleted'], scim_deleted }
  await insertAuditEntry(transaction, actor, { action: 'user.update', target_id: id, target, details })
}

/** @param before the locked account */
async function change(
  transaction: Transaction<Database>,
  actor: Actor,
  before: ScimUser,
  input: UserInput,
  rules: AccountRules,
): Promise<ScimUser> {
  const { id } = before
  await requireFree(transaction, input, id)
  const username = await newNameOf(transaction, before, input, rules.today)
  const wanted: AccountChange = {
    display_name: input.displayName,
    email: input.email,
    external_id: input.externalId,
    personnel_number: input.employeeNumber,
  }
  const differing = Object.entries(wanted).filter(
    ([field, value]) => value !== undefined && value !== before[field as keyof ScimUser],
  )
  const disabling = disablingOf(before, input, rules.today)
  const values = {
    ...(username !== undefined && { username }),
    ...Object.fromEntries(differing),
    ...(disabling !== undefined && { disabled_on: disabling.disabled_on }),
  }
  if (Object.keys(values).length > 0) {
    const from = username === undefined ? undefined : before.username
    await updateAccount(transaction, actor, { id, change: values, from }, rules)
  }
  if (disabling?.marks !== undefined) await markScimUser(transaction, id, disabling.marks)
  const after = await findScimUser(transaction, id)
  if (after === undefined) throw SCIM_NOT_FOUND
  return after
}

/** Returns the new user name; undefined if the account keeps its name. Names that differ only in case are the same. */
async function newNameOf(
  transaction: Transaction<Database>,
  before: ScimUser,
  { userName }: UserInput,
  today: string,
): Promise<string | undefined> {
  if (userName === undefined || holdsRight(before, today)) return undefined
  const named = await listFoldedNames(transaction, userName)
  if (named.some(({ id }) => id === before.id)) return undefined
  const [holder] = named
  if (holder !== undefined) throw notUnique('userName', holder.scim_deleted)
  return userName
}

interface Disabling {
  disabled_on: string | null
  /** Undefined if the deactivation is lifted, which removes the marks */
  marks: { scim_disabled: true; scim_former_day: string | null } | undefined
}

/** Returns the change of the deactivation; undefined if it stays. */
function disablingOf(before: ScimUser, { active }: UserInput, today: string): Disabling | undefined {
  const isOff = isDisabled(before, today)
  if (active === false && !isOff) {
    if (before.emergency) throw EMERGENCY_STAYS
    return { disabled_on: today, marks: { scim_disabled: true, scim_former_day: before.disabled_on } }
  }
  if (active === true && isOff && before.scim_disabled) return { disabled_on: before.scim_former_day, marks: undefined }
  return undefined
}
