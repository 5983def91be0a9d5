import type { Kysely } from 'kysely'
import { insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import type { LoginCredential } from '../../../db/queries/accounts/sessions.js'
import { type AccountWithState, findCredentials } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { PASSWORD_LOGIN_OFF, WRONG_LOGIN } from '../../domain/accounts/refusals.js'
import { limitGuesses } from './limit-guesses.js'
import { loginShare, verifyPassword } from './passwords.js'

export interface Login {
  user: AccountWithState
  credential: LoginCredential
  /** Session id (`sid`) at the provider, if the login came through the provider and the provider sent one */
  providerSession?: string | undefined
}

/**
 * Verifies name and password and returns the login. A login while password login is off gets an audit entry.
 * @param options passwordLogin: false admits emergency accounts only; today: the current calendar day (`YYYY-MM-DD`)
 * @throws WRONG_LOGIN if the user is unknown, the password is wrong or not set, or the account is disabled or
 * restricted to passkeys; takes the same time in each case
 * @throws PASSWORD_LOGIN_OFF instead while password login is off; also if the account has no emergency access
 * @throws TooManyAttempts while a limit of failed logins applies
 */
export async function logIn(
  db: Kysely<Database>,
  login: { username: string; password: string; address: string },
  { passwordLogin, today }: { passwordLogin: boolean; today: string },
): Promise<Login> {
  const attempt = loginAttempt(login.address, login.username)
  const found = await limitGuesses(db, attempt, async () => {
    const candidate = await findCredentials(db, login.username)
    const matches = await verifyPassword(candidate?.password_hash, login.password, loginShare(attempt))
    if (!matches || candidate === undefined || isDisabled(candidate, today)) return undefined
    const mayLogIn = !candidate.passkey_only && (passwordLogin || candidate.emergency)
    return mayLogIn ? candidate : undefined
  })
  if (found === undefined) throw passwordLogin ? WRONG_LOGIN : PASSWORD_LOGIN_OFF
  const { password_hash, passkey_only, emergency, link_next_login, ...user } = found
  if (!passwordLogin) {
    const actor = { actor_id: user.id, actor: user.username, via: 'session', address: login.address } as const
    await insertAuditEntry(db, actor, { action: 'login.emergency', target_id: user.id, target: user.username })
  }
  return { user, credential: { passwordHash: password_hash as string } }
}
