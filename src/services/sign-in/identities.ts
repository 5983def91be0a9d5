import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  deleteIdentity,
  findIdentifiedUser,
  insertIdentity,
  lockSubject,
} from '../../../db/queries/accounts/identities.js'
import { lockWaysIn } from '../../../db/queries/accounts/passkeys.js'
import { keepSession } from '../../../db/queries/accounts/sessions.js'
import { type Account, endLinkNextLogin } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { LAST_WAY_IN } from '../../domain/refusals.js'
import { SignInFault } from '../../domain/sign-in/faults.js'
import { SKEW_SECONDS } from '../../domain/sign-in/settings.js'
import { countIdentities, countWaysIn, type OfferedWays } from '../../domain/sign-in/ways-in.js'
import type { Login } from '../accounts/log-in.js'
import type { ProvenPerson } from './provider.js'

/**
 * Lets the person of the provider log in to the user's own account from now on, and notes it.
 * @throws SignInFault when the person belongs to another account, or the session has ended meanwhile
 */
export async function linkIdentity(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  sessionId: number,
  person: ProvenPerson,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // In the order of `adopt`; and before `keepSession`, whose lock two of the user's own would both have to raise.
    await lockSubject(transaction, person)
    await lockWaysIn(transaction, user.id)
    if (!(await keepSession(transaction, user.id, sessionId))) throw new SignInFault('nicht_angemeldet')
    const owner = await findIdentifiedUser(transaction, person)
    if (owner !== undefined && owner.id !== user.id) throw new SignInFault('schon_verknuepft')
    await endLinkNextLogin(transaction, user.id)
    if (owner !== undefined) return
    await insertIdentity(transaction, user.id, person)
    const details = { issuer: person.issuer }
    const deed = { action: 'identity.link', target_id: user.id, target: user.username, details } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}

/**
 * The login of somebody who is logged in already and has proven anew to the provider who it is.
 * @param startedAt when the person was sent to the provider
 * @throws SignInFault when it was somebody else, or the provider has not asked anew
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
    throw new SignInFault('nicht_bestaetigt', 'the provider has not asked anew: auth_time is before the request')
  }
  const owner = await findIdentifiedUser(db, person)
  if (owner?.id !== user.id) throw new SignInFault('andere_person')
  await endLinkNextLogin(db, user.id)
  const { identity_id: identityId, ...account } = owner
  return { user: account, proof: { identityId, authenticatedAt }, providerSession }
}

/**
 * Takes an identity from the user's own account, if there is one, and notes it.
 * @throws LAST_WAY_IN when nobody could log in to the account any more
 */
export async function unlinkIdentity(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  id: number,
  offered: OfferedWays,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const ways = await lockWaysIn(transaction, user.id)
    const removed = await deleteIdentity(transaction, user.id, id)
    if (ways === undefined || removed === undefined) return
    // One of a provider that is configured no more lets nobody in, so that it may always go.
    const counts = countIdentities([removed.issuer], offered.oidc)
    const identities = countIdentities(ways.issuers, offered.oidc) - counts
    const left = { ...ways, passkeys: ways.passkeys.length, identities }
    if (counts > 0 && countWaysIn(left, offered) === 0) throw LAST_WAY_IN
    const details = { issuer: removed.issuer }
    const deed = { action: 'identity.unlink', target_id: user.id, target: user.username, details } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}
