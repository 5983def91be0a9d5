import { MAX_NAME_LENGTH, MAX_PERSONNEL_NUMBER_LENGTH } from '../accounts/accounts.js'
import { isMailAddress } from '../mail/address.js'
import { toNfc } from '../text/nfc.js'
import { countCharacters, hasControls, isStorable, toLine } from '../text/text.js'
import { SignInFault } from './faults.js'
import { SKEW_SECONDS } from './skew.js'

const MAX_SESSION = 500

/** A claim that grants a right if it equals the value, or is a list that contains the value. */
export interface RightRule {
  claim: string
  value: string
}

export interface ClaimRules {
  usernameClaim: string
  nameClaim: string
  /** Undefined if the provider does not assign administrators */
  admin: RightRule | undefined
  /** Undefined if the provider does not assign authors */
  author: RightRule | undefined
  /** Undefined if the provider does not assign auditors */
  auditor: RightRule | undefined
  /** Claim with the person's groups; undefined if teams do not follow groups */
  groupsClaim: string | undefined
  /** Claim with the personnel number; undefined if the provider does not assign it */
  personnelClaim: string | undefined
}

export type Claims = Readonly<Record<string, unknown>>

export interface Profile {
  /** Undefined if the claim is missing, empty or not a string */
  username: string | undefined
  displayName: string | undefined
  /** Undefined if the provider does not assign administrators, or omits the claim because it is too long */
  isAdmin: boolean | undefined
  /** Undefined if the provider does not assign authors, or omits the claim because it is too long */
  isAuthor: boolean | undefined
  /** Undefined if the provider does not assign auditors, or omits the claim because it is too long */
  isAuditor: boolean | undefined
  /** Undefined if the provider sends no valid address, or says that it has not verified the address */
  email: string | undefined
  /** Undefined if the provider does not send the groups, or no claim is configured for them */
  groups: string[] | undefined
  /** Undefined if the provider sends no valid number, or no claim is configured for it */
  personnelNumber: string | undefined
}

/**
 * Parses the claims of a person. Trims the names and converts them to NFC. Joins the display name into one line and
 * cuts it to the maximum length.
 * @throws SignInFault if the user name is too long or contains control characters or a lone surrogate
 * @example readProfile({ preferred_username: ' erika ' }, rules).username // 'erika'
 */
export function readProfile(claims: Claims, rules: ClaimRules): Profile {
  return {
    username: readUsername(claimOf(claims, rules.usernameClaim)),
    displayName: readDisplayName(claimOf(claims, rules.nameClaim)),
    isAdmin: rules.admin && readRight(claims, rules.admin),
    isAuthor: rules.author && readRight(claims, rules.author),
    isAuditor: rules.auditor && readRight(claims, rules.auditor),
    email: readEmail(claims),
    groups: rules.groupsClaim === undefined ? undefined : readGroups(claims, rules.groupsClaim),
    personnelNumber:
      rules.personnelClaim === undefined ? undefined : readPersonnelNumber(claimOf(claims, rules.personnelClaim)),
  }
}

/**
 * Returns the name of an identity: the first usable value of user name, email and display name, otherwise the subject.
 * @example readIdentityName({ email: 'erika@example.org' }, rules, 'subject') // 'erika@example.org'
 */
export function readIdentityName(claims: Claims, { usernameClaim, nameClaim }: ClaimRules, subject: string): string {
  const names = [claimOf(claims, usernameClaim), claims.email, claimOf(claims, nameClaim)]
  return names.map(readDisplayName).find((name) => name !== undefined) ?? subject
}

export function isComplete(
  claims: Claims,
  { usernameClaim, nameClaim, admin, author, auditor, groupsClaim, personnelClaim }: ClaimRules,
): boolean {
  const names = [
    usernameClaim,
    nameClaim,
    ...[admin, author, auditor].flatMap((rule) => rule?.claim ?? []),
    groupsClaim ?? [],
    personnelClaim ?? [],
  ].flat()
  return names.every((name) => claimOf(claims, name) !== undefined)
}

