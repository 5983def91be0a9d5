import type { Kysely } from 'kysely'
import { insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import type { Proof } from '../../../db/queries/accounts/sessions.js'
import { type AccountWithState, findCredentials } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { isDisabled } from '../../domain/accounts/deactivation.js'
import { loginAttempt } from '../../domain/accounts/login-limits.js'
import { PASSWORD_LOGIN_OFF, WRONG_LOGIN } from '../../domain/accounts/refusals.js'
import { limitGuesses } from './limit-guesses.js'
import { loginShare, verifyPassword } from './passwords.js'

/** A successful login: the user and the proof of identity for the new session. */
export interface Login {
  user: AccountWithState
  proof: Proof
  /** Session id at the provider (`sid`); undefined unless the login came through the provider */
  providerSession?: string | undefined
}

/**
 * Verifies name and password and returns the login. A login while password login is off gets an audit entry.
 * @param options passwordLogin: false admits emergency accounts only; today: the current calendar day (`YYYY-MM-DD`)
 * @throws WRONG_LOGIN if the user is unknown, the account has another or no password, is disabled, or is limited to
 * passkeys; takes the same time in each case
 * @throws PASSWORD_LOGIN_OFF in the same cases, or for an account without emergency access, while password login is off
 * @throws TooManyAttempts while a limit applies
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
  return { user, proof: { passwordHash: password_hash as string } }
}
