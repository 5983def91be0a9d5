import { hash, hkdfSync } from 'node:crypto'
import { Signer } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Challenge } from '../src/services/sign-in/provider.js'

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

/**
 * One signed cookie for each sign-in that has begun, so that two tabs do not get in each other's way. It goes to the
 * addresses of the sign-in only, and says nothing that its owner may not know.
 */
export class SignInCookies {
  readonly #signer: Signer
  readonly #path: string

  constructor(secrets: string[], basePath: string) {
    // A key of its own: what is signed for one purpose must not pass for another.
    const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'svc-training sign-in', 32)))
    this.#signer = new Signer(keys.map((key) => key.toString('base64url')))
    this.#path = `${basePath}api/auth/oidc`
  }

  remember(request: FastifyRequest, reply: FastifyReply, pending: PendingSignIn): void {
    const begun = Object.entries(request.cookies)
      .filter(([name]) => name.startsWith(NAME))
      .map(([name, value]) => ({ name, startedAt: this.#read(value)?.startedAt ?? 0 }))
      .sort((a, b) => b.startedAt - a.startedAt)
    for (const { name } of begun.slice(MAX_PENDING - 1)) this.#clear(reply, name)
    const text = Buffer.from(JSON.stringify(pending)).toString('base64url')
    reply.setCookie(nameOf(pending.challenge.state), this.#signer.sign(text), {
      path: this.#path,
      httpOnly: true,
      sameSite: 'lax',
      maxAge: LIFETIME_MS / 1000,
    })
  }

  /** What was remembered of this state, once; undefined when it was not here, or too long ago. */
  take(request: FastifyRequest, reply: FastifyReply, state: string): PendingSignIn | undefined {
    const name = nameOf(state)
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
    return age >= 0 && age <= LIFETIME_MS ? pending : undefined
  }

  #clear(reply: FastifyReply, name: string): void {
    reply.clearCookie(name, { path: this.#path, httpOnly: true, sameSite: 'lax' })
  }
}

/** Any text can be a state; what is a name of a cookie is another matter. */
function nameOf(state: string): string {
  return NAME + hash('sha256', state, 'base64url').slice(0, 22)
}
