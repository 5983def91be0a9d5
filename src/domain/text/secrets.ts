import { hash, randomBytes } from 'node:crypto'

const FORMAT = /^[A-Za-z0-9_-]{43}$/

/** Returns a secret, for example for a link: 32 random bytes in base64url. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function isSecret(text: unknown): text is string {
  return typeof text === 'string' && FORMAT.test(text)
}

/** Returns the SHA-256 under which a secret is stored. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
