import type { Kysely } from 'kysely'
import { addLoginFailure, findLoginDelay, forgiveLoginFailures } from '../../../db/queries/accounts/login-failures.js'
import type { Database } from '../../../db/types.js'
import type { LoginAttempt } from '../../domain/accounts/login-limits.js'
import { TooManyAttempts } from '../../domain/refusals.js'

/** What `addLoginFailure` counts in: the account at the address, and the address. */
const COUNTERS = 2

/**
 * Judges a password within the limits of failures. While a limit is in force nobody learns whether a password was
 * right, not even of attempts that had begun before: they are judged again once the password has been verified.
 * @param verify undefined when the password is wrong, which counts as a failure
 * @returns what `verify` has returned
 * @throws TooManyAttempts while a limit is in force
 */
export async function limitGuesses<T>(
  db: Kysely<Database>,
  attempt: LoginAttempt,
  verify: () => Promise<T | undefined>,
): Promise<T | undefined> {
  refuseWhile(await findLoginDelay(db, attempt))
  const proven = await verify()
  if (proven === undefined) {
    const counted = await addLoginFailure(db, attempt)
    if (counted < COUNTERS) refuseWhile(await findLoginDelay(db, attempt))
  } else {
    refuseWhile(await forgiveLoginFailures(db, attempt))
  }
  return proven
}

function refuseWhile(delaySeconds: number): void {
  if (delaySeconds > 0) throw new TooManyAttempts(delaySeconds)
}
