import { hash, hkdfSync } from 'node:crypto'
import { Signer } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SKEW_SECONDS } from '../src/domain/sign-in/skew.js'
import type { Challenge } from '../src/services/sign-in/provider.js'
import type { CookieOptions } from './session-cookie.js'

export interface PendingSignIn {
  /** Purpose: log in, link an identity, or confirm the login */
  mode: 'login' | 'link' | 'confirm'
  challenge: Challenge
  target: string
  /** Milliseconds since 1970 */
  startedAt: number
  /** Id of the logged-in user for `link` and `confirm`, and of the expected one for a silent `login`; otherwise null */
  userId: number | null
  /** Whether the provider was asked to show no page */
  isSilent?: boolean
}

/** An identity at the provider, stored until the user confirms the link to the account */
export interface PendingLink {
  issuer: string
  subject: string
  name: string
  userId: number
  /** Milliseconds since 1970 */
  startedAt: number
}

const NAME = 'svc_training_oidc_'
/** Suffix of a cookie name: the hash of the OAuth `state`, cut to 22 characters */
const STATE_HASH = /^[\w-]{22}$/
const LIFETIME_MS = 10 * 60 * 1000
/** Maximum number of concurrent sign-in attempts per browser. Each attempt adds a cookie to the request headers. */
const MAX_PENDING = 4
/** Maximum total size of the cookies of all started sign-ins in bytes, names included */
const MAX_BYTES = 4_000

/**
 * Manages the cookies of sign-ins through the provider: one for each started sign-in, so that two tabs do not
 * interfere, and one for an unconfirmed link. The cookies are signed but not encrypted. The prefix `__Host-` prevents a
 * sibling subdomain from setting them; without the prefix, their path is limited to the sign-in routes.
 */
export class SignInCookies {
  readonly #signer: Signer
  readonly #linkSigner: Signer
  readonly #prefix: string
  readonly #path: string

  constructor(secrets: string[], { isSecure, basePath }: CookieOptions) {
    // One key per purpose: a value signed for one purpose must not be valid for another.
    this.#signer = createSigner(secrets, 'svc-training sign-in')
    this.#linkSigner = createSigner(secrets, 'svc-training link')
    const ownsHost = isSecure && basePath === '/'
    this.#prefix = ownsHost ? `__Host-${NAME}` : NAME
    // Browsers accept the prefix `__Host-` only with the path `/`.
    this.#path = ownsHost ? '/' : `${basePath}api/auth/oidc`
  }

  /** Stores a started sign-in. Removes the oldest started sign-ins if they exceed the limits on number or size. */
  remember(request: FastifyRequest, reply: FastifyReply, pending: PendingSignIn): void {
    const name = this.#nameOf(pending.challenge.state)
    const value = sign(this.#signer, pending)
    const begun = Object.entries(request.cookies)
      .filter(([name]) => this.#isOwnName(name))
      .map(([name, value = '']) => ({ name, size: sizeOf(name, value), startedAt: this.#read(value)?.startedAt ?? 0 }))
      .sort((a, b) => b.startedAt - a.startedAt)
    let total = sizeOf(name, value)
    for (const [index, old] of begun.entries()) {
      total += old.size
      if (index >= MAX_PENDING - 1 || total > MAX_BYTES) this.#clear(reply, old.name)
    }
    this.#set(reply, name, value)
  }

  /** Returns the sign-in with this `state` and removes its cookie; undefined if the `state` is unknown or expired. */
  take(request: FastifyRequest, reply: FastifyReply, state: string): PendingSignIn | undefined {
    const name = this.#nameOf(state)
    const value = request.cookies[name]
    if (value === undefined) return undefined
    this.#clear(reply, name)
    const pending = this.#read(value)
    return pending?.challenge.state === state ? pending : undefined
  }

  /** Stores the identity for ten minutes, until the user confirms the link. Replaces an earlier identity. */
  rememberLink(reply: FastifyReply, pending: PendingLink): void {
    this.#set(reply, this.#linkName, sign(this.#linkSigner, pending))
  }

  /**
   * Returns the identity that this user may confirm; undefined if it is absent, has expired or belongs to another user.
   */
  findLink(request: FastifyRequest, userId: number): PendingLink | undefined {
    const pending = unsign<PendingLink>(this.#linkSigner, request.cookies[this.#linkName])
    return pending?.userId === userId ? pending : undefined
  }

  clearLink(reply: FastifyReply): void {
    this.#clear(reply, this.#linkName)
  }

  #read(value: string | undefined): PendingSignIn | undefined {
    return unsign<PendingSignIn>(this.#signer, value)
  }

  #set(reply: FastifyReply, name: string, value: string): void {
    const maxAge = LIFETIME_MS / 1000
    reply.setCookie(name, value, { path: this.#path, httpOnly: true, sameSite: 'lax', maxAge })
  }

  #clear(reply: FastifyReply, name: string): void {
    reply.clearCookie(name, { path: this.#path, httpOnly: true, sameSite: 'lax' })
  }

  /**
   * Returns the cookie name for a `state`: a hash, because a `state` may contain characters that are invalid in cookie
   * names.
   */
  #nameOf(state: string): string {
    return this.#prefix + hash('sha256', state, 'base64url').slice(0, 22)
  }

  /** Whether the name has the form of `#nameOf`. A client may send any name, even one that is invalid in a response. */
  #isOwnName(name: string): boolean {
    return name.startsWith(this.#prefix) && STATE_HASH.test(name.slice(this.#prefix.length))
  }

  get #linkName(): string {
    return `${this.#prefix}link`
  }
}

function createSigner(secrets: string[], purpose: string): Signer {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
  return new Signer(keys.map((key) => key.toString('base64url')))
}

function sign(signer: Signer, value: object): string {
  return signer.sign(Buffer.from(JSON.stringify(value)).toString('base64url'))
}

/** Returns the content of a validly signed cookie whose `startedAt` is at most ten minutes ago; otherwise undefined. */
function unsign<T extends { startedAt: number }>(signer: Signer, signed = ''): T | undefined {
  const { valid, value } = signer.unsign(signed)
  if (!valid || value === null) return undefined
  const found: T = JSON.parse(Buffer.from(value, 'base64url').toString())
  const age = Date.now() - found.startedAt
  // The clock of the instance that started the sign-in may be ahead, so a small negative age is accepted.
  return age >= -SKEW_SECONDS * 1000 && age <= LIFETIME_MS ? found : undefined
}

/** Returns the number of bytes of a cookie in a request header, `name=value; ` */
function sizeOf(name: string, value: string): number {
  return name.length + encodeURIComponent(value).length + 3
}
