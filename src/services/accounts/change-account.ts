import type { Insertable, Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockLoginMethods } from '../../../db/queries/accounts/passkeys.js'
import {
  type Account,
  deleteAccesses,
  deleteUser,
  findByExternalId,
  findTakenNumbers,
  hasAdmins,
  insertUser,
  lockAdmins,
  lockDeactivation,
  lockExternalIds,
  lockPersonnelNumbers,
  updateUser,
} from '../../../db/queries/accounts/users.js'
import { announceDisabled, noteDisabledFromStart } from '../../../db/queries/webhooks/announce.js'
import { forgetPerson } from '../../../db/queries/webhooks/outbox.js'
import type { Database } from '../../../db/types.js'
import type { AccountChange, GivenAccount, NewUser } from '../../domain/accounts/accounts.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { PERSONNEL_NUMBER_TAKEN, USER_NOT_FOUND } from '../../domain/accounts/refusals.js'
import { EXTERNAL_ID_TAKEN } from '../../domain/external-id.js'
import { InvalidInput } from '../../domain/refusal.js'
import { isLastEmergencyAdmin, vacatedRole } from '../../domain/sign-in/last-admin.js'
import type { OfferedMethods } from '../../domain/sign-in/login-methods.js'
import { checkLine } from '../../domain/text/parameters.js'
import { handOver } from '../assignments/hand-over.js'
import { type AssignmentContext, completeOccurrences } from '../assignments/plan.js'
import { accountShare } from '../fair-turns.js'
import { hashPassword } from './passwords.js'

/**
 * Creates a user, writes an audit entry and returns the id.
 * @throws InvalidInput if the name is taken, or a name contains control characters
 */
export async function createAccount(
  db: Kysely<Database>,
  actor: Actor,
  newUser: NewUser & { must_change_password?: boolean },
): Promise<number> {
  const { password, ...user } = newUser
  const password_hash = await hashPassword(password, accountShare(actor.actor_id))
  return db.transaction().execute(async (transaction) => {
    const id = await storeAccount(transaction, actor, { ...user, password_hash })
    if (id === undefined)
      throw new InvalidInput('Benutzername existiert bereits', 'username_taken', { field: 'username' })
    checkLine('username', user.username)
    checkLine('display_name', user.display_name)
    return id
  })
}

/**
 * Stores a new account, writes an audit entry and returns the id; undefined if the name is taken.
 * @param today calendar day, `YYYY-MM-DD`; undefined for an account without a day of deactivation
 */
export async function storeAccount(
  transaction: Transaction<Database>,
  actor: Actor,
  account: Insertable<Database['users']> & { is_admin: boolean },
  today?: string,
): Promise<number | undefined> {
  // The first administrator must be able to log in even while password login is off.
  const emergency = account.is_admin && !(await hasAdmins(transaction))
  const id = await insertUser(transaction, { ...account, emergency })
  if (id === undefined) return undefined
  if (today !== undefined) await noteDisabledFromStart(transaction, { ids: [id], today })
  const { username: target } = account
  const details = creationDetailsOf(account)
  await insertAuditEntry(transaction, actor, { action: 'user.create', target_id: id, target, details })
  return id
}

/** Returns the details of a new account for the audit trail. */
export function creationDetailsOf(
  account: Pick<
    Insertable<Database['users']>,
    'is_author' | 'is_auditor' | 'auditor_until' | 'must_change_password' | 'disabled_on' | 'external_id'
  > & { is_admin: boolean },
): object {
  const { is_admin, is_author, is_auditor, auditor_until, must_change_password, disabled_on, external_id } = account
  return {
    is_admin,
    ...(is_author && { is_author }),
    ...(is_auditor && { is_auditor, auditor_until }),
    ...(must_change_password && { must_change_password }),
    ...(disabled_on && { disabled_on }),
    ...(external_id && { external_id }),
  }
}

/**
 * Locks the unique keys of an account until the transaction ends.
 * @param id the account that may have them already; undefined for a new one
 * @throws EXTERNAL_ID_TAKEN, PERSONNEL_NUMBER_TAKEN if another account has one of them
 */
