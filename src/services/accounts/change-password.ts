import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { deleteAllSessions } from '../../../db/queries/accounts/sessions.js'
import {
  type AccountWithState,
  findLoginMethods,
  findPasswordHash,
  replacePasswordHash,
} from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import { InvalidInput } from '../../domain/refusal.js'
import { toNfc } from '../../domain/text/nfc.js'
import { accountShare } from '../fair-turns.js'
import { limitGuesses } from './limit-guesses.js'
import type { Login } from './log-in.js'
import { hashPassword, verifyPassword } from './passwords.js'

export interface PasswordChange {
  current: string
  next: string
  address: string
  sessionIdHash: Buffer
}

/**
 * Sets the user's own password and ends every session of the user; API tokens stay. A change by an administrator gets
 * an audit entry. Wrong current passwords count as failed logins from the client's address.
 * @returns the login for the new session of the request
 * @throws InvalidInput if the current password is wrong or a concurrent request changes it, or if the user must change
 * the password and the new password equals the current password
 * @throws TooManyAttempts while a limit of failed logins applies
 * @throws NOT_LOGGED_IN if the user was deleted or the session ended during the request
 */
export async function changeOwnPassword(
  db: Kysely<Database>,
  actor: Actor,
  user: AccountWithState,
  { current, next, address, sessionIdHash }: PasswordChange,
): Promise<Login> {
  const { id, username } = user
  const share = accountShare(id)
  const proven = await limitGuesses(db, loginAttempt(address, username), async () => {
    const found = await findLoginMethods(db, id)
    if (found === undefined) throw NOT_LOGGED_IN
    const { password_hash, must_change_password } = found
    const matches = await verifyPassword(password_hash, current, share)
    return matches ? { from: password_hash as string, mustChange: must_change_password } : undefined
  })
  if (proven === undefined) throw wrongPassword()
  const { from, mustChange } = proven
  // `mustChange` comes from the row, because `user.must_change_password` is true only in sessions started by password.
  if (mustChange && toNfc(next) === toNfc(current)) {
    throw new InvalidInput('Das neue Passwort muss ein anderes sein als das aktuelle', 'invalid_input', {
      field: 'new_password',
    })
  }
  const to = await hashPassword(next, share)
  await db.transaction().execute(async (transaction) => {
    // Compares with the hash that was verified, so that a concurrent reset by an administrator is not overwritten.
    if (!(await replacePasswordHash(transaction, id, { from, to }))) {
      const isThere = (await findPasswordHash(transaction, id)) !== undefined
      throw isThere ? wrongPassword() : NOT_LOGGED_IN
    }
    if (!(await deleteAllSessions(transaction, id, sessionIdHash))) throw NOT_LOGGED_IN
    if (!user.is_admin) return
    await insertAuditEntry(transaction, actor, { action: 'user.password', target_id: id, target: username })
  })
  return { user, credential: { newPasswordHash: to } }
}

function wrongPassword(): InvalidInput {
  return new InvalidInput('Aktuelles Passwort ist falsch', 'wrong_current_password', { field: 'current_password' })
}
