import { createHash, randomBytes } from 'node:crypto'

/** Lets secret scanners recognise a token; 32 random bytes follow in base64url. */
const PREFIX = 'svct_'
const FORMAT = /^svct_[A-Za-z0-9_-]{43}$/

/** Creates an API token. */
export function createToken(): string {
  return `${PREFIX}${randomBytes(32).toString('base64url')}`
}

/**
 * Returns the SHA-256 under which a token is stored, so that a leaked table reveals no valid token; undefined for text
 * that is no token. Tokens are random, so a slow hash would add nothing.
 */
export function hashToken(token: string): Buffer | undefined {
  return FORMAT.test(token) ? createHash('sha256').update(token).digest() : undefined
}

/**
 * Returns the credentials of a Bearer header, possibly empty; undefined for other schemes.
 * @example bearerOf('Bearer svct_x') // 'svct_x'
 */
export function bearerOf(authorization: string | undefined): string | undefined {
  const match = /^bearer(?: +(.*))?$/i.exec(authorization ?? '')
  return match === null ? undefined : (match[1] ?? '').trim()
}
