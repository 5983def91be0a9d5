import { hash, randomBytes } from 'node:crypto'

const FORMAT = /^[A-Za-z0-9_-]{43}$/

/** Returns a secret of a link in a mail: 32 random bytes in base64url. */
export function createMailSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns whether the text may be such a secret. */
export function isMailSecret(text: unknown): text is string {
  return typeof text === 'string' && FORMAT.test(text)
}

/** Returns the SHA-256 under which the token of a confirmation is stored. */
export function hashMailToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
