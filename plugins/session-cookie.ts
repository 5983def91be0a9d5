import { randomBytes } from 'node:crypto'
import { Signer } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export const SESSION_COOKIE = 'svc_training_session'
/** Browsers take it only from the host itself, for all of it, over https: no neighbour below the same domain can set it. */
export const HOST_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`
const ID_BYTES = 24

/** Ids that begin with it are of sessions that have always had the name with the prefix. */
const HOST_MARK = '~'

export interface CookieOptions {
  /** People come by https, whatever the request says that a proxy has passed on. */
  isSecure: boolean
  /** The path below which people reach the service. */
  basePath: string
}

/** What the session's cookie is called; with the prefix where browsers would take it and nobody else shares the host. */
export function sessionCookieName({ isSecure, basePath }: CookieOptions): string {
  return isSecure && basePath === '/' ? HOST_SESSION_COOKIE : SESSION_COOKIE
}

/** A new session id: 192 random bits. */
export function createSessionId(cookieName: string): string {
  const id = randomBytes(ID_BYTES).toString('base64url')
  return cookieName === HOST_SESSION_COOKIE ? `${HOST_MARK}${id}` : id
}

/** Lets the browser forget the cookie, under both names. */
export function clearSessionCookies({ cookies }: FastifyRequest, reply: FastifyReply, cookieName: string): void {
  const names = new Set([
    cookieName,
    SESSION_COOKIE,
    ...(cookies[HOST_SESSION_COOKIE] === undefined ? [] : [HOST_SESSION_COOKIE]),
  ])
  for (const name of names) reply.clearCookie(name, { path: '/' })
}

/**
 * Passes sessions on to the name with the prefix that began under the plain one, before the service was told of https.
 * A neighbour could set the plain one: so not those that have begun since, and this gap ends when the old ones have
 * ended. To be called before the session's package adds its hooks.
 */
export function adoptPlainCookie(app: FastifyInstance, signer: Pick<Signer, 'unsign'>, cookieName: string): void {
  if (cookieName !== HOST_SESSION_COOKIE) return
  app.addHook('onRequest', (request, _reply, done) => {
    const old = request.cookies[SESSION_COOKIE]
    if (old !== undefined && request.cookies[HOST_SESSION_COOKIE] === undefined) {
      const { valid, value } = signer.unsign(old)
      if (valid && value !== null && !value.startsWith(HOST_MARK)) request.cookies[HOST_SESSION_COOKIE] = old
    }
    done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const old = request.cookies[SESSION_COOKIE]
    if (old !== undefined) {
      reply.clearCookie(SESSION_COOKIE, { path: '/' })
      const { stored, encryptedSessionId } = request.session ?? {}
      if (stored !== undefined && encryptedSessionId === old) {
        const options = { path: '/', httpOnly: true, sameSite: 'lax', expires: stored.expiresAt } as const
        reply.setCookie(HOST_SESSION_COOKIE, old, options)
      }
    }
    done()
  })
}

/**
 * The session's package clears the cookie of a session that has ended even when it sets that of another, and beside a
 * `clearCookie` of ours. An answer sets no cookie twice (RFC 6265, 4.1.1).
 */
export function keepLastOfEachCookie(reply: FastifyReply): void {
  const cookies = reply.getHeader('set-cookie')
  if (!Array.isArray(cookies)) return
  const last = new Map(cookies.map((cookie) => [cookie.slice(0, cookie.indexOf('=')), cookie]))
  if (last.size < cookies.length) reply.removeHeader('set-cookie').header('set-cookie', [...last.values()])
}

/** The package itself would set no cookie at all on a request that does not look like https. */
export function secureCookies(reply: FastifyReply): void {
  const cookies = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  if (cookies.length === 0) return
  const secured = cookies.map((cookie) => (/; *secure(;|$)/i.test(cookie) ? cookie : `${cookie}; Secure`))
  reply.removeHeader('set-cookie').header('set-cookie', secured)
}

/** Signatures that wait to be asked for again; whoever never does leaves one. */
const MAX_KNOWN_SIGNATURES = 1_000

/**
 * The session's package verifies a cookie and then signs the same id anew: the signature that was just found right is
 * kept for that.
 */
export function createSigner(secrets: string[]): Pick<Signer, 'sign' | 'unsign'> {
  const signer = new Signer(secrets)
  const known = new Map<string, string>()
  return {
    unsign(signed) {
      const result = signer.unsign(signed)
      if (result.valid && !result.renew) {
        if (known.size >= MAX_KNOWN_SIGNATURES) known.clear()
        known.set(result.value, signed)
      }
      return result
    },
    sign(value) {
      const signed = known.get(value) ?? signer.sign(value)
      known.delete(value)
      return signed
    },
  }
}
