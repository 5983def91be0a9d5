import { createHash, randomBytes } from 'node:crypto'

/** The prefix lets secret scanners recognise a token; 32 random bytes follow in base64url. */
const PREFIX = 'svct_'
const FORMAT = /^svct_[A-Za-z0-9_-]{43}$/

/** A new API token. */
export function createToken(): string {
  return `${PREFIX}${randomBytes(32).toString('base64url')}`
}

/**
 * The SHA-256 under which a token is stored: who reads the table cannot use what it holds. Tokens are random, so a
 * slow hash would add nothing. Undefined for a text that cannot be a token.
 */
export function hashToken(token: string): Buffer | undefined {
  return FORMAT.test(token) ? createHash('sha256').update(token).digest() : undefined
}

/** What follows `Bearer` in an Authorization header, empty when nothing does; undefined for every other scheme. */
export function bearerOf(authorization: string | undefined): string | undefined {
  const match = /^bearer(?: +(.*))?$/i.exec(authorization ?? '')
  return match === null ? undefined : (match[1] ?? '').trim()
}
