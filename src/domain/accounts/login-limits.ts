import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { Address6 } from 'ip-address'
import { toNfc } from '../text/nfc.js'

/**
 * A leaky bucket of failed logins. The first failure above `forgiven` causes a delay. Each further failure doubles the
 * delay, up to the maximum.
 */
export interface LoginLimit {
  /** Number of failures without a delay */
  forgiven: number
  /** Number of failures that leak from the bucket per hour */
  forgottenPerHour: number
  firstDelaySeconds: number
  maxDelaySeconds: number
}

/** Limit per account and address: slows down guessing, but forgives a few attempts with a forgotten password */
export const ACCOUNT_LIMIT: LoginLimit = {
  forgiven: 5,
  forgottenPerHour: 2,
  firstDelaySeconds: 10,
  maxDelaySeconds: 900,
}

/**
 * Limit per address over all accounts: slows down attempts to try one password on many accounts. The limit is high,
 * because all employees of a company may share one address.
 */
export const ADDRESS_LIMIT: LoginLimit = {
  forgiven: 100,
  forgottenPerHour: 100,
  firstDelaySeconds: 1,
  maxDelaySeconds: 300,
}

/**
 * Limit per account and IPv6 /48. A provider may assign a /48 to one customer, who could otherwise guess from each of
 * its 65,536 /64 networks with a separate limit.
 */
export const SITE_ACCOUNT_LIMIT: LoginLimit = { ...ACCOUNT_LIMIT, forgiven: 20, forgottenPerHour: 8 }
/** Limit per IPv6 /48 over all accounts */
export const SITE_LIMIT: LoginLimit = { ...ADDRESS_LIMIT, forgiven: 300, forgottenPerHour: 300 }

const MAX_NETWORK_LENGTH = 64

/** Keys of the counters that a login attempt is checked against. */
export interface LoginAttempt {
  /** Result of `networkOf` */
  network: string
  /** Result of `siteOf` */
  site: string | undefined
  accountHash: Buffer
}

/**
 * Returns the keys of the counters of a login attempt. The user name is hashed, because it may be long or may be a
 * password that was typed into the wrong field. The name is normalised to NFC, as at login, so that all Unicode
 * encodings of a name share a counter.
 */
export function loginAttempt(address: string | undefined, username: string): LoginAttempt {
  const accountHash = createHash('sha256').update(toNfc(username)).digest()
  return { network: networkOf(address), site: siteOf(address), accountHash }
}

/**
 * Returns the network that the limits treat as one address: an IPv4 address, even if mapped to IPv6, or the /64 of an
 * IPv6 address. A provider usually assigns at least a /64 to a customer. Returns other text, which a proxy may forward,
 * in lower case and cut to 64 characters. Returns an empty string for undefined.
 * @example networkOf('2001:db8::1') // '2001:db8::'
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return ''
  if (!isIPv6(address)) return address.toLowerCase().slice(0, MAX_NETWORK_LENGTH)
  const whole = new Address6(address)
  return whole.isMapped4() ? whole.to4().correctForm() : new Address6(`${address}/64`).startAddress().correctForm()
}

/** Returns the /48 of an IPv6 address, such as `2001:db8:1::/48`; undefined for other text and IPv4, even mapped. */
export function siteOf(address: string | undefined): string | undefined {
  if (address === undefined || !isIPv6(address) || new Address6(address).isMapped4()) return undefined
  return `${new Address6(`${address}/48`).startAddress().correctForm()}/48`
}