export async function requireFreeKeys(
  transaction: Transaction<Database>,
  { external_id, personnel_number }: Pick<AccountChange, 'external_id' | 'personnel_number'>,
  id?: number,
): Promise<void> {
  if (typeof external_id === 'string') {
    await lockExternalIds(transaction)
    const holder = await findByExternalId(transaction, external_id)
    if (holder !== undefined && holder !== id) throw EXTERNAL_ID_TAKEN
  }
  if (typeof personnel_number === 'string') {
    await lockPersonnelNumbers(transaction)
    const taken = await findTakenNumbers(transaction, [personnel_number])
    if (taken.some((account) => account.id !== id)) throw PERSONNEL_NUMBER_TAKEN
  }
}

export interface AccountRules {
  offered: Pick<OfferedMethods, 'password'>
  /** The current calendar day (`YYYY-MM-DD`) */
  today: string
}

/**
 * Changes an account and writes an audit entry. A new password, a deactivation that applies today, and the reactivation
 * of a disabled account delete the user's sessions, API tokens and calendar address. The reactivation does so because
 * nothing was deleted if the deactivation was planned for a later day.
 * @returns undefined if the account does not exist
 * @throws InvalidInput if the change would demote the last administrator without a day of deactivation, or set such a
 * day for this account; while password login is off, also for the last of these administrators with emergency access;
 * or if another account has the personnel number
 * @throws EXTERNAL_ID_TAKEN if another account has the external id
 */
export async function changeAccount(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  change: AccountChange,
  { offered, today }: AccountRules,
): Promise<Account | undefined> {
  const { password } = change
  const password_hash = password === undefined ? undefined : await hashPassword(password, accountShare(actor.actor_id))
  return db
    .transaction()
    .execute((transaction) => updateAccount(transaction, actor, { id, change, password_hash }, { offered, today }))
}

/**
 * Changes an account under the conditions of `changeAccount`.
 * @param update password_hash: the hash of the new password; from: the former user name, for the audit entry
 */
export async function updateAccount(
  transaction: Transaction<Database>,
  actor: Actor,
  {
    id,
    change,
    password_hash,
    from,
  }: {
    id: number
    change: AccountChange & Pick<GivenAccount, 'username'>
    password_hash?: string | undefined
    from?: string | undefined
  },
  { offered, today }: AccountRules,
): Promise<Account | undefined> {
  await requireFreeKeys(transaction, change, id)
  const { password: _, ...values } = change
  const isLeaving = typeof change.disabled_on === 'string'
  const update = async () => {
    if (change.is_admin === false || isLeaving) {
      await keepLastAdmin(transaction, id, offered, isLeaving ? KEEP_ENABLED : KEEP_RIGHT)
    }
    const endsAccess = password_hash !== undefined || (await isDisabledAround(transaction, id, change, today))
    // Lifts the restriction to passkeys, so that a user who has lost all passkeys can log in with the new password.
    const isLifted = password_hash !== undefined && (await lockLoginMethods(transaction, id))?.passkey_only === true
    const passwordValues = password_hash && { password_hash, passkey_only: false }
    const user = await updateUser(transaction, id, { ...values, ...passwordValues })
    return user && { user, endsAccess, isLifted }
  }
  const updated = isLeaving ? await handOver(transaction, actor, { userIds: [id], today }, update) : await update()
  if (updated === undefined) return undefined
  const { user, endsAccess, isLifted } = updated
  if (endsAccess) await deleteAccesses(transaction, [id])
  if (change.disabled_on !== undefined) await announceDisabled(transaction, { ids: [id], today })
  if (Object.keys(change).length > 0) {
    const details = {
      ...detailsOf(change),
      ...(isLifted && { passkey_only: false }),
      ...(from !== undefined && { from }),
    }
    const action = password_hash === undefined ? 'user.update' : 'user.password'
    await insertAuditEntry(transaction, actor, { action, target_id: id, target: user.username, details })
  }
  return user
}

