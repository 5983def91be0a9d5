import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkCompanyName } from './domain/company/name.js'
import { isMailAddress } from './domain/mail/address.js'
import { checkMailHost, checkSenderName } from './domain/mail/settings.js'
import { checkIssuer, checkScopes, DEFAULT_SCOPES } from './domain/sign-in/settings.js'
import { LANGUAGES } from './domain/text/language.js'
import { calendarIn, isDay } from './domain/time/calendar.js'

/**
 * Definition of an environment variable, for validation, `--help` and the table in the README. This module must not
 * import a package, so that the help appears without delay.
 */
export interface Setting {
  /** JSON Schema: type, limits and default */
  schema: {
    type: 'string' | 'integer' | 'number' | 'boolean'
    default?: string | number | boolean
    minimum?: number
    maximum?: number
    minLength?: number
    enum?: readonly string[]
  }
  /** Returns the fault in German for a value that fits the schema; undefined if the value is valid. */
  check?: (value: string) => string | undefined
  /** Whether the value is a secret; the variable with the suffix `_FILE` may then name a file with the value. */
  isSecret?: boolean
  /** Text for `--help`; `default` is shown instead of the default of the schema. */
  german: { text: string; default?: string }
  english: { text: string; default?: string }
}

const MIN_SECRET_LENGTH = 32
/** Root folder of the package, two folders above the compiled module in `dist/src/` */
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
    english: { text: '`postgres://…`; default is the embedded database' },
  },
  DATABASE_POOL_MAX: {
    schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 10 },
    german: { text: 'Verbindungen zum Server' },
    english: { text: 'maximum connections to PostgreSQL' },
  },
  DATABASE_PREPARE: {
    schema: { type: 'boolean', default: true },
    german: { text: 'false hinter einem Pooler, der benannte Anweisungen nicht kennt' },
    english: { text: '`false` behind a pooler without support for prepared statements' },
  },
  DATA_DIR: {
    schema: { type: 'string', minLength: 1, default: './data' },
    german: { text: 'Ordner der eingebetteten Datenbank' },
    english: { text: 'folder of the embedded database and its session secret' },
  },
  CONTENT_DIR: {
    schema: { type: 'string', minLength: 1, default: path.join(PACKAGE_ROOT, 'content') },
    check: (folder) =>
      statSync(folder, { throwIfNoEntry: false })?.isDirectory()
        ? undefined
        : `Der Ordner ${path.resolve(folder)} existiert nicht`,
    german: { text: 'Ordner der Inhalte', default: 'die mitgelieferten' },
    english: { text: 'folder of the content files', default: "the package's `content/`" },
  },
  IMPORT_MAX_MB: {
    schema: { type: 'integer', minimum: 1, maximum: 1_024, default: 64 },
    german: { text: 'Größe einer hochgeladenen Datei in MB, höchstens' },
    english: { text: 'maximum size of an uploaded file; a reverse proxy must allow it too' },
  },
  MEDIA_MAX_MB: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 2_048 },
    german: { text: 'Größe aller Bilder in der Datenbank in MB, höchstens' },
    english: { text: 'maximum total size of all pictures in the database' },
  },
  TMP_DIR: {
    schema: { type: 'string', minLength: 1 },
    german: { text: 'Ordner für Hochgeladenes, solange es gelesen wird', default: 'der des Systems' },
    english: {
      text: 'folder for uploads while they are read; should be on a disk, not in memory',
      default: "the system's",
    },
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
      text: `at least ${MIN_SECRET_LENGTH} characters; for rotation several, comma-separated: the first one signs`,
      default: 'embedded: generated and stored in `DATA_DIR`',
    },
  },
  SESSION_MAX_DAYS: {
    schema: { type: 'integer', minimum: 1, maximum: 365, default: 30 },
    german: { text: 'Tage, nach denen man sich neu anmeldet, auch wenn man den Dienst täglich benutzt' },
    english: {
      text: 'maximum age of a session in days; an unused session ends after 7',
    },
  },
  STATISTICS_MIN_PERSONS: {
    schema: { type: 'integer', minimum: 3, maximum: 1_000, default: 5 },
    german: { text: 'Mindestzahl der Teilnehmenden, ab der Autoren die Statistik eines Tests sehen' },
    english: { text: 'minimum number of participants before authors see the statistics of a test' },
  },
  ANSWERS_KEEP_DAYS: {
    schema: { type: 'integer', minimum: 1, maximum: 3_650, default: 90 },
    german: { text: 'Tage, nach denen die einzelnen Antworten eines beendeten Tests gelöscht werden' },
    english: { text: 'days after which the answers of ended tests are deleted; results stay' },
  },
  RESULTS_KEEP: {
    schema: { type: 'string', enum: ['all', 'passed'], default: 'all' },
    german: {
      text: 'was von einem Versuch bleibt, wenn seine Antworten gelöscht werden: alles Übrige, oder nur „bestanden“, Zeiten und Version',
    },
    english: {
      text: 'what remains of an attempt when its answers are deleted: `all` keeps score and points, `passed` only the outcome, the times and the version',
    },
  },
  COMPANY_NAME: {
    schema: { type: 'string' },
    check: checkCompanyName,
    german: { text: 'Name der Firma auf Nachweisen, Seiten und Mails', default: 'keiner' },
    english: { text: 'name of the company on proofs, pages and mails' },
  },
  COMPANY_LOGO_FILE: {
    schema: { type: 'string', minLength: 1 },
    german: { text: 'Datei mit ihrem Logo: PNG oder JPEG, höchstens 512 kB und 4 Megapixel', default: 'keine' },
    english: { text: 'its logo: PNG or JPEG of at most 512 kB and 4 megapixels' },
  },
  ADMIN_USERNAME: {
    schema: { type: 'string' },
    german: { text: 'der erste Administrator, angelegt, solange es keinen Benutzer gibt' },
    english: { text: 'first administrator, created while there is no user', default: 'embedded: `admin`' },
  },
  ADMIN_PASSWORD: {
    schema: { type: 'string' },
    isSecret: true,
    german: { text: 'sein Passwort' },
    english: { text: 'password of the first administrator', default: 'embedded: random, printed once' },
  },
  HOST: {
    schema: { type: 'string', minLength: 1, default: '127.0.0.1' },
    german: { text: 'Adresse, an der der Dienst lauscht' },
    english: { text: 'listening address' },
  },
  PORT: {
    schema: { type: 'integer', minimum: 0, maximum: 65_535, default: 3000 },
    german: { text: 'Port, an dem der Dienst lauscht' },
    english: { text: 'listening port' },
  },
  TIME_ZONE: {
    schema: { type: 'string' },
    check: (zone) => (isTimeZone(zone) ? undefined : `"${zone}" ist keine bekannte Zeitzone (z. B. Europe/Berlin)`),
    german: { text: 'Zeitzone der Kalendertage', default: 'die des Systems' },
    english: { text: 'time zone that decides when a new day begins', default: 'that of the process' },
  },
  DEFAULT_LANGUAGE: {
    schema: { type: 'string', enum: LANGUAGES, default: 'de' },
    german: {
      text: 'Sprache von App, Mails, Kalendern und PDFs für alle, deren Browser und Konto keine andere nennen: de oder en',
    },
    english: {
      text: 'language of the app, mails, calendars and PDFs, `de` or `en`, unless the account or the browser names another',
    },
  },
  SIMULATED_DATE: {
    schema: { type: 'string' },
    check: (day) => (isDay(day) ? undefined : `"${day}" ist kein Tag wie 2027-01-01`),
    german: {
      text: 'simuliertes Datum für Dienst und Befehle, z. B. 2027-01-01; nur mit einer Kopie der Daten',
      default: 'heute',
    },
    english: {
      text: 'simulated date of the service and the commands, such as `2027-01-01`; use it on a copy of the data',
      default: '– (today)',
    },
  },
  TRUST_PROXY: {
    schema: { type: 'string', default: '' },
    check: checkNetworks,
    german: { text: 'Adressen oder CIDR-Bereiche der Proxys davor' },
    english: {
      text: 'addresses or CIDR blocks of the reverse proxies, comma-separated; `X-Forwarded-*` headers from other addresses are ignored, with one warning in the log',
    },
  },
  CORS_ORIGIN: {
    schema: { type: 'string', default: '' },
    check: (text) => {
      const wrong = listOf(text).find((entry) => !URL.canParse(entry) || new URL(entry).origin !== entry)
      return wrong === undefined ? undefined : `"${wrong}" ist kein Ursprung (z. B. https://app.example.org)`
    },
    german: { text: 'Ursprünge derselben Site, deren Seiten die API benutzen' },
    english: { text: 'origins of the same site that may use the API, comma-separated' },
  },
  PUBLIC_URL: {
    schema: { type: 'string' },
    check: (url) =>
      isPublicUrl(url)
        ? undefined
        : 'muss eine Adresse mit http:// oder https:// sein, ohne Anmeldung, „?“ und „#“ (z. B. https://example.org/training/)',
    german: { text: 'Adresse, unter der der Dienst aufgerufen wird; mit https werden Cookies sicher' },
    english: {
      text: "address that users open; only pages of its origin and `CORS_ORIGIN` may change data, and https makes cookies `Secure` regardless of the proxy's headers",
    },
  },
  BASE_PATH: {
    schema: { type: 'string' },
    check: (path) =>
      asBasePath(path) === undefined ? 'muss ein Pfad mit „/“ am Anfang sein (z. B. /training/)' : undefined,
    german: { text: 'Pfad, den der Proxy davor wegnimmt', default: 'der von PUBLIC_URL' },
    english: {
      text: 'path prefix that the reverse proxy strips',
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
    english: { text: 'issuer URL of the OpenID Connect provider; needs `PUBLIC_URL` (`docs/sign-in.md`)' },
  },
  OIDC_CLIENT_ID: {
    schema: { type: 'string' },
    german: { text: 'wie der Anbieter diesen Dienst nennt' },
    english: { text: 'client id of this service at the provider' },
  },
  OIDC_CLIENT_SECRET: {
    schema: { type: 'string' },
    isSecret: true,
    german: { text: 'womit sich der Dienst beim Anbieter ausweist' },
    english: { text: 'client secret' },
  },
  OIDC_SCOPES: {
    schema: { type: 'string', default: DEFAULT_SCOPES },
    check: checkScopes,
    german: { text: 'was vom Anbieter erfragt wird' },
    english: { text: 'requested scopes' },
  },
  OIDC_USERNAME_CLAIM: {
    schema: { type: 'string', default: 'preferred_username' },
    german: { text: 'Angabe des Anbieters, die der Benutzername wird' },
    english: { text: 'claim with the user name' },
  },
  OIDC_NAME_CLAIM: {
    schema: { type: 'string', default: 'name' },
    german: { text: 'Angabe des Anbieters, die der Anzeigename wird' },
    english: { text: 'claim with the display name' },
  },
  OIDC_ADMIN_CLAIM: {
    schema: { type: 'string' },
    german: {
      text: 'Angabe des Anbieters, die sagt, wer Administrator ist',
      default: 'der Anbieter entscheidet das nie',
    },
    english: {
      text: 'claim that decides who is an administrator, such as `groups` or `realm_access.roles`',
      default: '– (the provider does not decide)',
    },
  },
  OIDC_ADMIN_VALUE: {
    schema: { type: 'string' },
    german: { text: 'ihr Wert, oder einer davon, für Administratoren' },
    english: { text: 'value of that claim, or one of its values, for administrators' },
  },
  OIDC_AUTHOR_CLAIM: {
    schema: { type: 'string' },
    german: {
      text: 'Angabe des Anbieters, die sagt, wer Inhalte schreiben darf',
      default: 'der Anbieter entscheidet das nie',
    },
    english: {
      text: 'claim that decides who is an author, as `OIDC_ADMIN_CLAIM`',
      default: '– (the provider does not decide)',
    },
  },
  OIDC_AUTHOR_VALUE: {
    schema: { type: 'string' },
    german: { text: 'ihr Wert, oder einer davon, für Autoren' },
    english: { text: 'value of that claim, or one of its values, for authors' },
  },
  OIDC_AUDITOR_CLAIM: {
    schema: { type: 'string' },
    german: {
      text: 'Angabe des Anbieters, die sagt, wer Prüfer ist',
      default: 'der Anbieter entscheidet das nie',
    },
    english: {
      text: 'claim that decides who is an auditor, as `OIDC_ADMIN_CLAIM`',
      default: '– (the provider does not decide)',
    },
  },
  OIDC_AUDITOR_VALUE: {
    schema: { type: 'string' },
    german: { text: 'ihr Wert, oder einer davon, für Prüfer' },
    english: { text: 'value of that claim, or one of its values, for auditors' },
  },
  OIDC_GROUPS_CLAIM: {
    schema: { type: 'string' },
    german: {
      text: 'Angabe des Anbieters mit den Gruppen, nach denen sich Teams richten',
      default: 'keine',
    },
    english: {
      text: 'claim with the groups that teams follow at each login (`external_group` of a team)',
      default: '– (teams are managed by hand)',
    },
  },
  OIDC_PERSONNEL_CLAIM: {
    schema: { type: 'string' },
    german: { text: 'Angabe des Anbieters mit der Personalnummer', default: 'keine' },
    english: { text: 'claim with the personnel number of a person', default: '– (set by administrators)' },
  },
  OIDC_CREATE_USERS: {
    schema: { type: 'boolean', default: true },
    german: { text: 'false: wer noch keinen Zugang hat, bekommt keinen' },
    english: { text: '`false`: the first login through the provider creates no account' },
  },
  OIDC_LINK_BY_USERNAME: {
    schema: { type: 'boolean', default: false },
    german: {
      text: 'true: ein Zugang desselben Namens gehört der Person; nur, wenn der Anbieter alle Namen verwaltet',
    },
    english: {
      text: '`true`: the first login takes over an account of the same name; only for a provider whose user names can be trusted',
    },
  },
  SCIM_ADOPT: {
    schema: { type: 'boolean', default: false },
    german: {
      text: 'true: SCIM übernimmt Konten und Teams gleichen Namens, die noch keine externe Kennung haben',
    },
    english: {
      text: '`true`: SCIM takes over accounts and teams of the same name that have no external id; never accounts with rights',
    },
  },
  OIDC_LABEL: {
    schema: { type: 'string', minLength: 1, default: 'Firmenkonto' },
    german: { text: 'Beschriftung der Schaltfläche' },
    english: { text: 'label of the login button' },
  },
  OIDC_RECHECK_DAYS: {
    schema: { type: 'integer', minimum: 0, maximum: 3650, default: 0 },
    german: {
      text: 'nach so vielen Tagen bestätigt der Anbieter eine Person erneut; bis dahin gilt kein Zugang',
      default: '0 (aus)',
    },
    english: {
      text: 'days after which the provider must confirm a linked person again; until then the account has no access ([leavers](docs/sign-in.md#when-a-person-leaves))',
      default: '`0` (off)',
    },
  },
  SMTP_HOST: {
    schema: { type: 'string' },
    check: checkMailHost,
    german: { text: 'Mailserver für Erinnerungen; ohne ihn und SMTP_FROM verschickt der Dienst keine Mails' },
    english: { text: 'mail server for reminders; without it or `SMTP_FROM` no mail is sent' },
  },
  SMTP_PORT: {
    schema: { type: 'integer', minimum: 1, maximum: 65_535, default: 587 },
    german: { text: 'sein Port' },
    english: { text: 'its port' },
  },
  SMTP_SECURITY: {
    schema: { type: 'string', enum: ['starttls', 'force_tls', 'off'], default: 'starttls' },
    german: { text: 'starttls, force_tls (TLS vom ersten Byte an, meist Port 465) oder off (unverschlüsselt)' },
    english: { text: '`starttls`, `force_tls` (TLS from the first byte, usually port 465) or `off` (not encrypted)' },
  },
  SMTP_USERNAME: {
    schema: { type: 'string' },
    german: { text: 'Benutzername beim Mailserver', default: 'keine Anmeldung' },
    english: { text: 'user name at the mail server', default: '– (no login)' },
  },
  SMTP_PASSWORD: {
    schema: { type: 'string' },
    isSecret: true,
    german: { text: 'Passwort beim Mailserver' },
    english: { text: 'password at the mail server' },
  },
  SMTP_FROM: {
    schema: { type: 'string' },
    check: checkAddress,
    german: { text: 'Adresse, von der die Mails kommen' },
    english: { text: 'address of the sender' },
  },
  SMTP_FROM_NAME: {
    schema: { type: 'string' },
    check: checkSenderName,
    german: { text: 'Name des Absenders' },
    english: { text: 'name of the sender' },
  },
  SMTP_REPLY_TO: {
    schema: { type: 'string' },
    check: checkAddress,
    german: { text: 'Adresse, an die Antworten gehen', default: 'SMTP_FROM' },
    english: { text: 'address for replies', default: '`SMTP_FROM`' },
  },
  SMTP_CA_FILE: {
    schema: { type: 'string', minLength: 1 },
    german: { text: 'Datei mit dem Zertifikat der eigenen Zertifizierungsstelle (PEM)', default: 'die öffentlichen' },
    english: {
      text: 'PEM file with the CA certificate of the mail server',
      default: "Node's list of public ones",
    },
  },
  WEBHOOK_ALLOW: {
    schema: { type: 'string', default: '' },
    check: checkNetworks,
    german: { text: 'interne Netze (CIDR), in die Webhooks führen dürfen, auch ohne TLS', default: 'keine' },
    english: {
      text: 'internal addresses or CIDR blocks to which webhooks may lead, also without TLS, comma-separated (`docs/webhooks.md`)',
      default: '– (only public addresses, by https)',
    },
  },
  WEB: {
    schema: { type: 'string', enum: ['on', 'off'], default: 'on' },
    german: { text: 'off: nur die API, ohne die Oberfläche' },
    english: { text: '`off`: serves the API without the web app' },
  },
  RATE_LIMIT: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 5_000 },
    german: { text: 'Anfragen je Sekunde und Adresse; 0 schaltet die Grenze ab' },
    english: { text: 'maximum requests per second, client address and process; 0 for no limit' },
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
    english: { text: 'SQL statements that take longer are logged' },
  },
  METRICS_PORT: {
    schema: { type: 'integer', minimum: 0, maximum: 65_535 },
    german: { text: 'Port, an dem Prometheus /metrics liest', default: 'keiner' },
    english: { text: 'separate port that serves `/metrics` for Prometheus' },
  },
  SHUTDOWN_DELAY: {
    schema: { type: 'number', minimum: 0, maximum: 3_600, default: 0 },
    german: { text: 'Sekunden zwischen SIGTERM und dem Ende des Lauschens' },
    english: { text: 'seconds between SIGTERM and closing the listener' },
  },
  SHUTDOWN_GRACE: {
    schema: { type: 'number', minimum: 0, maximum: 3_600, default: 6 },
    german: { text: 'Sekunden danach, bis noch laufende Importe, Uploads und Exporte abgebrochen werden' },
    english: { text: 'seconds from then until imports, uploads and exports that still run are aborted' },
  },
  SHUTDOWN_CLOSE: {
    schema: { type: 'number', minimum: 2, maximum: 3_600, default: 4 },
    german: { text: 'Sekunden danach, die der Dienst höchstens noch läuft' },
    english: { text: 'maximum seconds from then until the process ends' },
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

type TypeOf<Schema> = Schema extends { type: 'boolean' }
  ? boolean
  : Schema extends { type: 'integer' | 'number' }
    ? number
    : string
type IfGiven<Schema> = Schema extends { default: unknown } ? never : undefined

/** Values of all settings by name, after validation */
export type Environment = {
  [Name in SettingName]: TypeOf<(typeof SETTINGS)[Name]['schema']> | IfGiven<(typeof SETTINGS)[Name]['schema']>
}

/** Returns all settings in the order of the documentation. */
export function listSettings(): [name: SettingName, setting: Setting][] {
  return Object.entries(SETTINGS) as [SettingName, Setting][]
}

/** Splits a comma-separated list and omits empty entries. @example listOf('a, b,') // ['a', 'b'] */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Path whose characters need no escaping in a URL or an HTML attribute */
const BASE_PATH = /^\/(?:[\w.~!()*+,;=:@%-]+\/)*$/

/**
 * Returns the path with a trailing slash; undefined if it cannot be a base path.
 * @example asBasePath('/training') // '/training/'
 */
export function asBasePath(text: string): string | undefined {
  const path = text.endsWith('/') ? text : `${text}/`
  // Browsers resolve dot segments, even percent-encoded ones, to another path.
  return BASE_PATH.test(path) && new URL(path, 'http://localhost').pathname === path ? path : undefined
}

function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, pathname } = new URL(text)
  const isPlain = username === '' && password === '' && !/[?#]/.test(text)
  return /^https?:$/.test(protocol) && isPlain && asBasePath(pathname) !== undefined
}

function checkAddress(text: string): string | undefined {
  return isMailAddress(text) ? undefined : 'muss eine E-Mail-Adresse sein, etwa training@example.org'
}

function checkNetworks(text: string): string | undefined {
  const wrong = listOf(text).find((entry) => !isNetwork(entry))
  return wrong === undefined ? undefined : `"${wrong}" ist weder eine IP-Adresse noch ein CIDR-Bereich`
}

function isTimeZone(name: string): boolean {
  try {
    calendarIn(name)
    return true
  } catch {
    return false
  }
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  const bits = family === 6 ? 128 : 32
  const prefixIsFine = prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits)
  return family !== 0 && prefixIsFine && rest.length === 0
}
