import type { Kysely } from 'kysely'
import { addLoginFailure, findLoginDelay, forgiveLoginFailures } from '../../../db/queries/accounts/login-failures.js'
import { type Account, findCredentials } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { TooManyAttempts, WRONG_LOGIN } from '../../domain/refusals.js'
import { verifyPassword } from './passwords.js'

/** What `addLoginFailure` counts in: the account at the address, and the address. */
const COUNTERS = 2

/**
 * The user of that name and password. While a limit is in force nobody learns whether a password was right, not even
 * of attempts that had begun before: they are judged again once the password has been verified.
 * @throws HttpError 401 when there is no such user or the password is wrong; it takes as long
 * @throws TooManyAttempts while a limit is in force
 */
export async function logIn(
  db: Kysely<Database>,
  login: { username: string; password: string; address: string },
): Promise<Account> {
  const attempt = loginAttempt(login.address, login.username)
  refuseWhile(await findLoginDelay(db, attempt))
  const found = await findCredentials(db, login.username)
  const matches = await verifyPassword(found?.password_hash, login.password)
  if (found === undefined || !matches) {
    const counted = await addLoginFailure(db, attempt)
    if (counted < COUNTERS) refuseWhile(await findLoginDelay(db, attempt))
    throw WRONG_LOGIN
  }
  refuseWhile(await forgiveLoginFailures(db, attempt))
  const { password_hash: _, ...user } = found
  return user
}

function refuseWhile(delaySeconds: number): void {
  if (delaySeconds > 0) throw new TooManyAttempts(delaySeconds)
}
