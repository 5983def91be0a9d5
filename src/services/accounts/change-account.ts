import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockWaysIn } from '../../../db/queries/accounts/passkeys.js'
import { deleteSessions } from '../../../db/queries/accounts/sessions.js'
import { deleteTokens } from '../../../db/queries/accounts/tokens.js'
import {
  type Account,
  deleteUser,
  hasAdmins,
  insertUser,
  lockAdmins,
  updateUser,
} from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import type { AccountChange, NewUser } from '../../domain/accounts/accounts.js'
import { BadRequest, USER_NOT_FOUND } from '../../domain/refusals.js'
import { isLastForEmergencies, lostWith } from '../../domain/sign-in/last-admin.js'
import type { OfferedWays } from '../../domain/sign-in/ways-in.js'
import { accountShare, hashPassword } from './passwords.js'

/** Creates the user and notes it; the id. @throws BadRequest when the name is taken */
export async function createAccount(
  db: Kysely<Database>,
  actor: Actor,
  newUser: NewUser & { must_change_password?: boolean },
): Promise<number> {
  const { password, ...user } = newUser
  const password_hash = await hashPassword(password, accountShare(actor.actor_id))
  return db.transaction().execute(async (transaction) => {
    // The first administrator gets in whatever is switched off.
    const emergency = user.is_admin && !(await hasAdmins(transaction))
    const id = await insertUser(transaction, { ...user, password_hash, emergency })
    if (id === undefined) throw new BadRequest('Benutzername existiert bereits')
    const { is_admin, must_change_password } = user
    const details = { is_admin, ...(must_change_password && { must_change_password }) }
    await insertAuditEntry(transaction, actor, { action: 'user.create', target_id: id, target: user.username, details })
    return id
  })
}

/**
 * Changes the account and notes it; a new password ends the user's sessions and API tokens, and the choice of passkeys
 * only.
 * @returns the changed account; undefined when there is none
 * @throws BadRequest when no administrator would be left, or while passwords are switched off none for emergencies
 */
export async function changeAccount(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  change: AccountChange,
  offered: Pick<OfferedWays, 'password'>,
): Promise<Account | undefined> {
  const { password, ...values } = change
  const password_hash = password === undefined ? undefined : await hashPassword(password, accountShare(actor.actor_id))
  return db.transaction().execute(async (transaction) => {
    if (change.is_admin === false) {
      await keepLastAdmin(transaction, id, offered, KEEP_RIGHT)
    }
    // Who sets a password lets it be used: for somebody whose passkeys are lost.
    const isLifted = password_hash !== undefined && (await lockWaysIn(transaction, id))?.passkey_only === true
    const user = await updateUser(transaction, id, {
      ...values,
      ...(password_hash && { password_hash, passkey_only: false }),
    })
    if (user === undefined) return undefined
    if (password_hash !== undefined) {
      await deleteSessions(transaction, id)
      await deleteTokens(transaction, id)
    }
    const fields = Object.keys(change)
    if (fields.length > 0) {
      const details = {
        fields,
        ...(change.is_admin !== undefined && { is_admin: change.is_admin }),
        ...(isLifted && { passkey_only: false }),
      }
      const action = password === undefined ? 'user.update' : 'user.password'
      await insertAuditEntry(transaction, actor, { action, target_id: id, target: user.username, details })
    }
    return user
  })
}

/**
 * Marks an account as one that logs in by password although that is switched off, or takes that away, and notes it.
 * @throws USER_NOT_FOUND
 * @throws BadRequest when it would be taken from the last administrator who has it, while passwords are switched off
 */
export async function setEmergency(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  emergency: boolean,
  offered: Pick<OfferedWays, 'password'>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!emergency && isLastForEmergencies(id, await lockAdmins(transaction), offered)) throw new BadRequest(KEEP_MARK)
    const user = await updateUser(transaction, id, { emergency })
    if (user === undefined) throw USER_NOT_FOUND
    const details = { fields: ['emergency'], emergency }
    const deed = { action: 'user.update', target_id: id, target: user.username, details } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}

/**
 * Deletes the account, if there is one, and notes it.
 * @throws BadRequest when no administrator would be left, or while passwords are switched off none for emergencies
 */
export async function removeAccount(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  offered: Pick<OfferedWays, 'password'>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await keepLastAdmin(transaction, id, offered, KEEP_ACCOUNT)
    const username = await deleteUser(transaction, id)
    if (username === undefined) return
    await insertAuditEntry(transaction, actor, { action: 'user.delete', target_id: id, target: username })
  })
}

interface Refusals {
  admin: string
  emergency: string
}

const KEEP_RIGHT: Refusals = {
  admin: 'Dem letzten Administrator kann man die Rechte nicht nehmen',
  emergency: 'Dem letzten Administrator mit Notfallzugang kann man die Rechte nicht nehmen',
}
const KEEP_ACCOUNT: Refusals = {
  admin: 'Den letzten Administrator kann man nicht löschen',
  emergency: 'Den letzten Administrator mit Notfallzugang kann man nicht löschen',
}

const KEEP_MARK =
  'Solange Passwörter abgeschaltet sind, behält der letzte Administrator mit Notfallzugang ihn. Zuerst einem anderen geben: svc-training user emergency <Benutzername>'

async function keepLastAdmin(
  transaction: Transaction<Database>,
  id: number,
  offered: Pick<OfferedWays, 'password'>,
  refusals: Refusals,
): Promise<void> {
  const lost = lostWith(id, await lockAdmins(transaction), offered)
  if (lost !== undefined) throw new BadRequest(refusals[lost])
}