/** Returns the claim with the name or, for a path such as Keycloak's `realm_access.roles`, the nested claim. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let found: unknown = claims
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = (found as Claims)[part]
  }
  return found
}

function readUsername(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined
  const username = toNfc(claim).trim()
  if (username === '') return undefined
  if (countCharacters(username) > MAX_NAME_LENGTH) throw new SignInFault('name_ungueltig', 'the user name is too long')
  if (!isStorable(username) || hasControls(username)) {
    throw new SignInFault('name_ungueltig', 'the user name holds control characters')
  }
  return username
}

function readDisplayName(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined
  const line = toLine(claim.normalize('NFC').toWellFormed())
  return [...line].slice(0, MAX_NAME_LENGTH).join('').trim() || undefined
}

/**
 * Returns the address if it is valid and `email_verified` is not false. Providers may omit that claim or send it as a
 * string.
 */
function readEmail({ email, email_verified }: Claims): string | undefined {
  const isRefuted = email_verified === false || email_verified === 'false'
  return typeof email === 'string' && !isRefuted && isMailAddress(email) ? email : undefined
}

function readPersonnelNumber(claim: unknown): string | undefined {
  if (typeof claim !== 'string' && typeof claim !== 'number') return undefined
  const number = toNfc(String(claim)).trim()
  const isValid = countCharacters(number) <= MAX_PERSONNEL_NUMBER_LENGTH && isStorable(number) && !hasControls(number)
  return isValid && number !== '' ? number : undefined
}

function readRight(claims: Claims, { claim: name, value }: RightRule): boolean | undefined {
  const claim = claimOf(claims, name)
  // Entra omits a list that is too long for a token and mentions it in `_claim_names`; the right is then unknown.
  if (claim === undefined && claimOf(claims, `_claim_names.${name}`) !== undefined) return undefined
  return [claim].flat().some((one) => typeof one !== 'object' && String(one) === value)
}

function readGroups(claims: Claims, name: string): string[] | undefined {
  const claim = claimOf(claims, name)
  if (claim === undefined || claim === null) return undefined
  const groups = [claim].flat().filter((group) => ['string', 'number'].includes(typeof group))
  return [...new Set(groups.map(String).filter(isStorable))]
}

/** Returns why the groups are unknown, for the log; undefined if they are known or no claim is configured. */
export function explainMissingGroups(claims: Claims, { groupsClaim: name }: ClaimRules): string | undefined {
  if (name === undefined || readGroups(claims, name) !== undefined) return undefined
  const isOmitted = claimOf(claims, `_claim_names.${name}`) !== undefined
  return isOmitted ? 'the provider omits the list because it is too long' : 'the provider does not send the claim'
}

/**
 * Returns the time at which the provider last authenticated the person; undefined if the provider sends no time.
 * @throws SignInFault if the time is invalid, or more than 60 seconds in the future
 * @example readAuthTime(1_764_000_000, new Date()) // 2025-11-24T16:00:00.000Z
 */
export function readAuthTime(seconds: unknown, now: Date): Date | undefined {
  if (seconds === undefined) return undefined
  const isPast = typeof seconds === 'number' && seconds >= 0 && seconds * 1000 <= now.getTime() + SKEW_SECONDS * 1000
  if (!isPast) throw new SignInFault('ungueltig', 'the auth_time is no time, or in the future')
  return new Date(seconds * 1000)
}

/**
 * Returns the provider's session id, cut to 500 code units; undefined if `sid` is not a string.
 * @throws SignInFault if the id contains a character that cannot be stored
 * @example readProviderSession('s1') // 's1'
 */
export function readProviderSession(sid: unknown): string | undefined {
  if (typeof sid !== 'string') return undefined
  if (!isStorable(sid)) throw new SignInFault('ungueltig', 'the sid holds what cannot be stored')
  // The cut may have split a surrogate pair.
  return sid.slice(0, MAX_SESSION).toWellFormed()
}
