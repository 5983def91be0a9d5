import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Kysely } from 'kysely'
import type { Test } from 'tap'
import type { OpenDatabase } from '../../db/client.js'
import type { Database } from '../../db/types.js'
import { type AppOptions, buildApp } from '../../src/app.js'
import { cutConnections } from '../../src/http/on-response-end.js'
import { ROOT, SECRET } from './constants.js'
import { createMigratedDatabase } from './database.js'
import { createUser, PASSWORD } from './factories.js'
import { createResponseChecker, type ResponseChecker } from './openapi.js'
import { SCRATCH } from './scratch.js'
import { SHARED_COMPILERS } from './shared-compilers.js'

export const CONFIG: AppOptions['config'] = {
  basePath: '/',
  contentDir: `${ROOT}content`,
  companyName: undefined,
  companyLogo: undefined,
  corsOrigins: [],
  importMaxBytes: 4 * 2 ** 20,
  mail: undefined,
  mediaMaxBytes: 64 * 2 ** 20,
  oidc: undefined,
  passwordLogin: true,
  publicUrl: undefined,
  scimAdopt: false,
  rateLimit: 0,
  sessionMaxDays: 30,
  statisticsMinPersons: 5,
  answersKeepDays: 90,
  resultsKeep: 'all',
  defaultLanguage: 'de',
  isTimeZoneSet: true,
  timeZone: 'Europe/Berlin',
  simulatedDate: undefined,
  tmpDir: SCRATCH,
  trustProxy: [],
  web: false,
  webhookAllow: [],
}

/**
 * Values of PUBLIC_URL for tests of requests that are refused before the session is read. An https address changes the
 * names of the cookies.
 */
export const PUBLIC_URLS = [undefined, 'https://training.example.org/'] as const

export interface ServiceResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole bodies
  body: any
  headers: Record<string, string | string[] | number | undefined>
  text: string
}

export interface Caller {
  get(url: string, options?: InjectOptions): Promise<ServiceResponse>
  post(url: string, payload?: unknown, options?: InjectOptions): Promise<ServiceResponse>
  patch(url: string, payload?: unknown, options?: InjectOptions): Promise<ServiceResponse>
  put(url: string, payload?: unknown, options?: InjectOptions): Promise<ServiceResponse>
  delete(url: string, options?: InjectOptions): Promise<ServiceResponse>
  send(options: InjectOptions): Promise<ServiceResponse>
  cookie: string | undefined
}

export interface Service {
  app: FastifyInstance
  database: OpenDatabase
  db: Kysely<Database>
  anonymous: Caller
  /** Logs in a user with the password `PASSWORD`. */
  loginAs(username: string): Promise<Caller>
  member(): Promise<Caller & { id: number }>
  admin(): Promise<Caller & { id: number }>
}

/** Starts the service, by default on a separate database. Closes the service when the test ends. */
export async function startService(
  t: Test,
  options: { config?: Partial<AppOptions['config']> } & Partial<Omit<AppOptions, 'config'>> = {},
): Promise<Service> {
  const database = options.database ?? (await createMigratedDatabase())
  const { config, ...rest } = options
  const app = await buildApp({
    sessionSecrets: [SECRET],
    logger: false,
    maxDelayMs: 60_000,
    // Tests of webhooks send their events themselves.
    webhookIntervalMs: 3_600_000,
    schemaController: SHARED_COMPILERS,
    ...rest,
    database,
    config: { ...CONFIG, ...config },
  })
  t.teardown(async () => {
    const closed = app.close()
    // Ends open connections, because a connection whose last response was in flight would delay closing by more than a
    // minute.
    cutConnections(app.server)
    await closed
  })
  await app.ready()
  const { db } = database
  const loginAs = async (username: string) => callerOf(app, await login(app, username))
  const create = async (is_admin: boolean) => {
    const { id, username } = await createUser(db, { is_admin })
    return { ...(await loginAs(username)), id }
  }
  return {
    app,
    database,
    db,
    anonymous: callerOf(app),
    loginAs,
    member: () => create(false),
    admin: () => create(true),
  }
}

async function login(app: FastifyInstance, username: string): Promise<string> {
  const response = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { username, password: PASSWORD },
  })
  const cookie = cookieOf(response)
  if (cookie === undefined) throw new Error(`login failed: ${response.body}`)
  return cookie
}

