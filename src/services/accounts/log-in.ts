import type { Kysely } from 'kysely'
import { insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import type { Proof } from '../../../db/queries/accounts/sessions.js'
import { type AccountWithState, findCredentials } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { PASSWORD_LOGIN_OFF, WRONG_LOGIN } from '../../domain/refusals.js'
import { limitGuesses } from './limit-guesses.js'
import { loginShare, verifyPassword } from './passwords.js'

/** Who has logged in, and by what. */
export interface Login {
  user: AccountWithState
  proof: Proof
  /** What the provider calls the session (`sid`), if it was one. */
  providerSession?: string | undefined
}

/**
 * The user of that name and password; a login while passwords are switched off is noted.
 * @param options passwordLogin: false lets in accounts for emergencies only
 * @throws WRONG_LOGIN when there is no such user, the password is wrong or there is none, or the account logs in by
 *   passkey only; it takes as long
 * @throws PASSWORD_LOGIN_OFF instead of that, and for the right password of other accounts, when it is switched off
 * @throws TooManyAttempts while a limit is in force
 */
export async function logIn(
  db: Kysely<Database>,
  login: { username: string; password: string; address: string },
  { passwordLogin }: { passwordLogin: boolean },
): Promise<Login> {
  const attempt = loginAttempt(login.address, login.username)
  const found = await limitGuesses(db, attempt, async () => {
    const candidate = await findCredentials(db, login.username)
    const matches = await verifyPassword(candidate?.password_hash, login.password, loginShare(attempt))
    const mayLogIn = !candidate?.passkey_only && (passwordLogin || candidate?.emergency)
    return matches && mayLogIn ? candidate : undefined
  })
  if (found === undefined) throw passwordLogin ? WRONG_LOGIN : PASSWORD_LOGIN_OFF
  const { password_hash, passkey_only, emergency, link_next_login, ...user } = found
  if (!passwordLogin) {
    const actor = { actor_id: user.id, actor: user.username, via: 'session', address: login.address } as const
    await insertAuditEntry(db, actor, { action: 'login.emergency', target_id: user.id, target: user.username })
  }
  return { user, proof: { passwordHash: password_hash as string } }
}
