import type { Kysely, Transaction } from 'kysely'
import { isNameTaken } from '../../../db/errors.js'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockExternalIds } from '../../../db/queries/accounts/users.js'
import {
  findScimUser,
  findScimUserByExternalId,
  listFoldedNames,
  markScimUser,
  type ScimUser,
} from '../../../db/queries/scim/users.js'
import type { Database } from '../../../db/types.js'
import type { AccountChange } from '../../domain/accounts/accounts.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { PERSONNEL_NUMBER_TAKEN } from '../../domain/accounts/refusals.js'
import { nameKey } from '../../domain/accounts/user-list.js'
import { EXTERNAL_ID_TAKEN } from '../../domain/external-id.js'
import { Refusal } from '../../domain/refusal.js'
import { EMERGENCY_STAYS, LAST_ADMIN_STAYS, notUnique, SCIM_NOT_FOUND } from '../../domain/scim/refusals.js'
import type { NewUserInput, UserInput } from '../../domain/scim/user.js'
import { type AccountRules, requireFreeKeys, storeAccount, updateAccount } from '../accounts/change-account.js'

/**
 * Creates an account without a password, which the first login through the provider links. Revives an account that SCIM
 * has deleted instead, and takes over an account of the same name if the settings allow it.
 * @param options adopts: whether an account without rights and external id is taken over
 * @throws ScimRefusal `uniqueness` if another account has the user name, also in another case, the external id or the
 * employee number
 */
export async function createScimUser(
  db: Kysely<Database>,
  actor: Actor,
  input: NewUserInput,
  { adopts, ...rules }: AccountRules & { adopts: boolean },
): Promise<ScimUser> {
  return inTransaction(db, async (transaction) => {
    const { userName: username, externalId = null } = input
    const known = externalId === null ? undefined : await findScimUserByExternalId(transaction, externalId)
    const named = await listFoldedNames(transaction, username)
    const exact = named.find((one) => nameKey(one.username) === nameKey(username))
    if (known !== undefined && exact !== undefined && known.id !== exact.id) throw notUnique('userName')
    const found = known ?? exact
    if (found === undefined) {
      if (named.length > 0) throw notUnique('userName')
      return insert(transaction, actor, input, rules)
    }
    if (found.scim_deleted) {
      // The name alone does not identify the person of an account with rights.
      const isOther = externalId !== null && found.external_id !== null && externalId !== found.external_id
      if (isOther && holdsRight(found)) throw notUnique('userName')
      return revive(transaction, actor, found, { ...input, active: input.active ?? true }, rules)
    }
    if (known !== undefined) throw notUnique('externalId')
    const isAdoptable = adopts && externalId !== null && found.external_id === null && !holdsRight(found)
    if (!isAdoptable) throw notUnique('userName')
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
  read: (stored: ScimUser) => UserInput,
  rules: AccountRules,
): Promise<ScimUser> {
  return inTransaction(db, async (transaction) => {
    const before = await find(transaction, id)
    return change(transaction, actor, before, read(before), rules)
  })
}

/**
 * Disables an account and hides it from SCIM. Its data and evidence stay.
 * @throws SCIM_NOT_FOUND, LAST_ADMIN_STAYS, EMERGENCY_STAYS under the conditions of `changeScimUser`
 */
export async function deleteScimUser(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  rules: AccountRules,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const before = await find(transaction, id)
    if (before.emergency) throw EMERGENCY_STAYS
    await change(transaction, actor, before, { active: false }, rules)
    await markDeleted(transaction, actor, before, true)
  })
}

/** Runs a change while no other one gives external ids to accounts, and converts its refusals to those of SCIM. */
async function inTransaction<T>(
  db: Kysely<Database>,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction().execute(async (transaction) => {
      await lockExternalIds(transaction)
      return work(transaction)
    })
  } catch (error) {
    if (isNameTaken(error)) throw notUnique('userName')
    if (error === EXTERNAL_ID_TAKEN) throw notUnique('externalId')
    if (error === PERSONNEL_NUMBER_TAKEN) throw notUnique('employeeNumber')
    if (error instanceof Refusal && error.code === 'last_admin') throw LAST_ADMIN_STAYS
    throw error
  }
}

async function find(transaction: Transaction<Database>, id: number): Promise<ScimUser> {
  const user = await findScimUser(transaction, id)
  if (user === undefined || user.scim_deleted) throw SCIM_NOT_FOUND
  return user
}

function holdsRight({ is_admin, is_author, is_auditor, emergency }: ScimUser): boolean {
  return is_admin || is_author || is_auditor || emergency
}

async function insert(
  transaction: Transaction<Database>,
  actor: Actor,
  { userName: username, displayName, active, externalId = null, email = null, employeeNumber = null }: NewUserInput,
  { today }: AccountRules,
): Promise<ScimUser> {
  const keys = { external_id: externalId, personnel_number: employeeNumber }
  await requireFreeKeys(transaction, keys)
  const account = { username, display_name: displayName ?? username, email, ...keys }
  const disabled_on = active === false ? today : null
  const scim_disabled = active === false
  const state = { is_admin: false, password_hash: null, awaits_link: true, disabled_on, scim_disabled }
  const id = await storeAccount(transaction, actor, { ...account, ...state })
  if (id === undefined) throw notUnique('userName')
  return find(transaction, id)
}

async function revive(
  transaction: Transaction<Database>,
  actor: Actor,
  before: ScimUser,
  input: UserInput,
  rules: AccountRules,
): Promise<ScimUser> {
  await markDeleted(transaction, actor, before, false)
  return change(transaction, actor, before, input, rules)
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

async function change(
  transaction: Transaction<Database>,
  actor: Actor,
  before: ScimUser,
  input: UserInput,
  rules: AccountRules,
): Promise<ScimUser> {
  const { id } = before
  const username = await newNameOf(transaction, before, input)
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
  const after = await find(transaction, id)
  // Read again, because the account may have got emergency access since `before` was read.
  if (disabling?.marks !== undefined && after.emergency) throw EMERGENCY_STAYS
  return after
}

/** Returns the new user name; undefined if the account keeps its name. Names that differ only in case are the same. */
async function newNameOf(
  transaction: Transaction<Database>,
  before: ScimUser,
  { userName }: UserInput,
): Promise<string | undefined> {
  if (userName === undefined || holdsRight(before)) return undefined
  const named = await listFoldedNames(transaction, userName)
  if (named.some(({ id }) => id === before.id)) return undefined
  if (named.length > 0) throw notUnique('userName')
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
