import type { paths } from '../../../dist/client/api.js'
import { ForeignAnswer, Refused, Unreachable } from './faults.js'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
/** The addresses that know the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never
}[keyof paths]
type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>
type Json<T> = T extends { content: { 'application/json': infer Value } } ? Value : never
/** What the operation answers when all is well. */
export type Answer<P extends keyof paths, M extends Method = 'get'> =
  Operation<P, M> extends { responses: { 200: infer Success } } ? Json<Success> : never
export type Body<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: infer Content } ? Json<NonNullable<Content>> : never

export interface Options<P extends keyof paths, M extends Method> {
  path?: Operation<P, M> extends { parameters: { path: infer Params } } ? Params : never
  query?: Record<string, string | number | boolean | undefined>
  body?: Body<P, M>
  /** Calls it off, as for an answer that nobody waits for any more. */
  signal?: AbortSignal
  /** How long the answer may take, in milliseconds. */
  patience?: number
}

/** How long an answer may take unless its caller says otherwise. */
const PATIENCE_MS = 30_000
const BODY_FREE = new Set(['GET', 'DELETE'])

/** The service's sentence for it; no other refusal needs to be told apart by its words. */
const PASSWORD_FIRST = 'Passwort muss zuerst geändert werden'

/** What the service says with 403 when the login is too old for what is asked (RFC 9470). */
const PROOF_TOO_OLD = 'insufficient_user_authentication'
/** A refused login is no question for another one. */
const LOGINS = new Set<string>(['/api/auth/login', '/api/auth/passkeys/login'])

type Request = RequestInit & { patience?: number }

/**
 * What to do when nobody is logged in any more, or somebody must prove who it is: resolves to true once that is done.
 */
type LogInAgain = (why: 'login' | 'proof') => Promise<boolean>
let logInAgain: LogInAgain = async () => false

export function onLoggedOut(handler: LogInAgain): void {
  logInAgain = handler
}

/** What the service's clock said, between two moments of this device. */
type OnDate = (date: string | null, askedAt: number, answeredAt: number) => void
let lastDate: Parameters<OnDate> | undefined
let hearDate: OnDate = (...heard) => {
  lastDate = heard
}

/** The handler may come later than the first answers: it is told at once what the last of them said. */
export function onDate(handler: OnDate): void {
  hearDate = handler
  if (lastDate !== undefined) handler(...lastDate)
}

/** What to do when the password must be changed before anything else. */
let demandPassword: () => void = () => {}

export function onPasswordDemanded(handler: () => void): void {
  demandPassword = handler
}

/** The address of an API path, below whatever path the page is served at. */
export function urlOf(
  path: string,
  params: Record<string, string | number> = {},
  query: Options<keyof paths, 'get'>['query'] = {},
): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const url = new URL(filled.slice(1), document.baseURI)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  return url
}

/**
 * Sends a request and reads its JSON. Whoever is not logged in, or was long ago and asks for access that stays, is asked
 * to log in, and the request is sent again.
 * @throws Unreachable when there is no answer
 * @throws ForeignAnswer when the answer is not the service's, such as a proxy's page
 * @throws Refused with the service's German sentence
 */
export async function send(method: string, url: URL, init: Request = {}, mayAskLogin = true): Promise<unknown> {
  const { patience = PATIENCE_MS, ...rest } = init
  const askedAt = Date.now()
  const answer = await fetch(url, { ...rest, method, signal: endOf(init.signal, patience) }).catch((error: Error) => {
    throw error.name === 'AbortError' ? error : new Unreachable()
  })
  hearDate(answer.headers.get('date'), askedAt, Date.now())
  if (!answer.headers.get('content-type')?.startsWith('application/json')) throw new ForeignAnswer(answer.status)
  const content = await answer.json().catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    throw error instanceof SyntaxError ? new ForeignAnswer(answer.status) : new Unreachable()
  })
  if (answer.ok) return content
  const isTooOld = answer.headers.get('www-authenticate')?.includes(PROOF_TOO_OLD)
  const why = answer.status === 401 ? 'login' : isTooOld ? 'proof' : undefined
  if (why && mayAskLogin && (await logInAgain(why))) return send(method, url, init, false)
  const refused = new Refused(answer.status, content, Number(answer.headers.get('retry-after')) || undefined)
  if (answer.status === 403 && refused.message === PASSWORD_FIRST) demandPassword()
  throw refused
}

/** Whichever comes first: the caller calls it off, or patience is at its end. */
function endOf(signal: AbortSignal | null | undefined, patience: number): AbortSignal {
  const limit = AbortSignal.timeout(patience)
  return signal ? AbortSignal.any([signal, limit]) : limit
}

function call<M extends Method>(method: M) {
  return <P extends PathOf<M>>(path: P, options: Options<P, M> = {}): Promise<Answer<P, M>> => {
    const verb = method.toUpperCase()
    const url = urlOf(path, options.path as Record<string, string> | undefined, options.query)
    const init: Request = { headers: { accept: 'application/json' } }
    if (options.signal !== undefined) init.signal = options.signal
    if (options.patience !== undefined) init.patience = options.patience
    if (!BODY_FREE.has(verb)) {
      init.headers = { ...init.headers, 'content-type': 'application/json' }
      init.body = JSON.stringify(options.body ?? {})
    }
    return send(verb, url, init, !LOGINS.has(path)) as Promise<Answer<P, M>>
  }
}

/** The service's API, typed by its OpenAPI document: `api.get('/api/decks/{slug}', { path: { slug } })`. */
export const api = {
  get: call('get'),
  post: call('post'),
  put: call('put'),
  patch: call('patch'),
  delete: call('delete'),
}
