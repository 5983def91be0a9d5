import type { Kysely } from 'kysely'
import { type AccountWithState, findCredentials } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { WRONG_LOGIN } from '../../domain/refusals.js'
import { limitGuesses } from './limit-guesses.js'
import { loginShare, verifyPassword } from './passwords.js'

/** Who has logged in, and the hash of the password that was right. */
export interface Login {
  user: AccountWithState
  passwordHash: string
}

/**
 * The user of that name and password.
 * @throws WRONG_LOGIN when there is no such user or the password is wrong; it takes as long
 * @throws TooManyAttempts while a limit is in force
 */
export async function logIn(
  db: Kysely<Database>,
  login: { username: string; password: string; address: string },
): Promise<Login> {
  const attempt = loginAttempt(login.address, login.username)
  const found = await limitGuesses(db, attempt, async () => {
    const candidate = await findCredentials(db, login.username)
    const matches = await verifyPassword(candidate?.password_hash, login.password, loginShare(attempt))
    return matches ? candidate : undefined
  })
  if (found === undefined) throw WRONG_LOGIN
  const { password_hash: passwordHash, ...user } = found
  return { user, passwordHash }
}
