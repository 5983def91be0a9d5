export interface LoginMethods {
  password: boolean
  /** Whether the user has disabled password login for the account */
  passkey_only: boolean
  /** Whether the account may use password login even if the service has disabled it */
  emergency: boolean
  passkeys: number
  /** Number of linked identities of the configured provider */
  identities: number
}

export interface OfferedMethods {
  password: boolean
  passkeys: boolean
  /** Issuer of the configured provider; identities of other issuers cannot log in. */
  oidc: string | undefined
}

/** Counts the usable login methods of an account; the last one must not be removed. */
export function countLoginMethods(ways: LoginMethods, offered: OfferedMethods): number {
  const byPassword = ways.password && !ways.passkey_only && (offered.password || ways.emergency)
  return (byPassword ? 1 : 0) + (offered.passkeys ? ways.passkeys : 0) + (offered.oidc ? ways.identities : 0)
}

export function countIdentities(issuers: string[], configured: string | undefined): number {
  return configured === undefined ? 0 : issuers.filter((issuer) => isSameIssuer(issuer, configured)).length
}

/** Returns the forms in which the identities of a configured issuer may be stored. */
export function issuerForms(configured: string): string[] {
  const issuer = plain(configured)
  return [issuer, `${issuer}/`]
}

/** Returns whether both issuers are the same apart from a trailing slash and the path of the discovery document. */
function isSameIssuer(issuer: string, configured: string): boolean {
  return plain(issuer) === plain(configured)
}

function plain(issuer: string): string {
  const address = URL.canParse(issuer) ? new URL(issuer).href : issuer
  return address.replace(/\/\.well-known\/openid-configuration$/, '').replace(/\/$/, '')
}
