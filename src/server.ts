import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import type { DestinationStream } from 'pino'
import { openDatabase } from '../db/client.js'
import { type Config, ConfigError, requireSessionSecret } from './config.js'
import { ServiceStopping } from './domain/refusal.js'
import { cutConnections } from './http/on-response-end.js'
import { createLogger } from './logger.js'
import { serveMetrics } from './metrics-server.js'
import { prepareWorkFolders } from './services/content/work-folder.js'
import { loadSessionSecrets } from './session-secrets.js'

/** Settings of the listening addresses, as named in error messages */
const ADDRESS = 'HOST oder PORT'
const METRICS_ADDRESS = 'METRICS_PORT'

/** Time between cutting the connections that are still open and the end of the process */
const CUT_BEFORE_END_MS = 1_000

/** Maximum time for accepting the pending connections before the listener closes */
const ACCEPT_MS = 3_000
/** Maximum duration of an event loop iteration that did no other work */
const QUIET_MS = 1

/** Maximum time for a connection to send its last request while the service is closing */
const LAST_REQUESTS_MS = 250

interface ClosingState {
  /** Whether the service is closing, after a signal or an uncaught error */
  closing: boolean
  stop: AbortController
}

type Print = (line: string) => void

/** Starts the service. Resolves when it listens; rejects if it cannot start. */
export async function serve(config: Config, print: Print): Promise<void> {
  requireSessionSecret(config)
  // These checks come first, because the start should not fail after it has created the first administrator, whose
  // generated password is printed only once.
  await requireFreeAddresses(config)
  await requireTmpDir(config)
  const log = createLogger(config.logLevel, await logDestination())
  const metrics =
    config.metricsPort === undefined
      ? undefined
      : (await import('./http/metrics.js')).createMetrics(() => database.poolState())
  const opening = openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    poolMax: config.databasePoolMax,
    prepare: config.databasePrepare,
    onIdleError: (err) => log.warn({ err }, 'idle database connection lost'),
    onQuery: ({ sql, durationMs, failed }) => {
      metrics?.observeQuery({ seconds: durationMs / 1000, failed })
      if (durationMs > config.slowQueryMs) log.warn({ sql, durationMs: Math.round(durationMs) }, 'slow query')
    },
  })
  // The embedded database starts and migrates in a worker thread while the main thread loads the routes.
  const loading = import('./app.js')
  const [database, { prepareStore }] = await Promise.all([opening, import('./prepare-store.js')])
  const state: ClosingState = { closing: false, stop: new AbortController() }
  const prepare = async () => {
    await prepareStore(config, database, log, print)
    const { buildApp } = await loading
    return buildApp({
      config,
      sessionSecrets: await loadSessionSecrets(config),
      database,
      logger: log,
      metrics,
      isClosing: () => state.closing,
      stopping: state.stop.signal,
    })
  }
  const app = await prepare().catch(async (error) => {
    await database.close()
    throw error
  })
  try {
    if (metrics !== undefined && config.metricsPort !== undefined) {
      const { host, metricsPort } = config
      const server = await listen(METRICS_ADDRESS, host, metricsPort, () => serveMetrics(metrics, host, metricsPort))
      app.addHook('onClose', async () => server.close())
      print(`Metriken: http://${urlAddress(server)}/metrics`)
    }
    const { host, port } = config
    const address = await listen(ADDRESS, host, port, () =>
      app.listen({ host, port, listenTextResolver: () => 'listening' }),
    )
    closeGracefully(app, config, state)
    print(`Zeitzone: ${config.timeZone}; nach ihr beginnt jeder neue Tag (TIME_ZONE ändert sie).`)
    if (config.simulatedDate !== undefined) {
      log.warn({ simulatedDate: config.simulatedDate }, 'the service runs with a simulated date')
      print(`Achtung: Der Dienst läuft zum Ausprobieren mit dem Datum ${config.simulatedDate} (SIMULATED_DATE).`)
    }
    if (config.mail !== undefined && config.publicUrl === undefined) {
      log.warn('no mail is planned: SMTP_HOST is set, PUBLIC_URL is not')
      print('Achtung: Es gehen keine Erinnerungen hinaus, weil PUBLIC_URL fehlt: Mails enthalten Links.')
    }
    if (config.publicUrl === undefined) {
      print('Ohne PUBLIC_URL zeigen Nachweise nur ihren Code, weder Link noch QR-Code.')
    }
    print(`svc-training läuft: ${address}`)
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Returns a log destination with short lines for a terminal. Without a terminal, undefined selects pino's JSON. */
async function logDestination(): Promise<DestinationStream | undefined> {
  if (!process.stdout.isTTY) return undefined
  const { terminalLog } = await import('./terminal-log.js')
  return terminalLog((text) => process.stdout.write(text))
}

/** @throws ConfigError if the service cannot listen on an address, such as one in use */
async function requireFreeAddresses(config: Config): Promise<void> {
  for (const [variables, port] of [
    [ADDRESS, config.port],
    [METRICS_ADDRESS, config.metricsPort],
  ] as const) {
    if (port === undefined) continue
    const server = new NetServer()
    await listen(variables, config.host, port, () => once(server.listen(port, config.host), 'listening'))
    server.close()
    await once(server, 'close')
  }
}

/** @throws ConfigError if the folder for temporary files is not writable */
async function requireTmpDir({ tmpDir }: Config): Promise<void> {
  await prepareWorkFolders(tmpDir).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`TMP_DIR: In den Ordner ${tmpDir} lässt sich nicht schreiben (${error.code})`)
  })
}

