import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'

/** For whom passkeys are made: a browser gives them to pages of this origin only. */
export interface RelyingParty {
  /** The host name, without a port. */
  id: string
  origin: string
}

/** What an authenticator signs counts so long, and once. */
export const CHALLENGE_MINUTES = 5

/** That one address may have open: a company is behind one, and each login page that is open has one. */
export const MAX_OPEN_CHALLENGES = 2_000

/** More would fill the lists that browsers show, and what is sent to each registration. */
export const MAX_PASSKEYS = 50

/**
 * Who the service is to authenticators, by the address that people open; undefined where browsers know no passkeys: by
 * plain http (other than localhost), below an IP address, or when nobody has said what the address is.
 */
export function relyingPartyOf(publicUrl: string | undefined): RelyingParty | undefined {
  if (publicUrl === undefined) return undefined
  const { protocol, hostname, origin } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
  return (protocol === 'https:' || isLocal) && !isAddress ? { id: hostname, origin } : undefined
}

/** What is to be signed: 256 random bits. */
export function createChallenge(): Buffer {
  return randomBytes(32)
}

/** What authenticators call a user: random, so that it says nothing of the person, and the same for all passkeys. */
export function createUserHandle(): Buffer {
  return randomBytes(32)
}

const BASE64URL = /^[A-Za-z0-9_-]+$/

/** The bytes of a text in base64url; undefined when it is none. */
export function decodeBase64Url(text: string): Buffer | undefined {
  return BASE64URL.test(text) ? Buffer.from(text, 'base64url') : undefined
}

/**
 * The challenge that an answer of an authenticator says it has signed; undefined when it is not the JSON that browsers
 * make. Nothing is proven by it yet.
 */
export function challengeOf(clientDataJSON: string): Buffer | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const { challenge } = data as { challenge?: unknown }
    return typeof challenge === 'string' ? decodeBase64Url(challenge) : undefined
  } catch {
    return undefined
  }
}

/** Counters that stay at 0 count nothing; any other one must grow, or there are two of the authenticator. */
export function isCloned(stored: number, sent: number): boolean {
  return (stored > 0 || sent > 0) && sent <= stored
}
