import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  findIdentifiedUser,
  hasIdentity,
  type IdentifiedUser,
  insertIdentity,
  lockSubject,
  recordIdentityUse,
} from '../../../db/queries/accounts/identities.js'
import { lockLoginMethods } from '../../../db/queries/accounts/passkeys.js'
import {
  type Account,
  endLinkNextLogin,
  findCredentials,
  findTakenNumbers,
  insertUser,
  lockAdmins,
  lockPersonnelNumbers,
  updateUser,
} from '../../../db/queries/accounts/users.js'
import { awaitsLink, findAwaitingAccount } from '../../../db/queries/scim/users.js'
import type { Database } from '../../../db/types.js'
import { type Deactivation, isDisabled } from '../../domain/accounts/deactivation.js'
import { type Profile, readProfile } from '../../domain/sign-in/claims.js'
import { SignInFault } from '../../domain/sign-in/faults.js'
import { vacatedRole } from '../../domain/sign-in/last-admin.js'
import type { OfferedMethods } from '../../domain/sign-in/login-methods.js'
import type { OidcSettings } from '../../domain/sign-in/settings.js'
import type { Login } from '../accounts/log-in.js'
import { followProviderGroups } from '../teams/follow-groups.js'
import type { ProvenPerson } from './provider.js'

export interface ProviderLogin extends Login {
  /** Whether the user keeps administrator rights that the provider withdraws; see `vacatedRole` */
  keptLastAdmin: boolean
  /** Whether the personnel number of the provider was not stored, because another account has it */
  isNumberTaken: boolean
}

/**
 * Returns the account of an identity: the linked account, an account that may be linked now, or a new account. Updates
 * display name, rights, e-mail address, personnel number and teams to those of the provider.
 * @throws SignInFault if the person has no account and none may be linked or created, or if the account is disabled
 */
export async function logInByProvider(
  db: Kysely<Database>,
  settings: OidcSettings,
  person: ProvenPerson,
  { address, offered, today }: { address: string; offered: Pick<OfferedMethods, 'password'>; today: string },
): Promise<ProviderLogin> {
  const profile = readProfile(person.claims, settings.claims)
  return db.transaction().execute(async (transaction) => {
    await lockSubject(transaction, person)
    const known = await findIdentifiedUser(transaction, person)
    const { personnelNumber } = profile
    if (personnelNumber !== undefined && personnelNumber !== known?.personnel_number) {
      await lockPersonnelNumbers(transaction)
    }
    const found = known ?? (await admit(transaction, settings, person, profile, { address, today }))
    refuseDisabled(found, today)
    const { keptLastAdmin, isNumberTaken } = await follow(transaction, found, profile, { address, offered })
    await followProviderGroups(transaction, actorOf(found, address), found.id, { groups: profile.groups, today })
    // Runs after `follow`, because `follow` must lock the administrators before the user's own row.
    await endLinkNextLogin(transaction, found.id)
    await recordIdentityUse(transaction, found.identity_id)
    const current = (await findIdentifiedUser(transaction, person)) as IdentifiedUser
    const { identity_id: identityId, email: _email, personnel_number: _number, ...account } = current
    return {
      // A user who must change the password may log in through the provider without changing it.
      user: { ...account, must_change_password: false },
      credential: { identityId, authenticatedAt: person.authenticatedAt },
      providerSession: person.session,
      keptLastAdmin,
      isNumberTaken,
    }
  })
}

/** Links or creates an account at the first sign-in of a person. */
async function admit(
  transaction: Transaction<Database>,
  settings: OidcSettings,
  person: ProvenPerson,
  profile: Profile,
  { address, today }: { address: string; today: string },
): Promise<IdentifiedUser> {
  const { username, displayName, email = null } = profile
  if (username === undefined) {
    throw new SignInFault('kein_name', `the provider gives no ${settings.claims.usernameClaim}`)
  }
  const taken = await findNamed(transaction, username)
  if (taken !== undefined) {
    // This check precedes `adopt`, so that a disabled account is refused as disabled even if it cannot be linked.
    refuseDisabled(taken, today)
    return adopt(transaction, settings, person, profile, taken, address)
  }
  if (!settings.createUsers) throw new SignInFault('nicht_angelegt')
  const is_admin = profile.isAdmin ?? false
  const is_author = profile.isAuthor ?? false
  const is_auditor = profile.isAuditor ?? false
  const display_name = displayName ?? username
  const rights = { is_admin, is_author, is_auditor }
  const id = await insertUser(transaction, { username, display_name, ...rights, email, password_hash: null })
  if (id === undefined) throw new SignInFault('name_vergeben')
  await insertIdentity(transaction, id, person)
  const actor = actorOf({ id, username }, address)
  await insertAuditEntry(transaction, actor, {
    action: 'user.create',
    target_id: id,
    target: username,
    details: { is_admin, ...(is_author && { is_author }), ...(is_auditor && { is_auditor }) },
  })
  return (await findIdentifiedUser(transaction, person)) as IdentifiedUser
}

