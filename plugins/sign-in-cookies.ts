import { hash, hkdfSync } from 'node:crypto'
import { Signer } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SKEW_SECONDS } from '../src/domain/sign-in/settings.js'
import type { Challenge } from '../src/services/sign-in/provider.js'
import type { CookieOptions } from './session-cookie.js'

/** A sign-in that has begun: what the way back from the provider needs. */
export interface PendingSignIn {
  /** What it is for: to log in, to link the provider's person, or to prove again who is logged in. */
  mode: 'login' | 'link' | 'confirm'
  challenge: Challenge
  /** Where to go afterwards. */
  target: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** Who is logged in, if it is not for that. */
  userId: number | null
}

const NAME = 'svc_training_oidc_'
const LIFETIME_MS = 10 * 60 * 1000
/** Of begun sign-ins so many are kept, of which people have one in a tab: cookies fill the head of a request. */
const MAX_PENDING = 4
/** All of them together, with their names. */
const MAX_BYTES = 4_000

/**
 * One signed cookie for each sign-in that has begun, so that two tabs do not get in each other's way. It says
 * nothing that its owner may not know. With https and the whole host its name has the prefix `__Host-`, so that no
 * neighbour below the same domain can set it and have somebody finish the neighbour's sign-in; elsewhere it goes to the
 * addresses of the sign-in only.
 */
export class SignInCookies {
  readonly #signer: Signer
  readonly #prefix: string
  readonly #path: string

  constructor(secrets: string[], { isSecure, basePath }: CookieOptions) {
    // A key of its own: what is signed for one purpose must not pass for another.
    const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'svc-training sign-in', 32)))
    this.#signer = new Signer(keys.map((key) => key.toString('base64url')))
    const ownsHost = isSecure && basePath === '/'
    this.#prefix = ownsHost ? `__Host-${NAME}` : NAME
    // Browsers take the prefix with this path only.
    this.#path = ownsHost ? '/' : `${basePath}api/auth/oidc`
  }

  remember(request: FastifyRequest, reply: FastifyReply, pending: PendingSignIn): void {
    const text = Buffer.from(JSON.stringify(pending)).toString('base64url')
    const name = this.#nameOf(pending.challenge.state)
    const value = this.#signer.sign(text)
    const begun = Object.entries(request.cookies)
      .filter(([name]) => name.startsWith(this.#prefix))
      .map(([name, value = '']) => ({ name, size: sizeOf(name, value), startedAt: this.#read(value)?.startedAt ?? 0 }))
      .sort((a, b) => b.startedAt - a.startedAt)
    let total = sizeOf(name, value)
    for (const [index, old] of begun.entries()) {
      total += old.size
      if (index >= MAX_PENDING - 1 || total > MAX_BYTES) this.#clear(reply, old.name)
    }
    reply.setCookie(name, value, {
      path: this.#path,
      httpOnly: true,
      sameSite: 'lax',
      maxAge: LIFETIME_MS / 1000,
    })
  }

  /** What was remembered of this state, once; undefined when it was not here, or too long ago. */
  take(request: FastifyRequest, reply: FastifyReply, state: string): PendingSignIn | undefined {
    const name = this.#nameOf(state)
    const value = request.cookies[name]
    if (value === undefined) return undefined
    this.#clear(reply, name)
    const pending = this.#read(value)
    return pending?.challenge.state === state ? pending : undefined
  }

  #read(value: string | undefined): PendingSignIn | undefined {
    const { valid, value: text } = this.#signer.unsign(value ?? '')
    if (!valid || text === null) return undefined
    const pending: PendingSignIn = JSON.parse(Buffer.from(text, 'base64url').toString())
    const age = Date.now() - pending.startedAt
    // Another instance may have begun it, whose clock is ahead.
    return age >= -SKEW_SECONDS * 1000 && age <= LIFETIME_MS ? pending : undefined
  }

  #clear(reply: FastifyReply, name: string): void {
    reply.clearCookie(name, { path: this.#path, httpOnly: true, sameSite: 'lax' })
  }

  /** Any text can be a state; what is a name of a cookie is another matter. */
  #nameOf(state: string): string {
    return this.#prefix + hash('sha256', state, 'base64url').slice(0, 22)
  }
}

/** In the head of a request: `name=value; `. */
function sizeOf(name: string, value: string): number {
  return name.length + encodeURIComponent(value).length + 3
}
