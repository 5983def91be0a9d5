import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { Address6 } from 'ip-address'

/** A leaky bucket of failures; above its capacity each failure doubles the delay. */
export interface LoginLimit {
  /** Failures without a delay */
  forgiven: number
  /** Failures that leak from the bucket per hour */
  forgottenPerHour: number
  firstDelaySeconds: number
  maxDelaySeconds: number
}

/** One account from one address: a forgotten password or a guessing attack */
export const ACCOUNT_LIMIT: LoginLimit = {
  forgiven: 5,
  forgottenPerHour: 2,
  firstDelaySeconds: 10,
  maxDelaySeconds: 900,
}

/** All accounts from one address: a company on Monday morning, or one password tried on many names */
export const ADDRESS_LIMIT: LoginLimit = {
  forgiven: 100,
  forgottenPerHour: 100,
  firstDelaySeconds: 1,
  maxDelaySeconds: 300,
}

/** One account from one /48 of IPv6, which a provider may give to one customer: 65,536 networks to guess from. */
export const SITE_ACCOUNT_LIMIT: LoginLimit = { ...ACCOUNT_LIMIT, forgiven: 20, forgottenPerHour: 8 }
/** All accounts from one /48 of IPv6. */
export const SITE_LIMIT: LoginLimit = { ...ADDRESS_LIMIT, forgiven: 300, forgottenPerHour: 300 }

const MAX_NETWORK_LENGTH = 64

/** The counters of a login attempt. */
export interface LoginAttempt {
  network: string
  /** The /48 of the network; undefined for IPv4 */
  site: string | undefined
  accountHash: Buffer
}

/**
 * Returns the counters of a login attempt. The name is hashed, because it may be long or a password typed into the
 * wrong field, and normalised as at login, so that its spellings share one counter.
 */
export function loginAttempt(address: string | undefined, username: string): LoginAttempt {
  const accountHash = createHash('sha256').update(username.normalize('NFC')).digest()
  return { network: networkOf(address), site: siteOf(address), accountHash }
}

/**
 * Returns the network that counts as one address: an IPv4 address, also if written as IPv6, or the /64 of an IPv6
 * address, which one customer owns. Returns other text, which a proxy may forward, unchanged.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return ''
  if (!isIPv6(address)) return address.toLowerCase().slice(0, MAX_NETWORK_LENGTH)
  const whole = new Address6(address)
  return whole.isMapped4() ? whole.to4().correctForm() : new Address6(`${address}/64`).startAddress().correctForm()
}

/** Returns the /48 of an IPv6 address, such as `2001:db8:1::/48`; undefined for IPv4 and other text. */
export function siteOf(address: string | undefined): string | undefined {
  if (address === undefined || !isIPv6(address) || new Address6(address).isMapped4()) return undefined
  return `${new Address6(`${address}/48`).startAddress().correctForm()}/48`
}
