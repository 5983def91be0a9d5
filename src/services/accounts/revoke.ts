import type { Kysely, Transaction } from 'kysely'
import { type Actor, type AuditAction, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { deleteIdentities } from '../../../db/queries/accounts/identities.js'
import { deletePasskeys, lockLoginMethods, setPasskeyOnly } from '../../../db/queries/accounts/passkeys.js'
import { deleteSessions } from '../../../db/queries/accounts/sessions.js'
import { deleteTokens } from '../../../db/queries/accounts/tokens.js'
import { findAccount } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { USER_NOT_FOUND } from '../../domain/accounts/refusals.js'

/**
 * Ends all sessions of a user, or only the session `id`, and returns the number of ended sessions. Writes an audit
 * entry if there were any.
 * @throws USER_NOT_FOUND if the user does not exist
 */
export function endSessions(db: Kysely<Database>, actor: Actor, userId: number, id?: number): Promise<number> {
  return revoke(db, actor, { action: 'user.sessions', userId, id }, deleteSessions)
}

/**
 * Deletes all API tokens of a user, or only the token `id`, and returns the number of deleted tokens. Writes an audit
 * entry if there were any.
 * @throws USER_NOT_FOUND if the user does not exist
 */
export function endTokens(db: Kysely<Database>, actor: Actor, userId: number, id?: number): Promise<number> {
  return revoke(db, actor, { action: 'user.tokens', userId, id }, deleteTokens)
}

/**
 * Removes all identities at providers from a user, even if no login method remains, and returns the number of them.
 * Writes an audit entry if there were any.
 * @throws USER_NOT_FOUND if the user does not exist
 */
export function endIdentities(db: Kysely<Database>, actor: Actor, userId: number): Promise<number> {
  return revoke(db, actor, { action: 'user.identities', userId, id: undefined }, deleteIdentities)
}

/**
 * Deletes all passkeys of a user, even if no login method remains, and lifts the restriction to passkeys. Returns the
 * number of deleted passkeys. Writes an audit entry if there were any.
 * @throws USER_NOT_FOUND if the user does not exist
 */
export async function endPasskeys(db: Kysely<Database>, actor: Actor, userId: number): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const ways = await lockLoginMethods(transaction, userId)
    const user = await findAccount(transaction, userId)
    if (ways === undefined || user === undefined) throw USER_NOT_FOUND
    const ended = await deletePasskeys(transaction, userId)
    if (ended === 0) return 0
    if (ways.passkey_only) await setPasskeyOnly(transaction, userId, false)
    const details = { ended, ...(ways.passkey_only && { passkey_only: false }) }
    const deed = { action: 'user.passkeys', target_id: userId, target: user.username, details } as const
    await insertAuditEntry(transaction, actor, deed)
    return ended
  })
}

async function revoke(
  db: Kysely<Database>,
  actor: Actor,
  { action, userId, id }: { action: AuditAction; userId: number; id: number | undefined },
  remove: (transaction: Transaction<Database>, userId: number, id?: number) => Promise<number>,
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const user = await findAccount(transaction, userId)
    if (user === undefined) throw USER_NOT_FOUND
    const ended = await remove(transaction, userId, id)
    if (ended === 0) return 0
    const details = { ended, ...(id !== undefined && { id }) }
    await insertAuditEntry(transaction, actor, { action, target_id: userId, target: user.username, details })
    return ended
  })
}
