import { createSecret, hashSecret, isSecret } from '../text/secrets.js'

/** Prefix of API tokens; lets secret scanners recognise them */
const PREFIX = 'svct_'

export function createToken(): string {
  return `${PREFIX}${createSecret()}`
}

/**
 * Returns the SHA-256 that is stored instead of a token, so that a leaked table reveals no valid token. Returns
 * undefined if the text does not have the form of a token. Tokens are random, so a slow hash would not add security.
 */
export function hashToken(token: string): Buffer | undefined {
  return token.startsWith(PREFIX) && isSecret(token.slice(PREFIX.length)) ? hashSecret(token) : undefined
}

/**
 * Returns the credentials of a Bearer header, possibly empty; undefined for another scheme or without a header.
 * @example bearerOf('Bearer svct_x') // 'svct_x'
 */
export function bearerOf(authorization: string | undefined): string | undefined {
  const match = /^bearer(?: +(.*))?$/i.exec(authorization ?? '')
  return match === null ? undefined : (match[1] ?? '').trim()
}
