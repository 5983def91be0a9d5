import { createHash, randomBytes } from 'node:crypto'

const FORMAT = /^[A-Za-z0-9_-]{43}$/

/** Returns the secret part of the address of a calendar: 32 random bytes in base64url. */
export function createCalendarToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the SHA-256 under which the token is stored; undefined for text that is no token. */
export function hashCalendarToken(token: string): Buffer | undefined {
  return FORMAT.test(token) ? createHash('sha256').update(token).digest() : undefined
}
