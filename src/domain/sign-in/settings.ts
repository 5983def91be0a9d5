import type { ClaimRules, RightRule } from './claims.js'
import { issuerForms } from './login-methods.js'

/** Access of linked accounts ends `days` days after the provider's last confirmation of the person. */
export interface Recheck {
  /** Forms of the issuer of the provider */
  issuers: string[]
  days: number
}

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string
  claims: ClaimRules
  createUsers: boolean
  /** Whether a sign-in links an existing account of the same name; requires trust in the provider's names */
  linkByUsername: boolean
  label: string
  /** Undefined if the provider need not confirm persons again */
  recheck: Recheck | undefined
}

export interface GivenOidc {
  OIDC_ISSUER: string | undefined
  OIDC_CLIENT_ID: string | undefined
  OIDC_CLIENT_SECRET: string | undefined
  OIDC_SCOPES: string
  OIDC_USERNAME_CLAIM: string
  OIDC_NAME_CLAIM: string
  OIDC_ADMIN_CLAIM: string | undefined
  OIDC_ADMIN_VALUE: string | undefined
  OIDC_AUTHOR_CLAIM: string | undefined
  OIDC_AUTHOR_VALUE: string | undefined
  OIDC_AUDITOR_CLAIM: string | undefined
  OIDC_AUDITOR_VALUE: string | undefined
  OIDC_GROUPS_CLAIM: string | undefined
  OIDC_PERSONNEL_CLAIM: string | undefined
  OIDC_CREATE_USERS: boolean
  OIDC_LINK_BY_USERNAME: boolean
  OIDC_LABEL: string
  OIDC_RECHECK_DAYS: number
}

export const DEFAULT_SCOPES = 'openid profile email'

/** Variables that are all required if any of them, any variable of `RIGHTS` or `OPTIONAL_CLAIMS` is set */
const NEEDED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const

/** Variables for the claim and the value of each right that the provider may grant; both must be set together */
const RIGHTS = [
  ['OIDC_ADMIN_CLAIM', 'OIDC_ADMIN_VALUE'],
  ['OIDC_AUTHOR_CLAIM', 'OIDC_AUTHOR_VALUE'],
  ['OIDC_AUDITOR_CLAIM', 'OIDC_AUDITOR_VALUE'],
] as const

const OPTIONAL_CLAIMS = ['OIDC_GROUPS_CLAIM', 'OIDC_PERSONNEL_CLAIM'] as const

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Reads the provider configuration; returns undefined if there is none.
 * @param fail called with a variable and its fault in German; must throw
 */
export function readOidcSettings(
  given: GivenOidc,
  publicUrl: string | undefined,
  fail: (variable: string, problem: string) => never,
): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = given
  const { OIDC_RECHECK_DAYS: days } = given
  const first =
    [...NEEDED, ...RIGHTS.flat(), ...OPTIONAL_CLAIMS].find((name) => given[name] !== undefined) ??
    (days > 0 ? 'OIDC_RECHECK_DAYS' : undefined)
  if (first === undefined) return undefined
  for (const name of NEEDED) if (given[name] === undefined) fail(name, `fehlt, obwohl ${first} gesetzt ist`)
  if (publicUrl === undefined) fail('PUBLIC_URL', 'ist mit OIDC_ISSUER erforderlich')
  const [admin, author, auditor] = RIGHTS.map(([claimName, valueName]): RightRule | undefined => {
    const claim = given[claimName]
    const value = given[valueName]
    if (claim === undefined && value === undefined) return undefined
    if (value === undefined) return fail(valueName, `fehlt, obwohl ${claimName} gesetzt ist`)
    if (claim === undefined) return fail(claimName, `fehlt, obwohl ${valueName} gesetzt ist`)
    return { claim, value }
  })
  return {
    issuer: issuer as string,
    clientId: clientId as string,
    clientSecret: clientSecret as string,
    scopes: given.OIDC_SCOPES,
    claims: {
      usernameClaim: given.OIDC_USERNAME_CLAIM,
      nameClaim: given.OIDC_NAME_CLAIM,
      admin,
      author,
      auditor,
      groupsClaim: given.OIDC_GROUPS_CLAIM,
      personnelClaim: given.OIDC_PERSONNEL_CLAIM,
    },
    createUsers: given.OIDC_CREATE_USERS,
    linkByUsername: given.OIDC_LINK_BY_USERNAME,
    label: given.OIDC_LABEL,
    recheck: days > 0 ? { issuers: issuerForms(issuer as string), days } : undefined,
  }
}

/** Returns the fault as the end of a German sentence; undefined if the URL is valid. */
export function checkIssuer(text: string): string | undefined {
  if (!URL.canParse(text)) return 'muss eine Adresse mit https:// sein'
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username !== '' || password !== '' || search !== '' || hash !== '') {
    return 'darf weder Anmeldung noch „?“ noch „#“ enthalten'
  }
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))) return undefined
  return 'muss mit https:// beginnen (http:// nur auf diesem Rechner)'
}

/** Returns the fault as the end of a German sentence; undefined if the scopes are valid. */
export function checkScopes(text: string): string | undefined {
  const isList = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text)
  return isList && text.split(' ').includes('openid') ? undefined : 'muss eine Liste mit Leerzeichen sein, darin openid'
}
