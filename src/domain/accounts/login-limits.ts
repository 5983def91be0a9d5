import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { Address6 } from 'ip-address'

/** How failures are counted: a bucket that leaks, and delays that double with each failure above what it holds. */
export interface LoginLimit {
  /** Failures that cost nothing but the attempt. */
  forgiven: number
  /** Failures that are forgotten in an hour. */
  forgottenPerHour: number
  firstDelaySeconds: number
  maxDelaySeconds: number
}

/** One account from one address: a person who has forgotten the password, or somebody who guesses it. */
export const ACCOUNT_LIMIT: LoginLimit = {
  forgiven: 5,
  forgottenPerHour: 2,
  firstDelaySeconds: 10,
  maxDelaySeconds: 900,
}

/** All accounts from one address: a company on a Monday morning, or somebody who tries one password on all names. */
export const ADDRESS_LIMIT: LoginLimit = {
  forgiven: 100,
  forgottenPerHour: 100,
  firstDelaySeconds: 1,
  maxDelaySeconds: 300,
}

const MAX_NETWORK_LENGTH = 64

/** Where an attempt is counted. */
export interface LoginAttempt {
  network: string
  accountHash: Buffer
}

/**
 * The keys of a login attempt. The name is hashed: it may be long, and people type their password into its field; and in
 * one form, as logins find it, so that each way to write it is no budget of its own.
 */
export function loginAttempt(address: string | undefined, username: string): LoginAttempt {
  return { network: networkOf(address), accountHash: createHash('sha256').update(username.normalize('NFC')).digest() }
}

/**
 * Who shares the address: an IPv4 address, also when it is written as IPv6, or the /64 of an IPv6 address, all of which
 * one customer has. A text that is no address (a proxy may forward anything) stands for itself; there is none when the
 * connection is gone already.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return ''
  if (!isIPv6(address)) return address.toLowerCase().slice(0, MAX_NETWORK_LENGTH)
  const whole = new Address6(address)
  return whole.isMapped4() ? whole.to4().correctForm() : new Address6(`${address}/64`).startAddress().correctForm()
}