/** Returns the details of a change of an account for the audit trail. */
export function detailsOf(change: AccountChange): object {
  return {
    fields: Object.keys(change),
    ...(change.is_admin !== undefined && { is_admin: change.is_admin }),
    ...(change.is_author !== undefined && { is_author: change.is_author }),
    ...(change.is_auditor !== undefined && { is_auditor: change.is_auditor }),
    ...(change.auditor_until !== undefined && { auditor_until: change.auditor_until }),
    ...(change.extra_time_percent !== undefined && { extra_time_percent: change.extra_time_percent }),
    ...(change.disabled_on !== undefined && { disabled_on: change.disabled_on }),
    ...(change.external_id !== undefined && { external_id: change.external_id }),
  }
}

/**
 * Marks or unmarks an emergency account and writes an audit entry. An emergency account may log in with its password
 * while password login is off.
 * @throws USER_NOT_FOUND if the account does not exist
 * @throws InvalidInput if the change would unmark the last emergency administrator while password login is off
 */
export async function setEmergency(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  emergency: boolean,
  offered: Pick<OfferedMethods, 'password'>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!emergency && isLastEmergencyAdmin(id, await lockAdmins(transaction), offered))
      throw new InvalidInput(KEEP_MARK, 'last_emergency_admin')
    const user = await updateUser(transaction, id, { emergency })
    if (user === undefined) throw USER_NOT_FOUND
    const details = { fields: ['emergency'], emergency }
    const deed = { action: 'user.update', target_id: id, target: user.username, details } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}

/**
 * Deletes an account, if it exists, and writes an audit entry. First completes the assignments that the person has
 * finished, because their certificates stay.
 * @throws InvalidInput if the account is the last administrator without a day of deactivation or, while password login
 * is off, the last of these administrators with emergency access
 */
export async function removeAccount(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  { offered, context }: Pick<AccountRules, 'offered'> & { context: AssignmentContext },
): Promise<void> {
  await completeOccurrences(db, { userId: id }, context)
  const { today } = context.moment()
  await db.transaction().execute(async (transaction) => {
    const username = await handOver(transaction, actor, { userIds: [id], today }, async () => {
      await keepLastAdmin(transaction, id, offered, KEEP_ACCOUNT)
      await forgetPerson(transaction, id)
      return deleteUser(transaction, id)
    })
    if (username === undefined) return
    await insertAuditEntry(transaction, actor, { action: 'user.delete', target_id: id, target: username })
  })
}

interface Refusals {
  admin: string
  emergency: string
}

export const KEEP_RIGHT: Refusals = {
  admin: 'Dem letzten Administrator kann man die Rechte nicht nehmen',
  emergency: 'Dem letzten Administrator mit Notfallzugang kann man die Rechte nicht nehmen',
}
export const KEEP_ENABLED: Refusals = {
  admin: 'Den letzten Administrator kann man nicht deaktivieren',
  emergency: 'Den letzten Administrator mit Notfallzugang kann man nicht deaktivieren',
}
const KEEP_ACCOUNT: Refusals = {
  admin: 'Den letzten Administrator kann man nicht löschen',
  emergency: 'Den letzten Administrator mit Notfallzugang kann man nicht löschen',
}

const KEEP_MARK =
  'Solange Passwörter abgeschaltet sind, behält der letzte Administrator mit Notfallzugang ihn. Zuerst einem anderen geben: svc-training user emergency <Benutzername>'

/** Returns whether the account is disabled today, either before or after a change of `disabled_on`. */
async function isDisabledAround(
  transaction: Transaction<Database>,
  id: number,
  { disabled_on }: AccountChange,
  today: string,
): Promise<boolean> {
  if (disabled_on === undefined) return false
  const before = await lockDeactivation(transaction, id)
  return isDisabled({ disabled_on }, today) || (before !== undefined && isDisabled(before, today))
}

async function keepLastAdmin(
  transaction: Transaction<Database>,
  id: number,
  offered: Pick<OfferedMethods, 'password'>,
  refusals: Refusals,
): Promise<void> {
  const lost = vacatedRole(id, await lockAdmins(transaction), offered)
  if (lost !== undefined) throw new InvalidInput(refusals[lost], 'last_admin')
}
