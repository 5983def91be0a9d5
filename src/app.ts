import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import { fileURLToPath } from 'node:url'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
  type RouteOptions,
} from 'fastify'
import type { OpenDatabase } from '../db/client.js'
import bodies from '../plugins/bodies.js'
import { allowOrigin } from '../plugins/cors.js'
import database from '../plugins/database.js'
import errors, { sendError } from '../plugins/errors.js'
import forwarded from '../plugins/forwarded.js'
import housekeeping from '../plugins/housekeeping.js'
import metricsHooks from '../plugins/metrics.js'
import openapi from '../plugins/openapi.js'
import requestLog, { logWhenOver } from '../plugins/request-log.js'
import requestTimeout from '../plugins/request-timeout.js'
import searchIndex from '../plugins/search-index.js'
import { sessionCookieName } from '../plugins/session-cookie.js'
import validation from '../plugins/validation.js'
import web from '../plugins/web.js'
import healthRoutes from '../routes/health/index.js'
import api from '../routes/index.js'
import type { Config } from './config.js'
import { MALFORMED_REQUEST, NOT_FOUND } from './domain/refusals.js'
import { calendarIn } from './domain/time/calendar.js'
import { lazyCompilers } from './http/lazy-compilers.js'
import { isMalformed } from './http/malformed-request.js'
import type { Metrics } from './http/metrics.js'
import { refuseMalformedRequest, watchConnections } from './http/refused-connections.js'
import { SECURITY_HEADERS } from './http/security-headers.js'
import { VERSION } from './version.js'