/** Returns the session cookie that a response sets, in the form of the `Cookie` header; undefined if there is none. */
export function cookieOf({ headers }: { headers: Record<string, unknown> }): string | undefined {
  const cookies = [headers['set-cookie'] ?? []].flat().map((cookie) => String(cookie).split(';', 1)[0] as string)
  return cookies.find((cookie) => /^(__Host-)?svc_training_session=./.test(cookie))
}

const checkers = new WeakMap<FastifyInstance, ResponseChecker>()
/** Checkers by routes, because apps with the same routes describe the same responses, and compiling takes long */
const checkersByRoutes = new Map<string, ResponseChecker>()

/** Returns the checker of the responses of an app; compiles it for the first app with these routes. */
export function checkerOf(app: FastifyInstance): ResponseChecker {
  const known = checkers.get(app)
  if (known !== undefined) return known
  const routes = app.printRoutes({ commonPrefix: false })
  const check = checkersByRoutes.get(routes) ?? createResponseChecker(app.swagger())
  checkersByRoutes.set(routes, check)
  checkers.set(app, check)
  return check
}

/**
 * Checks a response against the OpenAPI document. Responses of paths that begin with `/docs` are not checked.
 * @throws Error if the response differs from the document
 */
function checkResponse(app: FastifyInstance, response: Parameters<ResponseChecker>[0]): void {
  const faults = response.url.startsWith('/docs') ? [] : checkerOf(app)(response)
  if (faults.length > 0) throw new Error(`${response.method} ${response.url} is not as described: ${faults.join(', ')}`)
}

/**
 * Checks that a refusal has an error code, and that any other response has none.
 * @throws Error if the check fails
 */
function checkErrorCode(
  { method = 'GET', url }: InjectOptions,
  { statusCode, headers }: { statusCode: number; headers: Record<string, unknown> },
): void {
  const code = headers['x-error-code']
  const isRight = statusCode < 400 ? code === undefined : /^[a-z]+(_[a-z]+)*$/.test(String(code))
  if (!isRight) throw new Error(`${method} ${url} answers ${statusCode} with the error code ${code}`)
}

const TURN_MS = 200
let lastTurn = performance.now()

/**
 * Runs an event loop iteration if the last one was at least `TURN_MS` ago. Some requests complete without an iteration,
 * and the service considers itself overloaded if its timers have not run for some time.
 */
async function runTimers(): Promise<void> {
  if (performance.now() - lastTurn < TURN_MS) return
  await nextTurn()
  lastTurn = performance.now()
}

export function callerOf(app: FastifyInstance, cookie?: string, token?: string): Caller {
  const send = async (options: InjectOptions): Promise<ServiceResponse> => {
    const headers = {
      ...(cookie !== undefined && { cookie }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...options.headers,
    }
    const response = await app.inject({ ...options, headers })
    await runTimers()
    checkResponse(app, {
      method: (options.method ?? 'GET').toUpperCase(),
      url: String(options.url),
      status: response.statusCode,
      contentType: String(response.headers['content-type']),
      text: response.body,
      headers: response.headers,
    })
    checkErrorCode(options, response)
    const isJson = /^application\/(scim\+)?json/.test(String(response.headers['content-type']))
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      body: isJson && response.body !== '' ? response.json() : undefined,
    }
  }
  const withBody = (method: 'POST' | 'PATCH' | 'PUT') => (url: string, payload?: unknown, options?: InjectOptions) =>
    send({ ...options, method, url, ...(payload !== undefined && { payload: payload as object }) })
  return {
    cookie,
    send,
    get: (url, options) => send({ ...options, method: 'GET', url }),
    post: withBody('POST'),
    patch: withBody('PATCH'),
    put: withBody('PUT'),
    delete: (url, options) => send({ ...options, method: 'DELETE', url }),
  }
}

export function errorBody(statusCode: number, message: string) {
  const names: Record<number, string> = {
    400: 'Bad Request',
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'Not Found',
    405: 'Method Not Allowed',
    408: 'Request Timeout',
    409: 'Conflict',
    413: 'Payload Too Large',
    415: 'Unsupported Media Type',
    429: 'Too Many Requests',
    500: 'Internal Server Error',
    503: 'Service Unavailable',
  }
  return { statusCode, error: names[statusCode], message }
}
