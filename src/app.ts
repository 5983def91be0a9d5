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
import jobs from '../plugins/jobs.js'
import languages from '../plugins/languages.js'
import metricsHooks from '../plugins/metrics.js'
import openapi from '../plugins/openapi.js'
import overdueAttempts from '../plugins/overdue-attempts.js'
import requestLog, { logAtResponseEnd } from '../plugins/request-log.js'
import requestTimeout from '../plugins/request-timeout.js'
import { sendScimError } from '../plugins/scim.js'
import searchIndex from '../plugins/search-index.js'
import service, { type ServiceConfig } from '../plugins/service.js'
import validation from '../plugins/validation.js'
import web from '../plugins/web.js'
import webhooks from '../plugins/webhooks.js'
import healthRoutes from '../routes/health/index.js'
import api from '../routes/index.js'
import scim from '../routes/scim/index.js'
import { clockFrom } from './domain/time/clock.js'
import { lazyCompilers } from './http/lazy-compilers.js'
import { isMalformed } from './http/malformed-request.js'
import type { Metrics } from './http/metrics.js'
import { parsingQueries } from './http/query.js'
import { MALFORMED_REQUEST, NOT_FOUND } from './http/refusals.js'
import { refuseMalformedRequest, watchConnections } from './http/refused-connections.js'
import { SECURITY_HEADERS } from './http/security-headers.js'
import { SERVICE_HEADER } from './http/service-header.js'

const BODY_LIMIT = 64 * 1024
/** Keep-alive timeout; exceeds nginx's default of 60 s, so that the proxy closes an idle connection first */
const KEEP_ALIVE_TIMEOUT_MS = 72_000
/** Maximum times for receiving the headers and a whole request (except uploads), so that slow clients are cut off */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** Node's request timeout; applies to all routes, so it must suffice for the slowest: an upload (64 MB by default). */
const UPLOAD_TIMEOUT_MS = 900_000
/** Interval at which Node checks for requests that exceed its timeouts */
const CHECKING_INTERVAL_MS = 2_000
/** Idle timeout of a connection; must exceed the longest import. */
const CONNECTION_TIMEOUT_MS = 600_000
/** Maximum length of a path parameter; as large as Node's limit for headers, so that long slugs reach their route */
const MAX_PARAM_LENGTH = 16_384
/** Origin of an absolute request target, as sent to proxies; plugins expect a path (RFC 9112, 3.2.2). */
const ORIGIN_OF_URL = /^https?:\/\/[^/?#]*/i

/** Requests that get errors in the form of SCIM */
const IS_SCIM = /^\/scim(?![\w-])/

const WEB_DIR = fileURLToPath(new URL('../app/', import.meta.url))

/** Average interval of the check for nightly jobs; other jobs run at this interval or more often */
const JOB_INTERVAL_MS = 10 * 60_000
const OVERDUE_INTERVAL_MS = 60_000
/** Average interval of the search for events to send to other systems */
const WEBHOOK_INTERVAL_MS = 2_000

/** Event loop delay above which requests to the API are refused with 503 */
const MAX_DELAY_MS = 500

export interface AppOptions {
  config: ServiceConfig
  /** At least one secret; the first one signs cookies. */
  sessionSecrets: string[]
  /** Closed together with the app */
  database: OpenDatabase
  logger: FastifyBaseLogger | false
  /** Absent if no metrics port is configured */
  metrics?: Metrics | undefined
  isClosing?: () => boolean
  /** Aborts long requests, such as imports, before the service cuts connections; the abort reason is a `Refusal`. */
  stopping?: AbortSignal
  now?: () => Date
  webDir?: string
  /** Default: `MAX_DELAY_MS`. Tests set a higher value, because their own work in the process delays the event loop. */
  maxDelayMs?: number
  jobIntervalMs?: number
  overdueIntervalMs?: number
  webhookIntervalMs?: number
  /** Maximum time, in milliseconds, for receiving a request that is not an upload */
  requestTimeoutMs?: number
  /** Schema compilers; by default, each schema is compiled on first use. Tests share compiled schemas between apps. */
  schemaController?: FastifyServerOptions['schemaController']
  /** Called for every route before it is added; for tests that check all routes. */
  onRoute?: (route: RouteOptions) => void
}

/** Builds the service, ready for `listen` or `inject`. `routes/index.ts` registers the plugins and routes of `/api`. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, isClosing = () => false, stopping = new AbortController().signal } = options
  const now = options.now ?? clockFrom(config.simulatedDate, config.timeZone)
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
      // The `onRequest` hook below refuses a missing Host header, with the usual error body.
      requireHostHeader: false,
    },
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(ORIGIN_OF_URL, '') || '/'),
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAM_LENGTH,
      // If a parameter is repeated, the last value counts.
      querystringParser: (query) => Object.fromEntries(new URLSearchParams(query)),
    },
    schemaController: parsingQueries(options.schemaController ?? lazyCompilers()),
    ajv: { customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false } },
    frameworkErrors: (error, request, reply) => {
      logAtResponseEnd(request, reply)
      reply.headers(SECURITY_HEADERS)
      // No hook runs for a request with a framework error, so only Node's timeout of 15 minutes would end a slow body.
      reply.header('connection', 'close')
      if (IS_SCIM.test(request.url)) return sendScimError(error, request, reply)
      if (allowOrigin(config.corsOrigins, request, reply)) return
      if (error.code === 'FST_ERR_BAD_URL' && app.showPage?.(request, reply)) return
      sendError(error, request, reply)
    },
    clientErrorHandler: refuseMalformedRequest,
  })
  watchConnections(app)
  // By default, Fastify would require a content type of QUERY requests before the not-found handler runs.
  if (METHODS.includes('QUERY')) app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })

  await app.register(service, { config, now, stopping, isClosing })
  await app.register(languages)
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
    reply.headers(SECURITY_HEADERS).headers(SERVICE_HEADER)
    if (isClosing()) reply.header('connection', 'close')
    // The web app reads the simulated time from this header. Browsers compare `Date` with the expiry of cookies, so
    // `Date` keeps the real time.
    if (config.simulatedDate !== undefined) reply.header('x-service-time', now().toUTCString())
    if (isMalformed(request.raw)) {
      // The next bytes on the connection cannot be trusted.
      reply.header('connection', 'close')
      throw MALFORMED_REQUEST
    }
  })

  await app.register(openapi)
  await app.register(healthRoutes)
  if (config.web) {
    await app.register(web, { folder: options.webDir ?? WEB_DIR })
  } else {
    app.setNotFoundHandler(() => {
      throw NOT_FOUND
    })
  }
  await app.register(jobs, { intervalMs: options.jobIntervalMs ?? JOB_INTERVAL_MS })
  await app.register(overdueAttempts, { intervalMs: options.overdueIntervalMs ?? OVERDUE_INTERVAL_MS })
  await app.register(webhooks, { intervalMs: options.webhookIntervalMs ?? WEBHOOK_INTERVAL_MS })
  await app.register(api, {
    prefix: '/api',
    sessionSecrets: options.sessionSecrets,
    maxDelayMs: options.maxDelayMs ?? MAX_DELAY_MS,
  })
  await app.register(scim, { prefix: '/scim', maxDelayMs: options.maxDelayMs ?? MAX_DELAY_MS })
  return app
}
