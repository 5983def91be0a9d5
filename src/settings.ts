import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkIssuer, checkScopes, DEFAULT_SCOPES } from './domain/sign-in/settings.js'
import { calendarIn } from './domain/time/calendar.js'

/**
 * All there is to say of one environment variable. The configuration is validated by it, the help is made of it, and a
 * test holds the README's table to it. Loads no package: the help is there at once.
 */
export interface Setting {
  /** JSON Schema: type, limits and default. */
  schema: {
    type: 'string' | 'integer' | 'number' | 'boolean'
    default?: string | number | boolean
    minimum?: number
    maximum?: number
    minLength?: number
    enum?: readonly string[]
  }
  /** What is wrong with a value that fits the schema, in German; undefined if nothing is. */
  check?: (value: string) => string | undefined
  /** May also be given as a file, named by the variable with `_FILE`: containers mount secrets. */
  isSecret?: boolean
  /** For `--help`; `default` where the schema's says too little. */
  german: { text: string; default?: string }
  /** For the README. */
  english: { text: string; default?: string }
}

const MIN_SECRET_LENGTH = 32
/** Below `dist/` the package's root is two folders up. */
const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url))

export const SETTINGS = {
  DATABASE_URL: {
    schema: { type: 'string' },
    isSecret: true,
    check: (url) =>
      URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)
        ? undefined
        : 'muss mit postgres:// oder postgresql:// beginnen und eine gültige URL sein',
    german: { text: 'PostgreSQL-Server; ohne sie die eingebettete Datenbank' },
    english: { text: '`postgres://…`; without it the embedded database is used' },
  },
  DATABASE_POOL_MAX: {
    schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 10 },
    german: { text: 'Verbindungen zum Server' },
    english: { text: 'connections to the server' },
  },
  DATABASE_PREPARE: {
    schema: { type: 'boolean', default: true },
    german: { text: 'false hinter einem Pooler, der benannte Anweisungen nicht kennt' },
    english: { text: '`false` behind a pooler that does not know named statements' },
  },
  DATA_DIR: {
    schema: { type: 'string', minLength: 1, default: './data' },
    german: { text: 'Ordner der eingebetteten Datenbank' },
    english: { text: 'the embedded store and its session secret' },
  },
  CONTENT_DIR: {
    schema: { type: 'string', minLength: 1, default: path.join(PACKAGE_ROOT, 'content') },
    check: (folder) =>
      statSync(folder, { throwIfNoEntry: false })?.isDirectory()
        ? undefined
        : `Der Ordner ${path.resolve(folder)} existiert nicht`,
    german: { text: 'Ordner der Inhalte', default: 'die mitgelieferten' },
    english: { text: 'what the import reads', default: "the package's `content/`" },
  },
  IMPORT_MAX_MB: {
    schema: { type: 'integer', minimum: 1, maximum: 1_024, default: 64 },
    german: { text: 'Größe einer hochgeladenen Datei in MB, höchstens' },
    english: { text: 'what an uploaded file may take; a proxy in front must let it pass' },
  },
  MEDIA_MAX_MB: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 2_048 },
    german: { text: 'Größe aller Bilder in der Datenbank in MB, höchstens' },
    english: { text: 'what all pictures in the database may take together' },
  },
  TMP_DIR: {
    schema: { type: 'string', minLength: 1 },
    german: { text: 'Ordner für Hochgeladenes, solange es gelesen wird', default: 'der des Systems' },
    english: { text: 'where uploads lie while they are read; on a disk, not in memory', default: "the system's" },
  },
  SESSION_SECRET: {
    schema: { type: 'string' },
    isSecret: true,
    check: (secrets) =>
      secrets.split(',').every((secret) => secret.trim().length >= MIN_SECRET_LENGTH)
        ? undefined
        : `jedes Geheimnis muss mindestens ${MIN_SECRET_LENGTH} Zeichen haben`,
    german: { text: `mindestens ${MIN_SECRET_LENGTH} Zeichen; mit DATABASE_URL erforderlich, mehrere durch Komma` },
    english: {
      text: `${MIN_SECRET_LENGTH} characters or more; several, separated by commas, for rotation: the first signs`,
      default: 'embedded: made and kept in `DATA_DIR`',
    },
  },
  SESSION_MAX_DAYS: {
    schema: { type: 'integer', minimum: 1, maximum: 365, default: 30 },
    german: { text: 'Tage, nach denen man sich neu anmeldet, auch wenn man den Dienst täglich benutzt' },
    english: {
      text: 'days after its login at which a session ends, however often it was used; unused it ends after 7',
    },
  },
  ADMIN_USERNAME: {
    schema: { type: 'string' },
    german: { text: 'der erste Administrator, angelegt, solange es keinen Benutzer gibt' },
    english: { text: 'the first administrator, created when there is no user', default: 'embedded: `admin`' },
  },
  ADMIN_PASSWORD: {
    schema: { type: 'string' },
    isSecret: true,
    german: { text: 'sein Passwort' },
    english: { text: 'its password', default: 'embedded: a random one, printed once' },
  },
  HOST: {
    schema: { type: 'string', minLength: 1, default: '127.0.0.1' },
    german: { text: 'Adresse, an der der Dienst lauscht' },
    english: { text: 'the address on which it listens' },
  },
  PORT: {
    schema: { type: 'integer', minimum: 0, maximum: 65_535, default: 3000 },
    german: { text: 'Port, an dem der Dienst lauscht' },
    english: { text: 'the port on which it listens' },
  },
  TIME_ZONE: {
    schema: { type: 'string' },
    check: (zone) => (isTimeZone(zone) ? undefined : `"${zone}" ist keine bekannte Zeitzone (z. B. Europe/Berlin)`),
    german: { text: 'Zeitzone der Kalendertage', default: 'die des Systems' },
    english: { text: 'whose calendar day is today', default: "the process's" },
  },
  TRUST_PROXY: {
    schema: { type: 'string', default: '' },
    check: (text) => {
      const wrong = listOf(text).find((entry) => !isNetwork(entry))
      return wrong === undefined ? undefined : `"${wrong}" ist weder eine IP-Adresse noch ein CIDR-Bereich`
    },
    german: { text: 'Adressen oder CIDR-Bereiche der Proxys davor' },
    english: {
      text: 'addresses or CIDR blocks of the proxies in front, separated by commas; forwarded headers from others are ignored, with one warning in the log',
    },
  },
  CORS_ORIGIN: {
    schema: { type: 'string', default: '' },
    check: (text) => {
      const wrong = listOf(text).find((entry) => !URL.canParse(entry) || new URL(entry).origin !== entry)
      return wrong === undefined ? undefined : `"${wrong}" ist kein Ursprung (z. B. https://app.example.org)`
    },
    german: { text: 'Ursprünge derselben Site, deren Seiten die API benutzen' },
    english: { text: 'origins of the same site whose pages may use the API' },
  },
  PUBLIC_URL: {
    schema: { type: 'string' },
    check: (url) =>
      isPublicUrl(url)
        ? undefined
        : 'muss eine Adresse mit http:// oder https:// sein, ohne Anmeldung, "?" und "#" (z. B. https://example.org/training/)',
    german: { text: 'Adresse, unter der der Dienst aufgerufen wird; mit https werden Cookies sicher' },
    english: {
      text: 'the address that people open; its origin counts as our own, and https makes the cookies Secure, whatever the proxy says',
    },
  },
  BASE_PATH: {
    schema: { type: 'string' },
    check: (path) =>
      asBasePath(path) === undefined ? 'muss ein Pfad mit "/" am Anfang sein (z. B. /training/)' : undefined,
    german: { text: 'Pfad, den der Proxy davor wegnimmt', default: 'der von PUBLIC_URL' },
    english: {
      text: 'the path below which people reach the service, when a proxy in front takes it away',
      default: 'the path of `PUBLIC_URL`',
    },
  },
  PASSWORD_LOGIN: {
    schema: { type: 'string', enum: ['on', 'off'], default: 'on' },
    german: { text: 'off: mit Passwort nur noch Notfallzugänge (user emergency); braucht OIDC_ISSUER' },
    english: {
      text: '`off`: only accounts marked as emergency access log in by password (`user emergency`); needs `OIDC_ISSUER`',
    },
  },
  OIDC_ISSUER: {
    schema: { type: 'string' },
    check: checkIssuer,
    german: { text: 'Anbieter für die Anmeldung mit OpenID Connect; braucht PUBLIC_URL' },
    english: { text: 'the provider of OpenID Connect, as it names itself; needs `PUBLIC_URL`: `docs/sign-in.md`' },
  },
  OIDC_CLIENT_ID: {
    schema: { type: 'string' },
    german: { text: 'wie der Anbieter diesen Dienst nennt' },
    english: { text: 'what the provider calls this service' },
  },
  OIDC_CLIENT_SECRET: {
    schema: { type: 'string' },
    isSecret: true,
    german: { text: 'womit sich der Dienst beim Anbieter ausweist' },
    english: { text: 'by what the service proves that to the provider' },
  },
  OIDC_SCOPES: {
    schema: { type: 'string', default: DEFAULT_SCOPES },
    check: checkScopes,
    german: { text: 'was vom Anbieter erfragt wird' },
    english: { text: 'what is asked of the provider' },
  },
  OIDC_USERNAME_CLAIM: {
    schema: { type: 'string', default: 'preferred_username' },
    german: { text: 'Angabe des Anbieters, die der Benutzername wird' },
    english: { text: 'the claim that becomes the user name' },
  },
  OIDC_NAME_CLAIM: {
    schema: { type: 'string', default: 'name' },
    german: { text: 'Angabe des Anbieters, die der Anzeigename wird' },
    english: { text: 'the claim that becomes the display name' },
  },
  OIDC_ADMIN_CLAIM: {
    schema: { type: 'string' },
    german: {
      text: 'Angabe des Anbieters, die sagt, wer Administrator ist',
      default: 'der Anbieter entscheidet das nie',
    },
    english: {
      text: 'the claim that says who is an administrator, such as `groups` or `realm_access.roles`',
      default: 'the provider never decides that',
    },
  },
  OIDC_ADMIN_VALUE: {
    schema: { type: 'string' },
    german: { text: 'ihr Wert, oder einer davon, für Administratoren' },
    english: { text: 'its value, or one of its values, for administrators' },
  },
  OIDC_CREATE_USERS: {
    schema: { type: 'boolean', default: true },
    german: { text: 'false: wer noch keinen Zugang hat, bekommt keinen' },
    english: { text: '`false`: whoever has no account gets none' },
  },
  OIDC_LINK_BY_USERNAME: {
    schema: { type: 'boolean', default: false },
    german: {
      text: 'true: ein Zugang desselben Namens gehört der Person; nur, wenn der Anbieter alle Namen verwaltet',
    },
    english: {
      text: "`true`: an account of the same name becomes the person's; only for a provider that is trusted with all names",
    },
  },
  OIDC_LABEL: {
    schema: { type: 'string', minLength: 1, default: 'Firmenkonto' },
    german: { text: 'Beschriftung der Schaltfläche' },
    english: { text: 'the text of the button' },
  },
  WEB: {
    schema: { type: 'string', enum: ['on', 'off'], default: 'on' },
    german: { text: 'off: nur die API, ohne die Oberfläche' },
    english: { text: '`off`: the API alone, without the web app' },
  },
  RATE_LIMIT: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 5_000 },
    german: { text: 'Anfragen je Sekunde und Adresse; 0 schaltet die Grenze ab' },
    english: { text: 'requests per second and address, for each process; 0 for no limit' },
  },
  LOG_LEVEL: {
    schema: {
      type: 'string',
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
    },
    german: { text: 'fatal, error, warn, info, debug, trace oder silent' },
    english: { text: '`fatal` `error` `warn` `info` `debug` `trace` `silent`' },
  },
  SLOW_QUERY_MS: {
    schema: { type: 'integer', minimum: 0, maximum: 3_600_000, default: 500 },
    german: { text: 'Anweisungen, die länger dauern, kommen ins Log' },
    english: { text: 'statements that take longer are logged' },
  },
  METRICS_PORT: {
    schema: { type: 'integer', minimum: 0, maximum: 65_535 },
    german: { text: 'Port, an dem Prometheus /metrics liest', default: 'keiner' },
    english: { text: 'a port of its own on which Prometheus reads `/metrics`' },
  },
  SHUTDOWN_DELAY: {
    schema: { type: 'number', minimum: 0, maximum: 3_600, default: 0 },
    german: { text: 'Sekunden zwischen SIGTERM und dem Ende des Lauschens' },
    english: { text: 'seconds between SIGTERM and the end of listening' },
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

type TypeOf<Schema> = Schema extends { type: 'boolean' }
  ? boolean
  : Schema extends { type: 'integer' | 'number' }
    ? number
    : string
type IfGiven<Schema> = Schema extends { default: unknown } ? never : undefined

/** The values of all settings by name, as their schemas leave them. */
export type Environment = {
  [Name in SettingName]: TypeOf<(typeof SETTINGS)[Name]['schema']> | IfGiven<(typeof SETTINGS)[Name]['schema']>
}

/** All settings in the order in which people read them. */
export function listSettings(): [name: SettingName, setting: Setting][] {
  return Object.entries(SETTINGS) as [SettingName, Setting][]
}

/** The entries of a list separated by commas. */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Segments that mean the same in a URL and in an attribute of HTML. */
const BASE_PATH = /^\/(?:[\w.~!()*+,;=:@%-]+\/)*$/

/** The path with the slash at its end; undefined when a page cannot be told to live there. */
export function asBasePath(text: string): string | undefined {
  const path = text.endsWith('/') ? text : `${text}/`
  // Dot segments, be they escaped, are another path to a browser.
  return BASE_PATH.test(path) && new URL(path, 'http://localhost').pathname === path ? path : undefined
}

function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, pathname } = new URL(text)
  const isPlain = username === '' && password === '' && !/[?#]/.test(text)
  return /^https?:$/.test(protocol) && isPlain && asBasePath(pathname) !== undefined
}

function isTimeZone(name: string): boolean {
  try {
    calendarIn(name)
    return true
  } catch {
    return false
  }
}

/** Whether it is an IP address, or a block of them in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  const bits = family === 6 ? 128 : 32
  const prefixIsFine = prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits)
  return family !== 0 && prefixIsFine && rest.length === 0
}
