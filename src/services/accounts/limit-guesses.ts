import type { Kysely } from 'kysely'
import { addLoginFailure, findLoginDelay, forgiveLoginFailures } from '../../../db/queries/accounts/login-failures.js'
import type { Database } from '../../../db/types.js'
import type { LoginAttempt } from '../../domain/accounts/login-limits.js'
import { TooManyAttempts } from '../../domain/refusal.js'

/**
 * Verifies a password or passkey within the limits of failed attempts. The limits are checked again after the
 * verification, so that attempts that were already running when a limit was reached do not reveal their outcome.
 * @param verify returns undefined if the attempt fails, which counts as a failure
 * @returns the result of `verify`
 * @throws TooManyAttempts while a limit applies
 */
export async function limitGuesses<T>(
  db: Kysely<Database>,
  attempt: LoginAttempt,
  verify: () => Promise<T | undefined>,
): Promise<T | undefined> {
  refuseWhile(await findLoginDelay(db, attempt))
  const proven = await verify()
  if (proven === undefined) {
    const isCounted = await addLoginFailure(db, attempt)
    if (!isCounted) refuseWhile(await findLoginDelay(db, attempt))
  } else {
    refuseWhile(await forgiveLoginFailures(db, attempt))
  }
  return proven
}

function refuseWhile(delaySeconds: number): void {
  if (delaySeconds > 0) throw new TooManyAttempts(delaySeconds)
}
