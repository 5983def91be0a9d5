import type { Kysely } from 'kysely'
import { type AccountWithState, findWaysIn } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { BadRequest, NOT_LOGGED_IN, PASSWORD_LOGIN_OFF } from '../../domain/refusals.js'
import { limitGuesses } from './limit-guesses.js'
import type { Login } from './log-in.js'
import { accountShare, verifyPassword } from './passwords.js'

/**
 * Lets somebody who is logged in prove by the password who it is. Wrong ones count as failed logins at that address:
 * whoever guesses has one budget for all doors.
 * @throws PASSWORD_LOGIN_OFF when it is switched off, and the account is none for emergencies
 * @throws BadRequest when the password is wrong, or the account is none that logs in by password
 * @throws TooManyAttempts while the limit of failed logins is in force
 * @throws NOT_LOGGED_IN when the user has been deleted meanwhile
 */
export async function confirmByPassword(
  db: Kysely<Database>,
  user: AccountWithState,
  { password, address }: { password: string; address: string },
  { passwordLogin }: { passwordLogin: boolean },
): Promise<Login> {
  const ways = await findWaysIn(db, user.id)
  if (ways === undefined) throw NOT_LOGGED_IN
  if (!passwordLogin && !ways.emergency) throw PASSWORD_LOGIN_OFF
  if (ways.passkey_only) throw new BadRequest('Dieses Konto meldet sich nur mit Passkey an')
  if (ways.password_hash === null) throw new BadRequest('Dieses Konto hat kein Passwort')
  const passwordHash = await limitGuesses(db, loginAttempt(address, user.username), async () => {
    const matches = await verifyPassword(ways.password_hash, password, accountShare(user.id))
    return matches ? (ways.password_hash as string) : undefined
  })
  if (passwordHash === undefined) throw new BadRequest('Passwort ist falsch')
  return { user, proof: { passwordHash } }
}