const BODY_LIMIT = 64 * 1024
/** Longer than the idle time of usual proxies, so that they and not we close a kept-alive connection. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000
/** Within these a request must have arrived: its headers, and all of it. Who is slower keeps a connection from others. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** Node's own limit is for the whole server, so it is that of the slowest route: an upload of 64 MB by a thin line. */
const UPLOAD_TIMEOUT_MS = 900_000
/** How often Node looks for requests that take too long to arrive. */
const CHECKING_INTERVAL_MS = 2_000
/** A connection on which nothing moves, such as that of a reader who has stalled; longer than the longest import. */
const CONNECTION_TIMEOUT_MS = 600_000
/** Longer than any path that fits into Node's 16 KiB of headers: the endpoint itself answers for long slugs. */
const MAX_PARAM_LENGTH = 16_384
/** A request may name the whole URL, as if we were a proxy; plugins look at the path (RFC 9112, 3.2.2). */
const ORIGIN_OF_URL = /^https?:\/\/[^/?#]*/i

/** Where the build puts the web app: beside this program. */
const WEB_DIR = fileURLToPath(new URL('../app/', import.meta.url))

/** From then on more work would only make everybody wait longer. */
const MAX_DELAY_MS = 500

export interface AppOptions {
  config: Pick<
    Config,
    | 'basePath'
    | 'contentDir'
    | 'corsOrigins'
    | 'importMaxBytes'
    | 'mediaMaxBytes'
    | 'oidc'
    | 'passwordLogin'
    | 'publicUrl'
    | 'rateLimit'
    | 'sessionMaxDays'
    | 'timeZone'
    | 'tmpDir'
    | 'trustProxy'
    | 'web'
  >
  /** At least one; the first one signs cookies. */
  sessionSecrets: string[]
  /** Closed together with the app. */
  database: OpenDatabase
  logger: FastifyBaseLogger | false
  /** Counts what happens, when somebody reads it. */
  metrics?: Metrics | undefined
  /** Whether the service has been told to stop and only answers what still comes. */
  isClosing?: () => boolean
  now?: () => Date
  /** The built web app; by default the one beside this program. */
  webDir?: string
  /** How late the event loop may be before requests are refused; tests share theirs with much else. */
  maxDelayMs?: number
  /** Within which time a request must have arrived, but for uploads. */
  requestTimeoutMs?: number
  /** How schemas are compiled: on first use; tests, which build many apps, compile each schema once. */
  schemaController?: FastifyServerOptions['schemaController']
  /** Sees every route before it is added; for tests of the house rules. */
  onRoute?: (route: RouteOptions) => void
}

/** The whole service, ready for `listen` or `inject`. Everything is registered here or in `routes/index.ts`. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, isClosing = () => false, now = () => new Date() } = options
  const app = fastify({
    ...(options.logger === false ? { logger: false } : { loggerInstance: options.logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    bodyLimit: BODY_LIMIT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: UPLOAD_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      // Where HTTP demands a Host header a missing one is refused below, in our shape.
      requireHostHeader: false,
    },
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(ORIGIN_OF_URL, '') || '/'),
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAM_LENGTH,
      // The last one of a repeated parameter counts.
      querystringParser: (query) => Object.fromEntries(new URLSearchParams(query)),
    },
    schemaController: options.schemaController ?? lazyCompilers(),
    ajv: { customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false } },
    frameworkErrors: (error, request, reply) => {
      logWhenOver(request, reply)
      reply.headers(SECURITY_HEADERS)
      // No hook sees this request, so none would end a body that takes long to arrive.
      reply.header('connection', 'close')
      if (allowOrigin(config.corsOrigins, request, reply)) return
      if (error.code === 'FST_ERR_BAD_URL' && app.showPage?.(request, reply)) return
      sendError(error, request, reply)
    },
    clientErrorHandler: refuseMalformedRequest,
  })
  watchConnections(app)
  // Fastify would ask for a content type first; to us it is one of the methods that no endpoint knows.
  if (METHODS.includes('QUERY')) app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })

  if (options.onRoute !== undefined) app.addHook('onRoute', options.onRoute)
  await app.register(forwarded)
  await app.register(requestLog)
  if (options.metrics !== undefined) await app.register(metricsHooks, { metrics: options.metrics })
  await app.register(errors)
  await app.register(bodies)
  await app.register(requestTimeout, { milliseconds: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS })
  await app.register(validation)
  await app.register(database, { database: options.database })
  await app.register(housekeeping)
  await app.register(searchIndex)

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS)
    if (isClosing()) reply.header('connection', 'close')
    if (isMalformed(request.raw)) {
      // What follows on the connection may be anything.
      reply.header('connection', 'close')
      throw MALFORMED_REQUEST
    }
  })

  const { basePath } = config
  const isSecure = config.publicUrl?.startsWith('https:') === true
  const sessionCookie = sessionCookieName({ isSecure, basePath })
  await app.register(openapi, { version: VERSION, basePath, sessionCookie })
  await app.register(healthRoutes, { isClosing })
  if (config.web) {
    await app.register(web, { folder: options.webDir ?? WEB_DIR, basePath, rateLimit: config.rateLimit })
  } else {
    app.setNotFoundHandler(() => {
      throw NOT_FOUND
    })
  }
  const dayOf = calendarIn(config.timeZone)
  await app.register(api, {
    prefix: '/api',
    sessions: { secrets: options.sessionSecrets, maxDays: config.sessionMaxDays, isSecure, basePath },
    corsOrigins: config.corsOrigins,
    publicUrl: config.publicUrl,
    basePath,
    oidc: config.oidc,
    passwordLogin: config.passwordLogin,
    contentDir: config.contentDir,
    tmpDir: config.tmpDir,
    importMaxBytes: config.importMaxBytes,
    mediaMaxBytes: config.mediaMaxBytes,
    about: { version: VERSION, startedAt: now(), timeZone: config.timeZone, embedded: options.database.embedded },
    rateLimit: config.rateLimit,
    poolState: options.database.poolState,
    maxDelayMs: options.maxDelayMs ?? MAX_DELAY_MS,
    today: () => dayOf(now()),
    moment: (at = now()) => ({ at, today: dayOf(at) }),
  })
  return app
}
