import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  findIdentifiedUser,
  hasIdentity,
  type IdentifiedUser,
  insertIdentity,
  lockSubject,
  noteIdentityUse,
} from '../../../db/queries/accounts/identities.js'
import { lockWaysIn } from '../../../db/queries/accounts/passkeys.js'
import {
  type Account,
  type AccountWithState,
  endLinkNextLogin,
  findCredentials,
  insertUser,
  lockAdmins,
  updateUser,
} from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { type Profile, readProfile } from '../../domain/sign-in/claims.js'
import { SignInFault } from '../../domain/sign-in/faults.js'
import { lostWith } from '../../domain/sign-in/last-admin.js'
import type { OidcSettings } from '../../domain/sign-in/settings.js'
import type { OfferedWays } from '../../domain/sign-in/ways-in.js'
import type { Login } from '../accounts/log-in.js'
import type { ProvenPerson } from './provider.js'

/** Who has logged in, and what the log should know of it. */
export interface ProviderLogin extends Login {
  /** The provider would have taken the right from the last administrator, or from the last one for emergencies. */
  keptLastAdmin: boolean
}

/**
 * The account of the person: the one that is linked, one that may be linked now, or a new one. Its display name and
 * right follow the provider. What changes is noted as the person's own doing, by the provider.
 * @throws SignInFault when the person has no account and gets none
 */
export async function logInByProvider(
  db: Kysely<Database>,
  settings: OidcSettings,
  person: ProvenPerson,
  address: string,
  offered: Pick<OfferedWays, 'password'>,
): Promise<ProviderLogin> {
  const profile = readProfile(person.claims, settings.claims)
  return db.transaction().execute(async (transaction) => {
    await lockSubject(transaction, person)
    const known = await findIdentifiedUser(transaction, person)
    const found = known ?? (await admit(transaction, settings, person, profile, address))
    const keptLastAdmin = await follow(transaction, found, profile, { address, offered })
    // After `follow`, which locks administrators before the user's own row.
    await endLinkNextLogin(transaction, found.id)
    await noteIdentityUse(transaction, found.identity_id)
    const current = (await findIdentifiedUser(transaction, person)) as IdentifiedUser
    const { identity_id: identityId, ...account } = current
    return {
      // What must be changed first is a password, and this is none.
      user: { ...account, must_change_password: false },
      proof: { identityId, authenticatedAt: person.authenticatedAt },
      providerSession: person.session,
      keptLastAdmin,
    }
  })
}

/** The account of a person who comes for the first time. */
async function admit(
  transaction: Transaction<Database>,
  settings: OidcSettings,
  person: ProvenPerson,
  profile: Profile,
  address: string,
): Promise<IdentifiedUser> {
  const { username, displayName } = profile
  if (username === undefined) {
    throw new SignInFault('kein_name', `the provider gives no ${settings.claims.usernameClaim}`)
  }
  const taken = await findCredentials(transaction, username)
  if (taken !== undefined) return adopt(transaction, settings, person, profile, taken, address)
  if (!settings.createUsers) throw new SignInFault('nicht_angelegt')
  const is_admin = profile.isAdmin ?? false
  const display_name = displayName ?? username
  const id = await insertUser(transaction, { username, display_name, is_admin, password_hash: null })
  if (id === undefined) throw new SignInFault('name_vergeben')
  await insertIdentity(transaction, id, person)
  const actor = actorOf({ id, username }, address)
  await insertAuditEntry(transaction, actor, {
    action: 'user.create',
    target_id: id,
    target: username,
    details: { is_admin },
  })
  return (await findIdentifiedUser(transaction, person)) as IdentifiedUser
}

/**
 * An account that exists, when it may become this person's. The account of another person of the same provider never
 * does, whoever has allowed it.
 */
async function adopt(
  transaction: Transaction<Database>,
  { linkByUsername }: OidcSettings,
  person: ProvenPerson,
  { isAdmin }: Profile,
  found: Account,
  address: string,
): Promise<IdentifiedUser> {
  // `follow` may need it, and then it has to come before the user's own row.
  if (isAdmin === false) await lockAdmins(transaction)
  // Of two persons of that name who come at once the second sees what the first has left.
  const ways = await lockWaysIn(transaction, found.id)
  const taken = ways && (await findCredentials(transaction, found.username))
  if (taken?.id !== found.id) throw new SignInFault('name_vergeben', 'the account of this name has gone meanwhile')
  const { id, username, link_next_login: isAllowed } = taken
  if (!isAllowed && !linkByUsername) {
    throw new SignInFault('name_vergeben', 'an account of this name exists and is not linked')
  }
  // The provider has given a name to somebody else; whose the account is then is not said by the name.
  if (await hasIdentity(transaction, id, person.issuer)) {
    throw new SignInFault('name_vergeben', 'the account of this name belongs to another person of this provider')
  }
  await insertIdentity(transaction, id, person)
  await insertAuditEntry(transaction, actorOf(taken, address), {
    action: 'identity.link',
    target_id: id,
    target: username,
    details: { issuer: person.issuer, allowed: isAllowed ? 'link_next_login' : 'OIDC_LINK_BY_USERNAME' },
  })
  return (await findIdentifiedUser(transaction, person)) as IdentifiedUser
}

/** Takes over display name and right; whether the last administrator keeps a right that the provider does not give. */
async function follow(
  transaction: Transaction<Database>,
  user: AccountWithState,
  { displayName, isAdmin }: Profile,
  { address, offered }: { address: string; offered: Pick<OfferedWays, 'password'> },
): Promise<boolean> {
  const losesRight = isAdmin === false && user.is_admin
  // Before the user's own row: two administrators who change each other lock in the same order.
  const admins = losesRight ? await lockAdmins(transaction) : []
  const isLast = lostWith(user.id, admins, offered) !== undefined
  const change = {
    ...(displayName !== undefined && displayName !== user.display_name && { display_name: displayName }),
    ...(isAdmin !== undefined && isAdmin !== user.is_admin && !isLast && { is_admin: isAdmin }),
  }
  if (Object.keys(change).length > 0) {
    await updateUser(transaction, user.id, change)
    const details = { fields: Object.keys(change), ...(change.is_admin !== undefined && { is_admin: change.is_admin }) }
    const deed = { action: 'user.update', target_id: user.id, target: user.username, details } as const
    await insertAuditEntry(transaction, actorOf(user, address), deed)
  }
  return isLast
}

function actorOf({ id, username }: { id: number; username: string }, address: string): Actor {
  return { actor_id: id, actor: username, via: 'oidc', address }
}
