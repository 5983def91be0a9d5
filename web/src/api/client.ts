import type { paths } from '../../../dist/client/api.js'
import { LOCALE } from '../words/locale.js'
import { exchange, type Request } from './exchange.js'
import { ForeignResponse, isRefused, Refused } from './faults.js'
import type { Reason } from './refusal-sentences.js'
import type { BadRequest, Body, MediaType, Method, Operation, PathOf, Query, ResponseBody } from './types.js'

export interface Options<P extends keyof paths, M extends Method> {
  path?: Operation<P, M> extends { parameters: { path: infer Params } }
    ? { [Name in keyof Params]: string | number }
    : never
  query?: Query<P, M>
  body?: Body<P, M>
  /** Sent unchanged instead of `body`, such as a picture */
  upload?: { type: MediaType<P, M> & string; content: string | Blob | Uint8Array<ArrayBuffer> }
  signal?: AbortSignal
  timeoutMs?: number
  /** False for a request that holds the lock that a login waits for; its 401 is thrown. Default: true */
  asksLogin?: boolean
  onHeaders?: (headers: Headers) => void
}

/** Locale of the messages of the service */
const SERVICE_LOCALE: string = 'de-DE'
const BODY_FREE = new Set(['GET', 'DELETE'])

const PASSWORD_FIRST = 'password_change_first'
const LOGIN_TOO_OLD = 'proof_too_old'

export interface RefusalHandlers {
  /**
   * Called with `login` if the service requires a login, with `recent login` if it requires a recent login.
   * Resolves to true if the request can be repeated.
   */
  logIn(why: 'login' | 'recent login'): Promise<boolean>
  newPassword(): void
}
let refusalHandlers: RefusalHandlers = { logIn: async () => false, newPassword: () => {} }

export function connectClient(app: RefusalHandlers): void {
  refusalHandlers = app
}

export function urlOf(
  path: string,
  params: Record<string, string | number> = {},
  query: Record<string, string | number | boolean | undefined> = {},
): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const url = new URL(filled.slice(1), document.baseURI)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  return url
}

/**
 * Sends a request and returns the JSON of the response. If the service requires a login or a recent login,
 * opens the login dialog and, if the user completes the dialog, repeats the request once.
 * @throws Unreachable if no complete response arrives within `timeoutMs` milliseconds
 * @throws ForeignResponse if the response is not JSON or not from the service, such as the page of a proxy
 * @throws Refused with a German message if the service refuses the request, unless the request is repeated successfully
 * @throws AbortError if the caller's signal aborts
 */
async function send(method: string, url: URL, init: Request = {}, asksLogin = true): Promise<unknown> {
  const { status, isOwn, code, field, details, content, retryAfter } = await exchange(method, url, init)
  if (!isOwn) throw new ForeignResponse(status)
  if (code === undefined) return content
  const why = status === 401 ? 'login' : code === LOGIN_TOO_OLD ? 'recent login' : undefined
  if (why && asksLogin && (await refusalHandlers.logIn(why))) return send(method, url, init, false)
  if (code === PASSWORD_FIRST) refusalHandlers.newPassword()
  const sentence = await findSentence({ code, field, details })
  throw new Refused(status, code, content, { field, details, sentence, retryAfter: Number(retryAfter) || undefined })
}

/**
 * Returns the sentence of the app for a refusal; undefined in the language of the service, if there is none, or if its
 * chunk cannot be loaded.
 */
export async function findSentence(reason: Reason): Promise<string | undefined> {
  if (LOCALE === SERVICE_LOCALE) return undefined
  return import('./refusal-sentences.js').then(
    (module) => module.refusalSentence(reason),
    () => undefined,
  )
}

function call<M extends Method>(method: M) {
  return <P extends PathOf<M>>(path: P, options: Options<P, M> = {}): Promise<ResponseBody<P, M>> => {
    const verb = method.toUpperCase()
    const url = urlOf(path, options.path as Record<string, string | number> | undefined, options.query)
    const init: Request = { headers: { accept: 'application/json' } }
    if (options.signal !== undefined) init.signal = options.signal
    if (options.timeoutMs !== undefined) init.timeoutMs = options.timeoutMs
    if (options.onHeaders !== undefined) init.onHeaders = options.onHeaders
    if (!BODY_FREE.has(verb)) {
      const { type, content } = options.upload ?? {
        type: 'application/json',
        content: JSON.stringify(options.body ?? {}),
      }
      init.headers = { ...init.headers, 'content-type': type }
      init.body = content
    }
    return send(verb, url, init, options.asksLogin) as Promise<ResponseBody<P, M>>
  }
}

/** The typed API client, for calls such as `api.get('/api/decks/{slug}', { path: { slug } })` */
export const api = {
  get: call('get'),
  post: call('post'),
  put: call('put'),
  patch: call('patch'),
  delete: call('delete'),
}

/**
 * Returns the body with which an operation refused a request with status 400; undefined for other errors.
 * @example badRequestOf<'/api/accounts/bulk', 'post'>(error)?.errors
 */
export function badRequestOf<P extends PathOf<M>, M extends Method>(error: unknown): BadRequest<P, M> | undefined {
  return isRefused(error, 400) ? (error.content as BadRequest<P, M>) : undefined
}
