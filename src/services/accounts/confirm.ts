import type { Kysely } from 'kysely'
import { type AccountWithState, findLoginMethods } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { NOT_LOGGED_IN, PASSWORD_LOGIN_OFF } from '../../domain/accounts/refusals.js'
import { InvalidInput } from '../../domain/refusal.js'
import { accountShare } from '../fair-turns.js'
import { limitGuesses } from './limit-guesses.js'
import type { Login } from './log-in.js'
import { verifyPassword } from './passwords.js'

/**
 * Checks the password of a logged-in user and returns a login that confirms the session. Wrong passwords count
 * as failed logins from the client's address, so that this endpoint allows no additional guesses.
 * @throws PASSWORD_LOGIN_OFF if password login is off and the account is not an emergency account
 * @throws InvalidInput if the password is wrong, or the account has no password or is restricted to passkeys
 * @throws TooManyAttempts while the limit of failed logins applies
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function confirmByPassword(
  db: Kysely<Database>,
  user: AccountWithState,
  { password, address }: { password: string; address: string },
  { passwordLogin }: { passwordLogin: boolean },
): Promise<Login> {
  const ways = await findLoginMethods(db, user.id)
  if (ways === undefined) throw NOT_LOGGED_IN
  if (!passwordLogin && !ways.emergency) throw PASSWORD_LOGIN_OFF
  if (ways.passkey_only)
    throw new InvalidInput('Dieses Konto meldet sich nur mit Passkey an', 'account_has_passkey_only')
  if (ways.password_hash === null) throw new InvalidInput('Dieses Konto hat kein Passwort', 'account_has_no_password')
  const passwordHash = await limitGuesses(db, loginAttempt(address, user.username), async () => {
    const matches = await verifyPassword(ways.password_hash, password, accountShare(user.id))
    return matches ? (ways.password_hash as string) : undefined
  })
  if (passwordHash === undefined) throw new InvalidInput('Passwort ist falsch', 'wrong_password', { field: 'password' })
  return { user, credential: { passwordHash } }
}
