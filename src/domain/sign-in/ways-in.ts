/** By what an account can be entered. */
export interface WaysIn {
  password: boolean
  /** The user has chosen that the password is refused. */
  passkey_only: boolean
  /** May log in by password although that is switched off for others. */
  emergency: boolean
  passkeys: number
  /** Of the provider that is configured. */
  identities: number
}

/** What of it the service offers. */
export interface OfferedWays {
  password: boolean
  passkeys: boolean
  /** The issuer that is configured: those of another one let nobody in. */
  oidc: string | undefined
}

/** In how many ways the account can be entered: the last one must not be removed. */
export function countWaysIn(ways: WaysIn, offered: OfferedWays): number {
  const byPassword = ways.password && !ways.passkey_only && (offered.password || ways.emergency)
  return (byPassword ? 1 : 0) + (offered.passkeys ? ways.passkeys : 0) + (offered.oidc ? ways.identities : 0)
}

/** How many of these identities, given by their issuers, are of the provider that is configured. */
export function countIdentities(issuers: string[], configured: string | undefined): number {
  return configured === undefined ? 0 : issuers.filter((issuer) => isSameIssuer(issuer, configured)).length
}

/** Whether the provider that names itself `issuer` is the configured one: discovery forgives what is cut here. */
export function isSameIssuer(issuer: string, configured: string): boolean {
  return plain(issuer) === plain(configured)
}

function plain(issuer: string): string {
  const address = URL.canParse(issuer) ? new URL(issuer).href : issuer
  return address.replace(/\/\.well-known\/openid-configuration$/, '').replace(/\/$/, '')
}
