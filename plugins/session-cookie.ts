import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceConfig } from './service.js'

export const SESSION_COOKIE = 'svc_training_session'
/**
 * Name of the session cookie with the prefix `__Host-`. Browsers accept a cookie with this prefix only from the host
 * itself, with path `/` and over https, so a sibling subdomain cannot set it.
 */
export const HOST_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`

export interface CookieOptions {
  /** Whether the public URL of the service uses https. The protocol of the request is ignored. */
  isSecure: boolean
  basePath: string
}

export function cookieOptionsOf({ publicUrl, basePath }: Pick<ServiceConfig, 'publicUrl' | 'basePath'>): CookieOptions {
  return { isSecure: publicUrl?.startsWith('https:') === true, basePath }
}

export function sessionCookieName({ isSecure, basePath }: CookieOptions): string {
  return isSecure && basePath === '/' ? HOST_SESSION_COOKIE : SESSION_COOKIE
}

/**
 * Clears the session cookie under the configured name and under the name without prefix. Also clears the cookie with
 * the prefix `__Host-` if the request contains it, because the configuration may have changed since the login.
 */
export function clearSessionCookies({ cookies }: FastifyRequest, reply: FastifyReply, cookieName: string): void {
  const names = new Set([
    cookieName,
    SESSION_COOKIE,
    ...(cookies[HOST_SESSION_COOKIE] === undefined ? [] : [HOST_SESSION_COOKIE]),
  ])
  for (const name of names) reply.clearCookie(name, { path: '/' })
}

/**
 * Keeps only the last of several `Set-Cookie` headers with the same name, because a response should not set a cookie
 * twice (RFC 6265, 4.1.1). The session package clears the cookie of an ended session even if the response sets a new
 * one.
 */
export function keepLastOfEachCookie(reply: FastifyReply): void {
  const cookies = reply.getHeader('set-cookie')
  if (!Array.isArray(cookies)) return
  const last = new Map(cookies.map((cookie) => [cookie.slice(0, cookie.indexOf('=')), cookie]))
  if (last.size < cookies.length) reply.removeHeader('set-cookie').header('set-cookie', [...last.values()])
}

/**
 * Adds the `Secure` attribute to all cookies of the response. The session package omits the attribute if the request
 * reaches the service without https.
 */
export function secureCookies(reply: FastifyReply): void {
  const cookies = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  if (cookies.length === 0) return
  const secured = cookies.map((cookie) => (/; *secure(;|$)/i.test(cookie) ? cookie : `${cookie}; Secure`))
  reply.removeHeader('set-cookie').header('set-cookie', secured)
}
