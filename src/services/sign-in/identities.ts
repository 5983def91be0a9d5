import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  deleteIdentity,
  findIdentifiedUser,
  hasIdentity,
  insertIdentity,
  lockSubject,
  recordIdentityUse,
  type Subject,
} from '../../../db/queries/accounts/identities.js'
import { lockLoginMethods } from '../../../db/queries/accounts/passkeys.js'
import { lockSession } from '../../../db/queries/accounts/sessions.js'
import { type Account, endLinkNextLogin } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import { SignInFault } from '../../domain/sign-in/faults.js'
import { countIdentities, countLoginMethods, type OfferedMethods } from '../../domain/sign-in/login-methods.js'
import { IDENTITY_EXISTS, IDENTITY_NEEDED, IDENTITY_TAKEN, LAST_LOGIN_METHOD } from '../../domain/sign-in/refusals.js'
import type { Recheck } from '../../domain/sign-in/settings.js'
import { SKEW_SECONDS } from '../../domain/sign-in/skew.js'
import type { Login } from '../accounts/log-in.js'
import type { ProvenPerson } from './provider.js'

/**
 * Links a provider's identity to the user's own account, with an audit entry if it is not linked yet.
 * @throws IDENTITY_TAKEN if the identity belongs to another account
 * @throws IDENTITY_EXISTS if the account has another identity of the provider
 * @throws NOT_LOGGED_IN if the session ended during the request
 */
export async function linkIdentity(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  sessionId: number,
  person: Subject,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Uses the lock order of `log-in-by-provider.ts`. `lockSession` comes last, because it takes a shared lock: two
    // requests of one user that both hold this lock would deadlock when they upgrade it.
    await lockSubject(transaction, person)
    await lockLoginMethods(transaction, user.id)
    if (!(await lockSession(transaction, user.id, sessionId))) throw NOT_LOGGED_IN
    const owner = await findIdentifiedUser(transaction, person)
    if (owner !== undefined && owner.id !== user.id) throw IDENTITY_TAKEN
    await endLinkNextLogin(transaction, user.id)
    if (owner !== undefined) return
    if (await hasIdentity(transaction, user.id, person.issuer)) throw IDENTITY_EXISTS
    await insertIdentity(transaction, user.id, person)
    const details = { issuer: person.issuer }
    const deed = { action: 'identity.link', target_id: user.id, target: user.username, details } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}

/**
 * Returns a login that confirms the session of a logged-in user through the provider.
 * @param startedAt time at which the browser was redirected to the provider, in milliseconds since 1970
 * @throws SignInFault if the identity is not linked to the user, or the ID token does not prove by its `auth_time` that
 * the provider has authenticated the user since `startedAt`
 */
export async function confirmByProvider(
  db: Kysely<Database>,
  user: Account,
  person: ProvenPerson,
  startedAt: number,
): Promise<Login> {
  const { authenticatedAt, session: providerSession } = person
  if (authenticatedAt === undefined) throw new SignInFault('nicht_bestaetigt', 'the ID token has no auth_time')
  if (authenticatedAt.getTime() < startedAt - SKEW_SECONDS * 1000) {
    throw new SignInFault(
      'nicht_bestaetigt',
      'the provider did not authenticate again: auth_time is before the request',
    )
  }
  const owner = await findIdentifiedUser(db, person)
  if (owner?.id !== user.id) throw new SignInFault('andere_person')
  await endLinkNextLogin(db, user.id)
  const { identity_id: identityId, ...account } = owner
  await recordIdentityUse(db, identityId)
  return { user: account, credential: { identityId, authenticatedAt }, providerSession }
}

/**
 * Removes an identity from the user's own account, if it exists, with an audit entry.
 * @throws LAST_LOGIN_METHOD if no login method would remain
 * @throws IDENTITY_NEEDED if the provider must confirm the user again and again
 */
export async function unlinkIdentity(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  id: number,
  { offered, recheck }: { offered: OfferedMethods; recheck: Recheck | undefined },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const ways = await lockLoginMethods(transaction, user.id)
    const removed = await deleteIdentity(transaction, user.id, id)
    if (ways === undefined || removed === undefined) return
    // An identity of a provider that is no longer configured cannot log in, so it may always be removed.
    const counts = countIdentities([removed.issuer], offered.oidc)
    const identities = countIdentities(ways.issuers, offered.oidc) - counts
    const left = { ...ways, passkeys: ways.passkeys.length, identities }
    if (counts > 0 && countLoginMethods(left, offered) === 0) throw LAST_LOGIN_METHOD
    // Otherwise a person who leaves could keep the password without a confirmation by the provider.
    if (recheck?.issuers.includes(removed.issuer) && !ways.emergency) throw IDENTITY_NEEDED
    const details = { issuer: removed.issuer }
    const deed = { action: 'identity.unlink', target_id: user.id, target: user.username, details } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}
