import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { envSchema } from 'env-schema'
import type { ServiceConfig } from '../plugins/service.js'
import { parseNewUser } from './domain/accounts/accounts.js'
import { checkPasswordLength } from './domain/accounts/passwords.js'
import { type Logo, parseLogo } from './domain/company/logo.js'
import { type MailSettings, readMailSettings } from './domain/mail/settings.js'
import { readOidcSettings } from './domain/sign-in/settings.js'
import { checkLine } from './domain/text/parameters.js'
import { describeSchemaError, type SchemaError } from './http/schema-errors.js'
import { asBasePath, type Environment, listOf, listSettings } from './settings.js'

const MEGABYTE = 2 ** 20

/** A wrong setting; the message is one German line that names the variable. */
export class ConfigError extends Error {}

export interface Config extends ServiceConfig {
  /** URL of a PostgreSQL server; undefined selects the embedded store below `dataDir`. */
  databaseUrl: string | undefined
  databasePoolMax: number
  /** Whether statements are prepared; must be false behind a pooler that does not support named statements */
  databasePrepare: boolean
  dataDir: string
  /** The first secret signs cookies; all verify them. Empty only in embedded mode, which then generates a secret. */
  sessionSecrets: string[]
  firstAdmin: { username: string; password: string } | undefined
  host: string
  port: number
  logLevel: string
  /** Port on which Prometheus reads `/metrics`; undefined disables the metrics. */
  metricsPort: number | undefined
  /** Statements slower than this, in milliseconds, are logged. */
  slowQueryMs: number
  /** Time between SIGTERM and closing the listener, in seconds */
  shutdownDelay: number
  /** Time after `shutdownDelay` at which long requests are aborted, in seconds */
  shutdownGrace: number
  /** Maximum time after `shutdownGrace` for closing, in seconds */
  shutdownClose: number
}

/**
 * Reads the settings from environment variables and, for secrets, from the files that `…_FILE` variables name. An empty
 * variable counts as absent.
 * @throws ConfigError naming an invalid variable
 */
export function readConfig(variables: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const env = validate({ ...given, ...readSecretFiles(given) })
  return {
    databaseUrl: env.DATABASE_URL && nameTlsMode(env.DATABASE_URL),
    databasePoolMax: env.DATABASE_POOL_MAX,
    databasePrepare: env.DATABASE_PREPARE,
    dataDir: path.resolve(env.DATA_DIR),
    contentDir: path.resolve(env.CONTENT_DIR),
    tmpDir: path.resolve(env.TMP_DIR ?? tmpdir()),
    importMaxBytes: env.IMPORT_MAX_MB * MEGABYTE,
    mediaMaxBytes: env.MEDIA_MAX_MB * MEGABYTE,
    sessionSecrets: listOf(env.SESSION_SECRET ?? ''),
    sessionMaxDays: env.SESSION_MAX_DAYS,
    statisticsMinPersons: env.STATISTICS_MIN_PERSONS,
    answersKeepDays: env.ANSWERS_KEEP_DAYS,
    resultsKeep: env.RESULTS_KEEP === 'passed' ? 'passed' : 'all',
    firstAdmin: firstAdmin(env.ADMIN_USERNAME, env.ADMIN_PASSWORD),
    host: env.HOST,
    port: env.PORT,
    companyName: env.COMPANY_NAME?.trim(),
    companyLogo: env.COMPANY_LOGO_FILE === undefined ? undefined : readLogo(env.COMPANY_LOGO_FILE),
    isTimeZoneSet: env.TIME_ZONE !== undefined,
    timeZone: env.TIME_ZONE ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    defaultLanguage: env.DEFAULT_LANGUAGE === 'en' ? 'en' : 'de',
    simulatedDate: env.SIMULATED_DATE,
    trustProxy: listOf(env.TRUST_PROXY),
    corsOrigins: listOf(env.CORS_ORIGIN),
    ...publicAddress(env.PUBLIC_URL, env.BASE_PATH),
    ...signIn(env),
    scimAdopt: env.SCIM_ADOPT,
    mail: mailServer(env),
    webhookAllow: listOf(env.WEBHOOK_ALLOW),
    web: env.WEB === 'on',
    rateLimit: env.RATE_LIMIT,
    logLevel: env.LOG_LEVEL,
    metricsPort: metricsPort(env.METRICS_PORT, env.PORT),
    slowQueryMs: env.SLOW_QUERY_MS,
    shutdownDelay: env.SHUTDOWN_DELAY,
    shutdownGrace: env.SHUTDOWN_GRACE,
    shutdownClose: env.SHUTDOWN_CLOSE,
  }
}

