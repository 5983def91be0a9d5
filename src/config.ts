import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Static, Type } from '@sinclair/typebox'
import { envSchema } from 'env-schema'
import { parseNewUser } from './domain/accounts/accounts.js'
import { checkPasswordLength } from './domain/accounts/passwords.js'
import { describeSchemaError, type SchemaError } from './domain/text/schema-errors.js'
import { calendarIn } from './domain/time/calendar.js'

/** A setting is wrong; the message is one German line that names the variable. */
export class ConfigError extends Error {}

const MIN_SECRET_LENGTH = 32

/** Below `dist/` the package's root is two folders up. */
const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url))

const Environment = Type.Object({
  DATABASE_URL: Type.Optional(Type.String()),
  DATABASE_POOL_MAX: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
  DATABASE_PREPARE: Type.Boolean({ default: true }),
  DATA_DIR: Type.String({ minLength: 1, default: './data' }),
  CONTENT_DIR: Type.String({ minLength: 1, default: path.join(PACKAGE_ROOT, 'content') }),
  SESSION_SECRET: Type.Optional(Type.String()),
  ADMIN_USERNAME: Type.Optional(Type.String()),
  ADMIN_PASSWORD: Type.Optional(Type.String()),
  HOST: Type.String({ minLength: 1, default: '127.0.0.1' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 3000 }),
  TIME_ZONE: Type.Optional(Type.String()),
  TRUST_PROXY: Type.String({ default: '' }),
  CORS_ORIGIN: Type.String({ default: '' }),
  RATE_LIMIT: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 5_000 }),
  LOG_LEVEL: Type.String({ enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], default: 'info' }),
  METRICS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  SLOW_QUERY_MS: Type.Integer({ minimum: 0, maximum: 3_600_000, default: 500 }),
  SHUTDOWN_DELAY: Type.Number({ minimum: 0, maximum: 3_600, default: 0 }),
})

export interface Config {
  /** A PostgreSQL server; undefined means the embedded store below `dataDir`. */
  databaseUrl: string | undefined
  databasePoolMax: number
  /** Off behind a pooler that does not know named statements. */
  databasePrepare: boolean
  dataDir: string
  contentDir: string
  /** The first one signs, all are accepted; empty in embedded mode, which keeps its own. */
  sessionSecrets: string[]
  firstAdmin: { username: string; password: string } | undefined
  host: string
  port: number
  timeZone: string
  /** Addresses and CIDR blocks of the proxies in front. */
  trustProxy: string[]
  /** Origins of the same site whose pages may use the API. */
  corsOrigins: string[]
  /** Requests per second and address, per process; 0 means no limit. */
  rateLimit: number
  logLevel: string
  /** Where Prometheus reads `/metrics`; undefined means nowhere. */
  metricsPort: number | undefined
  /** Statements that take longer, in milliseconds, are logged. */
  slowQueryMs: number
  /** Seconds between the signal to stop and the end of listening. */
  shutdownDelay: number
}

/**
 * Reads the settings from environment variables. An empty variable counts as absent.
 * @throws ConfigError naming the first variable that is wrong
 */
export function readConfig(variables: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const env = validate({ ...given, ...readSecretFiles(given) })
  return {
    databaseUrl: databaseUrl(env.DATABASE_URL),
    databasePoolMax: env.DATABASE_POOL_MAX,
    databasePrepare: env.DATABASE_PREPARE,
    dataDir: path.resolve(env.DATA_DIR),
    contentDir: existingFolder('CONTENT_DIR', path.resolve(env.CONTENT_DIR)),
    sessionSecrets: sessionSecrets(env.SESSION_SECRET),
    firstAdmin: firstAdmin(env.ADMIN_USERNAME, env.ADMIN_PASSWORD),
    host: env.HOST,
    port: env.PORT,
    timeZone: timeZone(env.TIME_ZONE),
    trustProxy: list(env.TRUST_PROXY).map(networkAddress),
    corsOrigins: list(env.CORS_ORIGIN).map(origin),
    rateLimit: env.RATE_LIMIT,
    logLevel: env.LOG_LEVEL,
    metricsPort: metricsPort(env.METRICS_PORT, env.PORT),
    slowQueryMs: env.SLOW_QUERY_MS,
    shutdownDelay: env.SHUTDOWN_DELAY,
  }
}