/** Returns the account of the name. Without one, returns the account that SCIM has created with the name in another case. */
async function findNamed(transaction: Transaction<Database>, username: string) {
  const exact = await findCredentials(transaction, username)
  if (exact !== undefined) return exact
  const awaiting = await findAwaitingAccount(transaction, username)
  return awaiting && findCredentials(transaction, awaiting.username)
}

/** @throws SignInFault `nicht_angelegt`, the code for persons without an account, if the account is disabled */
function refuseDisabled(account: Deactivation, today: string): void {
  if (isDisabled(account, today)) throw new SignInFault('nicht_angelegt', 'the account is disabled')
}

/**
 * Links an existing account to the identity. An account that is already linked to an identity of the same provider is
 * never linked to another identity.
 */
async function adopt(
  transaction: Transaction<Database>,
  { linkByUsername }: OidcSettings,
  person: ProvenPerson,
  { isAdmin }: Profile,
  found: Account,
  address: string,
): Promise<IdentifiedUser> {
  // `follow` may need this lock, which must be taken before the lock on the user's own row.
  if (isAdmin === false) await lockAdmins(transaction)
  // This lock serialises concurrent sign-ins with the same name, so that the second one sees the link of the first.
  const ways = await lockLoginMethods(transaction, found.id)
  const taken = ways && (await findCredentials(transaction, found.username))
  if (taken?.id !== found.id)
    throw new SignInFault('name_vergeben', 'the account of this name was deleted during the sign-in')
  const { id, username, link_next_login: isAllowed } = taken
  const isOfScim = !isAllowed && (await awaitsLink(transaction, id))
  if (!isAllowed && !isOfScim && !linkByUsername) {
    throw new SignInFault('name_vergeben', 'an account of this name exists and is not linked')
  }
  // The provider has reassigned the name to another person, so it no longer identifies the owner of the account.
  if (await hasIdentity(transaction, id, person.issuer)) {
    throw new SignInFault('name_vergeben', 'the account of this name belongs to another person of this provider')
  }
  await insertIdentity(transaction, id, person)
  await insertAuditEntry(transaction, actorOf(taken, address), {
    action: 'identity.link',
    target_id: id,
    target: username,
    details: {
      issuer: person.issuer,
      allowed: isAllowed ? 'link_next_login' : isOfScim ? 'scim' : 'OIDC_LINK_BY_USERNAME',
    },
  })
  await updateUser(transaction, id, { awaits_link: false })
  return (await findIdentifiedUser(transaction, person)) as IdentifiedUser
}

/**
 * Updates display name, rights, e-mail address and personnel number to those of the provider, as far as the provider
 * sends them.
 */
async function follow(
  transaction: Transaction<Database>,
  user: IdentifiedUser,
  { displayName, isAdmin, isAuthor, isAuditor, email, personnelNumber }: Profile,
  { address, offered }: { address: string; offered: Pick<OfferedMethods, 'password'> },
): Promise<Pick<ProviderLogin, 'keptLastAdmin' | 'isNumberTaken'>> {
  const losesRight = isAdmin === false && user.is_admin
  // Locks the administrators before the user's own row, so that all transactions that change them lock in this order.
  const admins = losesRight ? await lockAdmins(transaction) : []
  const isLast = vacatedRole(user.id, admins, offered) !== undefined
  const isNewNumber = personnelNumber !== undefined && personnelNumber !== user.personnel_number
  const isNumberTaken = isNewNumber && (await findTakenNumbers(transaction, [personnelNumber])).length > 0
  const change = {
    ...(displayName !== undefined && displayName !== user.display_name && { display_name: displayName }),
    ...(isAdmin !== undefined && isAdmin !== user.is_admin && !isLast && { is_admin: isAdmin }),
    ...(isAuthor !== undefined && isAuthor !== user.is_author && { is_author: isAuthor }),
    // The last day that an administrator has set stays until the provider withdraws the role.
    ...(isAuditor !== undefined && isAuditor !== user.is_auditor && { is_auditor: isAuditor, auditor_until: null }),
    ...(email !== undefined && email !== user.email && { email }),
    ...(isNewNumber && !isNumberTaken && { personnel_number: personnelNumber }),
  }
  if (Object.keys(change).length > 0) {
    await updateUser(transaction, user.id, change)
    const { display_name: _, email: _email, personnel_number: _number, ...rights } = change
    const details = { fields: Object.keys(change), ...rights }
    const deed = { action: 'user.update', target_id: user.id, target: user.username, details } as const
    await insertAuditEntry(transaction, actorOf(user, address), deed)
  }
  return { keptLastAdmin: isLast, isNumberTaken }
}

function actorOf({ id, username }: { id: number; username: string }, address: string): Actor {
  return { actor_id: id, actor: username, via: 'oidc', address }
}