function readSecretFiles(variables: Record<string, string | undefined>): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const [name, { isSecret }] of listSettings()) {
    const file = variables[`${name}_FILE`]
    if (!isSecret || file === undefined) continue
    if (variables[name] !== undefined) throw new ConfigError(`${name}_FILE: ${name} ist auch gesetzt`)
    secrets[name] = readNamedFile(`${name}_FILE`, file)
      .toString()
      .replace(/\r?\n$/, '')
    if (secrets[name] === '') throw new ConfigError(`${name}_FILE: Die Datei ${file} ist leer`)
  }
  return secrets
}

/** @throws ConfigError naming the variable if the file cannot be read */
function readNamedFile(variable: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`${variable}: Die Datei ${file} ist nicht lesbar (${code})`)
  }
}

// A constant, because env-schema compiles each object anew.
const SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(listSettings().map(([name, { schema }]) => [name, schema])),
}

function validate(variables: Record<string, string | undefined>): Environment {
  try {
    const env = envSchema<Environment>({ schema: SCHEMA, data: variables, env: false, dotenv: false })
    for (const [name, { check }] of listSettings()) {
      const problem = env[name] === undefined ? undefined : check?.(String(env[name]))
      if (problem !== undefined) throw new ConfigError(`${name}: ${problem}`)
    }
    return env
  } catch (error) {
    const [first] = (error as { errors?: SchemaError[] }).errors ?? []
    if (first === undefined) throw error
    const { field, problem } = describeSchemaError(first)
    throw new ConfigError(`${field}: ${problem}`)
  }
}

/**
 * Replaces `prefer`, `require` and `verify-ca` with `verify-full`. pg treats these modes as `verify-full` anyway, but
 * prints a long warning. With `uselibpqcompat`, the modes keep the meaning that libpq gives them.
 */
function nameTlsMode(url: string): string {
  return url.includes('uselibpqcompat')
    ? url
    : url.replace(/([?&]sslmode=)(prefer|require|verify-ca)\b/, '$1verify-full')
}

/**
 * Requires a session secret with a PostgreSQL server. All instances must share it, so none can be generated.
 * @throws ConfigError if the secret is missing
 */
export function requireSessionSecret(config: Config): void {
  if (config.databaseUrl !== undefined && config.sessionSecrets.length === 0) {
    throw new ConfigError('SESSION_SECRET: ist mit DATABASE_URL erforderlich (mindestens 32 Zeichen)')
  }
}

function publicAddress(url: string | undefined, path: string | undefined): Pick<Config, 'publicUrl' | 'basePath'> {
  const basePath = asBasePath(path ?? (url === undefined ? '/' : new URL(url).pathname)) ?? '/'
  return { publicUrl: url && new URL(basePath, url).href, basePath }
}

function signIn(env: Environment): Pick<Config, 'oidc' | 'passwordLogin'> {
  const oidc = readOidcSettings(env, env.PUBLIC_URL, (variable, problem) => {
    throw new ConfigError(`${variable}: ${problem}`)
  })
  const passwordLogin = env.PASSWORD_LOGIN === 'on'
  if (!passwordLogin && oidc === undefined) {
    throw new ConfigError('PASSWORD_LOGIN: off braucht eine andere Anmeldung (OIDC_ISSUER fehlt)')
  }
  return { oidc, passwordLogin }
}

function mailServer(env: Environment): MailSettings | undefined {
  return readMailSettings(env, env.SMTP_CA_FILE && readCertificates(env.SMTP_CA_FILE), (variable, problem) => {
    throw new ConfigError(`${variable}: ${problem}`)
  })
}

/** @throws ConfigError if the file cannot be read or is not a suitable picture */
function readLogo(file: string): Logo {
  const logo = parseLogo(readNamedFile('COMPANY_LOGO_FILE', file))
  if ('problem' in logo) throw new ConfigError(`COMPANY_LOGO_FILE: Die Datei ${file} ${logo.problem}`)
  return logo
}

/** Returns the PEM text of a file. @throws ConfigError if the file cannot be read or contains no certificate */
function readCertificates(file: string): string {
  const text = readNamedFile('SMTP_CA_FILE', file).toString()
  try {
    new X509Certificate(text)
  } catch {
    throw new ConfigError(`SMTP_CA_FILE: In der Datei ${file} steht kein Zertifikat (PEM)`)
  }
  return text
}

function firstAdmin(username: string | undefined, password: string | undefined): Config['firstAdmin'] {
  if (username === undefined && password === undefined) return undefined
  if (username === undefined) throw new ConfigError('ADMIN_USERNAME: fehlt, obwohl ADMIN_PASSWORD gesetzt ist')
  if (password === undefined) throw new ConfigError('ADMIN_PASSWORD: fehlt, obwohl ADMIN_USERNAME gesetzt ist')
  refuseAs('ADMIN_PASSWORD', () => checkPasswordLength(password, 'password'))
  refuseAs('ADMIN_USERNAME', () => {
    checkLine('username', parseNewUser({ username, display_name: username, password }).username)
  })
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
