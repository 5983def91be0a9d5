/** By what an account can be entered. */
export interface WaysIn {
  password: boolean
  /** The user has chosen that the password is refused. */
  passkey_only: boolean
  /** May log in by password although that is switched off for others. */
  emergency: boolean
  passkeys: number
  identities: number
}

/** What of it the service offers. */
export interface OfferedWays {
  password: boolean
  passkeys: boolean
  oidc: boolean
}

/** In how many ways the account can be entered: the last one must not be removed. */
export function countWaysIn(ways: WaysIn, offered: OfferedWays): number {
  const byPassword = ways.password && !ways.passkey_only && (offered.password || ways.emergency)
  return (byPassword ? 1 : 0) + (offered.passkeys ? ways.passkeys : 0) + (offered.oidc ? ways.identities : 0)
}
