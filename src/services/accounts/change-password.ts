import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { deleteOtherSessions } from '../../../db/queries/accounts/sessions.js'
import {
  type AccountWithState,
  findPasswordHash,
  findWaysIn,
  replacePasswordHash,
} from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { BadRequest, NOT_LOGGED_IN } from '../../domain/refusals.js'
import { limitGuesses } from './limit-guesses.js'
import { accountShare, hashPassword, verifyPassword } from './passwords.js'

export interface PasswordChange {
  current: string
  next: string
  address: string
  /** The hash of the id of the session that stays. */
  sessionIdHash: Buffer
}

/**
 * Sets the user's own password: every session but one ends, API tokens stay. What an administrator does is noted. Wrong
 * current passwords count as failed logins at that address: whoever guesses has one budget for both doors.
 * @throws BadRequest when the current password is wrong, or must be changed and would stay the same
 * @throws TooManyAttempts while the limit of failed logins is in force
 * @throws NOT_LOGGED_IN when the user has been deleted meanwhile
 */
export async function changeOwnPassword(
  db: Kysely<Database>,
  actor: Actor,
  user: AccountWithState,
  { current, next, address, sessionIdHash }: PasswordChange,
): Promise<void> {
  const { id, username } = user
  const share = accountShare(id)
  const proven = await limitGuesses(db, loginAttempt(address, username), async () => {
    const found = await findWaysIn(db, id)
    if (found === undefined) throw NOT_LOGGED_IN
    const { password_hash, must_change_password } = found
    const matches = await verifyPassword(password_hash, current, share)
    return matches ? { from: password_hash as string, mustChange: must_change_password } : undefined
  })
  if (proven === undefined) throw wrongPassword()
  const { from, mustChange } = proven
  // Not what the session says: one by passkey or provider has nothing to change first.
  if (mustChange && next.normalize('NFC') === current.normalize('NFC')) {
    throw new BadRequest('Das neue Passwort muss ein anderes sein als das aktuelle')
  }
  const to = await hashPassword(next, share)
  await db.transaction().execute(async (transaction) => {
    // An administrator's reset that came in between must not be undone by whoever knows the old password.
    if (!(await replacePasswordHash(transaction, id, { from, to }))) {
      const isThere = (await findPasswordHash(transaction, id)) !== undefined
      throw isThere ? wrongPassword() : NOT_LOGGED_IN
    }
    await deleteOtherSessions(transaction, id, sessionIdHash)
    if (!user.is_admin) return
    await insertAuditEntry(transaction, actor, { action: 'user.password', target_id: id, target: username })
  })
}

function wrongPassword(): BadRequest {
  return new BadRequest('Aktuelles Passwort ist falsch')
}