/** Secrets that may be given as files: containers mount them, and the environment of a process is easily seen. */
const SECRETS = ['DATABASE_URL', 'SESSION_SECRET', 'ADMIN_PASSWORD']

function readSecretFiles(variables: Record<string, string | undefined>): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const name of SECRETS) {
    const file = variables[`${name}_FILE`]
    if (file === undefined) continue
    if (variables[name] !== undefined) throw new ConfigError(`${name}_FILE: ${name} ist auch gesetzt`)
    try {
      secrets[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new ConfigError(`${name}_FILE: Die Datei ${file} ist nicht lesbar (${code})`)
    }
    if (secrets[name] === '') throw new ConfigError(`${name}_FILE: Die Datei ${file} ist leer`)
  }
  return secrets
}

function validate(variables: Record<string, string | undefined>): Static<typeof Environment> {
  try {
    return envSchema<Static<typeof Environment>>({ schema: Environment, data: variables, env: false, dotenv: false })
  } catch (error) {
    const [first] = (error as { errors?: SchemaError[] }).errors ?? []
    if (first === undefined) throw error
    const { field, problem } = describeSchemaError(first)
    throw new ConfigError(`${field}: ${problem}`)
  }
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

function databaseUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new ConfigError('DATABASE_URL: muss mit postgres:// oder postgresql:// beginnen und eine gültige URL sein')
  }
  // What pg does with these three anyway, without its warning of three lines.
  return url.includes('uselibpqcompat')
    ? url
    : url.replace(/([?&]sslmode=)(prefer|require|verify-ca)\b/, '$1verify-full')
}

function existingFolder(variable: string, folder: string): string {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ConfigError(`${variable}: Der Ordner ${folder} existiert nicht`)
  }
  return folder
}

/** With a server, several instances must agree on the secret, so the service cannot make one up. @throws ConfigError */
export function requireSessionSecret(config: Config): void {
  if (config.databaseUrl !== undefined && config.sessionSecrets.length === 0) {
    throw new ConfigError('SESSION_SECRET: ist mit DATABASE_URL erforderlich (mindestens 32 Zeichen)')
  }
}

function sessionSecrets(text: string | undefined): string[] {
  if (text === undefined) return []
  const secrets = text.split(',').map((secret) => secret.trim())
  if (secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    throw new ConfigError(`SESSION_SECRET: jedes Geheimnis muss mindestens ${MIN_SECRET_LENGTH} Zeichen haben`)
  }
  return secrets
}

function firstAdmin(username: string | undefined, password: string | undefined): Config['firstAdmin'] {
  if (username === undefined && password === undefined) return undefined
  if (username === undefined) throw new ConfigError('ADMIN_USERNAME: fehlt, obwohl ADMIN_PASSWORD gesetzt ist')
  if (password === undefined) throw new ConfigError('ADMIN_PASSWORD: fehlt, obwohl ADMIN_USERNAME gesetzt ist')
  refuseAs('ADMIN_PASSWORD', () => checkPasswordLength(password, 'password'))
  refuseAs('ADMIN_USERNAME', () => parseNewUser({ username, display_name: username, password }))
  return { username, password }
}

function refuseAs(variable: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new ConfigError(`${variable}: ${(error as Error).message}`)
  }
}

function metricsPort(port: number | undefined, servicePort: number): number | undefined {
  if (port !== undefined && port !== 0 && port === servicePort) {
    throw new ConfigError('METRICS_PORT: muss ein anderer Port als PORT sein')
  }
  return port
}

function timeZone(name: string | undefined): string {
  const zone = name ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    calendarIn(zone)
  } catch {
    throw new ConfigError(`TIME_ZONE: "${zone}" ist keine bekannte Zeitzone (z. B. Europe/Berlin)`)
  }
  return zone
}

function networkAddress(text: string): string {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  const bits = family === 6 ? 128 : 32
  const prefixIsFine = prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits)
  if (family === 0 || !prefixIsFine || rest.length > 0) {
    throw new ConfigError(`TRUST_PROXY: "${text}" ist weder eine IP-Adresse noch ein CIDR-Bereich`)
  }
  return text
}

function origin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new ConfigError(`CORS_ORIGIN: "${text}" ist kein Ursprung (z. B. https://app.example.org)`)
  }
  return text
}
