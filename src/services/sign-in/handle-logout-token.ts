import { hash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Kysely } from 'kysely'
import { insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { findUsersOfLogout, spendLogoutToken } from '../../../db/queries/accounts/identities.js'
import { deleteSessions } from '../../../db/queries/accounts/sessions.js'
import type { Database } from '../../../db/types.js'
import { readProviderSession } from '../../domain/sign-in/claims.js'
import { SignInFault } from '../../domain/sign-in/faults.js'
import { SKEW_SECONDS } from '../../domain/sign-in/skew.js'
import { isStorable } from '../../domain/text/text.js'
import type { Provider } from './provider.js'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Maximum age of a logout token. Used tokens are stored for longer than this, so that none can be used twice. */
const MAX_AGE_SECONDS = 600
/** Allowed types of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4); older providers omit the type. */
const TYPES = new Set(['logout+jwt', 'jwt'])

interface LogoutToken {
  issuer: string
  id: string
  subject: string | undefined
  session: string | undefined
  issuedAt: number
}

export interface LogoutResult {
  users: number
  sessions: number
}

/**
 * Ends all sessions of the users that the provider's logout token refers to by subject or session id, with an audit
 * entry for each user who had sessions.
 * @param text the signed JWT
 * @throws SignInFault if the token is invalid, too old or already used, or the provider is not reachable
 */
export async function handleLogoutToken(
  db: Kysely<Database>,
  provider: Provider,
  text: string,
  address: string,
): Promise<LogoutResult> {
  const token = await readLogoutToken(provider, text)
  const tokenHash = hash('sha256', JSON.stringify([token.issuer, token.id]), 'buffer')
  const forgottenAt = new Date((token.issuedAt + MAX_AGE_SECONDS + 2 * SKEW_SECONDS) * 1000)
  return db.transaction().execute(async (transaction) => {
    if (!(await spendLogoutToken(transaction, tokenHash, forgottenAt))) {
      throw new SignInFault('ungueltig', 'the logout token has been used before')
    }
    const result: LogoutResult = { users: 0, sessions: 0 }
    for (const { id, username } of await findUsersOfLogout(transaction, token)) {
      const ended = await deleteSessions(transaction, id)
      result.users++
      result.sessions += ended
      if (ended === 0) continue
      const actor = { actor_id: null, actor: 'OpenID Connect', via: 'oidc', address } as const
      const details = { ended, by: 'back-channel logout' }
      await insertAuditEntry(transaction, actor, { action: 'user.sessions', target_id: id, target: username, details })
    }
    return result
  })
}

async function readLogoutToken(provider: Provider, text: string): Promise<LogoutToken> {
  const { payload, protectedHeader } = await provider.verifyLogoutToken(text, MAX_AGE_SECONDS)
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
  if (type !== undefined && !TYPES.has(type)) throw new SignInFault('ungueltig', 'the token is of another type')
  return readClaims(payload)
}

function readClaims(payload: JWTPayload): LogoutToken {
  const { iss, jti: id, sub: subject, sid, events, iat } = payload
  const refuse = (reason: string) => new SignInFault('ungueltig', reason)
  // Without this check, an ID token could be used as a logout token.
  if (payload.nonce !== undefined) throw refuse('a logout token must not have a nonce')
  const event = typeof events === 'object' && events !== null ? (events as Record<string, unknown>)[EVENT] : undefined
  if (typeof event !== 'object' || event === null) throw refuse('the token has not the event of a logout')
  const session = readProviderSession(sid)
  if (typeof id !== 'string' || id === '') throw refuse('the token has no id')
  if (subject === '') throw refuse('the subject is empty')
  if (subject === undefined && session === undefined) throw refuse('the token names neither subject nor session')
  if (![id, subject ?? ''].every(isStorable)) throw refuse('the token holds what cannot be stored')
  // The casts are safe, because the caller has verified issuer and age.
  return { issuer: iss as string, id, subject, session, issuedAt: iat as number }
}