/** Converts a failed listen or name lookup to a ConfigError; other errors pass unchanged. */
async function listen<T>(variables: string, host: string, port: number, start: () => Promise<T>): Promise<T> {
  return start().catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') throw error
    throw new ConfigError(`${variables}: ${host}:${port} ist nicht benutzbar (${error.code})`)
  })
}

function urlAddress(server: HttpServer): string {
  const { address, family, port } = server.address() as AddressInfo
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}

/**
 * Closes the listener, but keeps connections that were just accepted: `http.Server.close` would cut them as idle, and a
 * proxy does not repeat a POST. Resolves after a short wait, so that clients can still send a request.
 */
async function stopListening(server: HttpServer): Promise<void> {
  // Node accepts one connection per event loop iteration, before `setImmediate`. After an iteration without a new
  // connection, none is pending, except for one that came while the iteration did other work: only a short iteration
  // counts. The operating system would reset pending connections when the listener closes.
  let accepted = 0
  const count = () => accepted++
  server.on('connection', count)
  const deadline = performance.now() + ACCEPT_MS
  let isQuiet: boolean
  do {
    const [before, begun] = [accepted, performance.now()]
    await new Promise((resolve) => setImmediate(resolve))
    isQuiet = accepted === before && performance.now() - begun < QUIET_MS
  } while (!isQuiet && performance.now() < deadline)
  server.off('connection', count)
  NetServer.prototype.close.call(server)
  await sleep(LAST_REQUESTS_MS)
}

/**
 * Closes the service on a signal such as SIGTERM or SIGINT, or after an uncaught error. Reports not ready at once.
 * Stops listening at once, or on SIGTERM after `shutdownDelay`. Long requests, such as imports, are aborted after
 * `shutdownGrace`; they then roll back and respond. Exits when running requests have finished, at most `shutdownClose`
 * later.
 */
function closeGracefully(app: FastifyInstance, config: Config, state: ClosingState): void {
  const delay = config.shutdownDelay * 1000
  const grace = config.shutdownGrace * 1000
  const end = grace + config.shutdownClose * 1000
  closeWithGrace({ delay: delay + end, logger: false }, async ({ err, signal }) => {
    state.closing = true
    if (err) app.log.fatal({ err }, 'closing after an error')
    else app.log.info({ signal }, 'closing')
    if (signal === 'SIGTERM') await sleep(delay)
    const abort = setTimeout(() => state.stop.abort(new ServiceStopping()), grace)
    const cut = setTimeout(() => {
      app.log.warn('cutting connections that did not end in time')
      cutConnections(app.server)
    }, end - CUT_BEFORE_END_MS)
    // From now on, a kept-alive connection without a new request is closed after `LAST_REQUESTS_MS`.
    app.server.keepAliveTimeout = LAST_REQUESTS_MS
    await stopListening(app.server)
    await app.close()
    clearTimeout(abort)
    clearTimeout(cut)
  })
}
