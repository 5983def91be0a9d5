import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import type { DestinationStream, Logger } from 'pino'
import { type OpenDatabase, openDatabase } from '../db/client.js'
import { migrateToLatest } from '../db/migrate.js'
import { hasUsers } from '../db/queries/accounts/users.js'
import { hasEmergencyAdmin } from '../db/queries/accounts/ways-in.js'
import { buildApp } from './app.js'
import { type Config, ConfigError, requireSessionSecret } from './config.js'
import { formatFault, formatWarning } from './domain/content/format-finding.js'
import { FaultyContent } from './domain/refusals.js'
import type { Metrics } from './http/metrics.js'
import { cutConnections } from './http/when-over.js'
import { createLogger } from './logger.js'
import { serveMetrics } from './metrics-server.js'
import { createFirstAdmin } from './services/accounts/first-admin.js'
import { importIntoEmptyStore } from './services/content/import-content.js'
import { reportProgress } from './services/content/progress.js'
import { prepareWorkFolders } from './services/content/receive-file.js'
import { loadSessionSecrets } from './session-secrets.js'

/** The settings that say where it listens, as a refusal names them. */
const ADDRESS = 'HOST oder PORT'
const METRICS_ADDRESS = 'METRICS_PORT'

/** What runs when the signal comes is finished within this time; then it is cut. */
const CLOSE_TIMEOUT_MS = 10_000

/** How long connections that wait to be accepted are accepted, if they do not end. */
const ACCEPT_MS = 1_000

/** How long a connection may take to send its request: one accepted last, or one that was answered while closing. */
const LAST_REQUESTS_MS = 250

/** Prints a line for the person who started the program. */
type Print = (line: string) => void

/** Starts the service and keeps it running until a signal comes. Rejects when it cannot start. */
export async function serve(config: Config, print: Print): Promise<void> {
  requireSessionSecret(config)
  // Before anything is created: the password of the first administrator is shown once, by a start that succeeds.
  await requireFreeAddresses(config)
  const log = createLogger(config.logLevel, await findReader())
  const metrics =
    config.metricsPort === undefined
      ? undefined
      : (await import('./http/metrics.js')).createMetrics(() => database.poolState())
  const database = await openDatabase({
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
  const state = { closing: false }
  const app = await prepare(config, database, log, metrics, state, print).catch(async (error) => {
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
    print(`svc-training läuft: ${address}`)
  } catch (error) {
    await app.close()
    throw error
  }
}

/** A person at a terminal gets short lines; everything else gets pino's JSON. */
async function findReader(): Promise<DestinationStream | undefined> {
  if (!process.stdout.isTTY) return undefined
  const { terminalLog } = await import('./terminal-log.js')
  return terminalLog((text) => process.stdout.write(text))
}

/** @throws ConfigError when somebody else listens there, or the machine has no such address */
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

/** An address that cannot be listened on is a wrong setting; everything else stays what it is. */
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

async function prepare(
  config: Config,
  database: OpenDatabase,
  log: Logger,
  metrics: Metrics | undefined,
  state: { closing: boolean },
  print: Print,
): Promise<FastifyInstance> {
  const { db } = database
  await database.withoutLimit(migrateToLatest)
  await prepareWorkFolders(config.tmpDir)
  const login = await createFirstAdmin(db, {
    configured: config.firstAdmin,
    mayInvent: config.databaseUrl === undefined,
  })
  if (login !== undefined) {
    print(`Erster Administrator: Benutzername ${login.username}, Passwort ${login.password}`)
    print('Das Passwort wird nur dieses eine Mal gezeigt.')
  } else if (!(await hasUsers(db))) {
    print(
      'Es gibt noch keinen Benutzer: ADMIN_USERNAME und ADMIN_PASSWORD setzen oder "svc-training user add" aufrufen.',
    )
  }
  if (!config.passwordLogin && !(await hasEmergencyAdmin(db))) {
    throw new ConfigError(
      'PASSWORD_LOGIN: off braucht einen Administrator mit Notfallzugang (svc-training user emergency <Benutzername>)',
    )
  }
  await importFirst(config, database, log, print)
  return buildApp({
    config,
    sessionSecrets: await loadSessionSecrets(config),
    database,
    logger: log,
    metrics,
    isClosing: () => state.closing,
  })
}

/** Faulty content does not keep the service from running: the store stays empty until a later import. */
async function importFirst(config: Config, { db }: OpenDatabase, log: Logger, print: Print): Promise<void> {
  try {
    const stats = await importIntoEmptyStore(db, config.contentDir, {
      mediaMaxBytes: config.mediaMaxBytes,
      onProgress: reportProgress('Erster Import', print),
    })
    if (stats === undefined) return
    const { decks, cards, cheatsheets, warnings } = stats
    if (warnings.length > 0) log.warn({ warnings }, 'first import left files out')
    for (const warning of warnings) print(formatWarning(warning))
    print(`Inhalte importiert: ${decks.created} Decks, ${cards.created} Karten, ${cheatsheets.created} Cheat Sheets`)
  } catch (error) {
    if (!(error instanceof FaultyContent)) throw error
    log.error({ faults: error.faults }, 'first import refused')
    print(error.message)
    for (const fault of error.faults) print(formatFault(fault))
  }
}

/**
 * Accepts no more connections, but still answers on those that have just been accepted: `http.Server.close` would cut
 * them as idle, and a proxy does not send a POST again that it has sent already. Resolves when they have had the time
 * to send their request.
 */
async function stopListening(server: HttpServer): Promise<void> {
  // Node accepts one connection a round of the event loop, just before `setImmediate`: after a round without any, none
  // waits. The system would reset those that do.
  let accepted = 0
  const count = () => accepted++
  server.on('connection', count)
  const deadline = performance.now() + ACCEPT_MS
  let before: number
  do {
    before = accepted
    await new Promise((resolve) => setImmediate(resolve))
  } while (accepted > before && performance.now() < deadline)
  server.off('connection', count)
  NetServer.prototype.close.call(server)
  await sleep(LAST_REQUESTS_MS)
}

/** SIGTERM and SIGINT: not ready at once, deaf after the delay, gone when what runs is finished. */
function closeGracefully(app: FastifyInstance, config: Config, state: { closing: boolean }): void {
  const delay = config.shutdownDelay * 1000
  closeWithGrace({ delay: delay + CLOSE_TIMEOUT_MS, logger: false }, async ({ err, signal }) => {
    state.closing = true
    if (err) app.log.fatal({ err }, 'closing after an error')
    else app.log.info({ signal }, 'closing')
    if (signal === 'SIGTERM') await sleep(delay)
    const cut = setTimeout(() => cutConnections(app.server), CLOSE_TIMEOUT_MS - 1_000)
    // Whoever is answered from now on may send one more request at once; the connection is not waited for.
    app.server.keepAliveTimeout = LAST_REQUESTS_MS
    await stopListening(app.server)
    await app.close()
    clearTimeout(cut)
  })
}
