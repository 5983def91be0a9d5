import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'

export interface RelyingParty {
  /** Host name without port. Browsers offer passkeys of this host on its pages and on pages of its subdomains. */
  id: string
  /** The only origin from which passkeys are accepted */
  origin: string
}

export const CHALLENGE_MINUTES = 5

/**
 * Maximum number of unfinished passkey logins per address; a new login replaces the oldest one. The limit is high,
 * because each open login page starts a login, and all employees of a company may share one address.
 */
export const MAX_OPEN_LOGINS = 2_000

/** Maximum number of unfinished passkey registrations per user; a new registration replaces the oldest one */
export const MAX_OPEN_REGISTRATIONS = 10

/** Maximum length of a credential id in bytes (WebAuthn, section 4) */
export const MAX_CREDENTIAL_ID = 1_023

/** Maximum number of passkeys per user; keeps the list in the browser and the payload of a registration short */
export const MAX_PASSKEYS = 50

/**
 * Returns the WebAuthn relying party for the public URL of the service. Returns undefined if browsers support no
 * passkeys there: with plain http (except localhost), an IP address, or no public URL.
 */
export function relyingPartyOf(publicUrl: string | undefined): RelyingParty | undefined {
  if (publicUrl === undefined) return undefined
  const { protocol, hostname, origin } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
  return (protocol === 'https:' || isLocal) && !isAddress ? { id: hostname, origin } : undefined
}

export function createChallenge(): Buffer {
  return randomBytes(32)
}

/**
 * Creates a random WebAuthn user handle, which reveals nothing about the user. Callers must use the same handle for
 * all passkeys of a user.
 */
export function createUserHandle(): Buffer {
  return randomBytes(32)
}

const BASE64URL = /^[A-Za-z0-9_-]+$/

/**
 * Decodes base64url without padding; returns undefined for other text and for an empty string.
 * @example decodeBase64Url('YQ')?.toString() // 'a'
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  return BASE64URL.test(text) ? Buffer.from(text, 'base64url') : undefined
}

export interface ClientData {
  challenge: Buffer
  /** Whether the request came from a frame that a page of another origin embeds */
  isFramed: boolean
}

/**
 * Parses `clientDataJSON`, encoded as base64url, without verification. Returns undefined if the decoded text is not
 * JSON with a base64url `challenge`.
 * @example readClientData(Buffer.from('{"challenge":"YQ"}').toString('base64url'))?.isFramed // false
 */
export function readClientData(clientDataJSON: string): ClientData | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const { challenge, crossOrigin, topOrigin } = data as Record<string, unknown>
    const bytes = typeof challenge === 'string' ? decodeBase64Url(challenge) : undefined
    const isFramed = (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined
    return bytes && { challenge: bytes, isFramed }
  } catch {
    return undefined
  }
}

/** Returns whether the signature counter reveals a cloned authenticator: the counter must grow unless it stays 0. */
export function isCloned(stored: number, sent: number): boolean {
  return (stored > 0 || sent > 0) && sent <= stored
}
