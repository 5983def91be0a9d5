import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { deleteOtherSessions } from '../../../db/queries/accounts/sessions.js'
import { type Account, findPasswordHash, updatePasswordHash } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { BadRequest } from '../../domain/refusals.js'
import { hashPassword, verifyPassword } from './passwords.js'

export interface PasswordChange {
  current: string
  next: string
  /** The hash of the id of the session that stays. */
  sessionIdHash: Buffer
}

/**
 * Sets the user's own password: every session but one ends, API tokens stay. What an administrator does is noted.
 * @throws BadRequest when the current password is wrong
 */
export async function changeOwnPassword(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  { current, next, sessionIdHash }: PasswordChange,
): Promise<void> {
  const { id, username } = user
  const matches = await verifyPassword(await findPasswordHash(db, id), current)
  if (!matches) throw new BadRequest('Aktuelles Passwort ist falsch')
  const hash = await hashPassword(next)
  await db.transaction().execute(async (transaction) => {
    await updatePasswordHash(transaction, id, hash)
    await deleteOtherSessions(transaction, id, sessionIdHash)
    if (!user.is_admin) return
    await insertAuditEntry(transaction, actor, { action: 'user.password', target_id: id, target: username })
  })
}
