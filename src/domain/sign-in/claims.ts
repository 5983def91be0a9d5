import { MAX_NAME_LENGTH } from '../accounts/accounts.js'
import { countCharacters, isStorable } from '../text/text.js'
import { SignInFault } from './faults.js'

const MAX_SESSION = 500

/** Which claims say what. */
export interface ClaimRules {
  usernameClaim: string
  nameClaim: string
  /** Undefined when the provider never decides who is an administrator. */
  admin: { claim: string; value: string } | undefined
}

export type Claims = Readonly<Record<string, unknown>>

/** What the provider says of a person. */
export interface Profile {
  /** Undefined when the provider names none. */
  username: string | undefined
  displayName: string | undefined
  /** Undefined when the provider does not decide. */
  isAdmin: boolean | undefined
}

/**
 * Reads the claims of a person; names are trimmed and in NFC, a display name is one line and cut.
 * @throws SignInFault for a user name that no account can have
 */
export function readProfile(claims: Claims, rules: ClaimRules): Profile {
  return {
    username: readUsername(claimOf(claims, rules.usernameClaim)),
    displayName: readDisplayName(claimOf(claims, rules.nameClaim)),
    isAdmin: rules.admin && readAdmin(claims, rules.admin),
  }
}

/** Whether the rules find all that they look for. */
export function isComplete(claims: Claims, { usernameClaim, nameClaim, admin }: ClaimRules): boolean {
  const names = [usernameClaim, nameClaim, ...(admin === undefined ? [] : [admin.claim])]
  return names.every((name) => claimOf(claims, name) !== undefined)
}

/** The claim of that name, or inside of others: Keycloak has its roles in `realm_access.roles`. */
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
  const username = claim.normalize('NFC').trim()
  if (username === '') return undefined
  if (countCharacters(username) > MAX_NAME_LENGTH) throw new SignInFault('name_ungueltig', 'the user name is too long')
  if (!isStorable(username) || /\p{Cc}/u.test(username)) {
    throw new SignInFault('name_ungueltig', 'the user name holds control characters')
  }
  return username
}

function readDisplayName(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined
  const line = claim
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_NAME_LENGTH).join('').trim() || undefined
}

function readAdmin(claims: Claims, { claim: name, value }: { claim: string; value: string }): boolean | undefined {
  const claim = claimOf(claims, name)
  // Entra leaves out a list that is too long for a token and says so: that is no answer.
  if (claim === undefined && claimOf(claims, `_claim_names.${name}`) !== undefined) return undefined
  return [claim].flat().some((one) => String(one) === value && typeof one !== 'object')
}

/** What the provider calls its session, as it is kept: cut. @throws SignInFault when it cannot be stored */
export function readProviderSession(sid: unknown): string | undefined {
  if (typeof sid !== 'string') return undefined
  if (!isStorable(sid)) throw new SignInFault('ungueltig', 'the sid holds what cannot be stored')
  // A cut may halve a character.
  return sid.slice(0, MAX_SESSION).toWellFormed()
}
