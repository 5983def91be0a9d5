import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { readConfig, requireSessionSecret } from '../../src/config.js'
import { listSettings } from '../../src/settings.js'
import { ROOT } from '../support/constants.js'

const SECRET = 'x'.repeat(32)

t.test("the README's table of settings is up to date", async (t) => {
  const rows = listSettings().map(([name, { schema, english }]) => {
    const standard = schema.type === 'string' ? `\`${schema.default}\`` : `${schema.default}`
    const shown = english.default ?? (schema.default === undefined || schema.default === '' ? '–' : standard)
    return `| \`${name}\` | ${shown} | ${english.text} |`
  })
  const files = listSettings().filter(([, { isSecret }]) => isSecret)
  const named = files.map(([name]) => `\`${name}_FILE\``).join(', ')
  rows.push(`| ${named} | – | files that hold the value of the variable without \`_FILE\` |`)
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const [, table] = /\| variable \| default \| meaning \|\n[|-]+\n([\s\S]*?)\n\n/.exec(readme) ?? []
  t.equal(table, rows.join('\n'))
})

t.test('uses the embedded store on the local machine without any variable', async (t) => {
  const config = readConfig({})
  t.match(config, {
    databaseUrl: undefined,
    databasePoolMax: 10,
    databasePrepare: true,
    dataDir: path.resolve('data'),
    importMaxBytes: 64 * 2 ** 20,
    mediaMaxBytes: 2_048 * 2 ** 20,
    tmpDir: tmpdir(),
    sessionSecrets: { length: 0 },
    sessionMaxDays: 30,
    firstAdmin: undefined,
    host: '127.0.0.1',
    port: 3000,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    defaultLanguage: 'de',
    simulatedDate: undefined,
    trustProxy: { length: 0 },
    corsOrigins: { length: 0 },
    publicUrl: undefined,
    basePath: '/',
    web: true,
    rateLimit: 5000,
    logLevel: 'info',
    metricsPort: undefined,
    slowQueryMs: 500,
    shutdownDelay: 0,
    shutdownGrace: 6,
    shutdownClose: 4,
  })
  t.equal(path.basename(config.contentDir), 'content')
  t.strictSame(readConfig({ PORT: '', DATABASE_URL: '', TIME_ZONE: '' }), config, 'an empty variable counts as unset')
})

t.test('reads every variable', async (t) => {
  const config = readConfig({
    DATABASE_URL: 'postgres://user:pass@db.example/training',
    DATABASE_POOL_MAX: '5',
    DATABASE_PREPARE: 'false',
    DATA_DIR: '/srv/data',
    IMPORT_MAX_MB: '5',
    MEDIA_MAX_MB: '0',
    TMP_DIR: '/srv/tmp',
    SESSION_SECRET: `${SECRET}, ${SECRET}y`,
    SESSION_MAX_DAYS: '14',
    ADMIN_USERNAME: 'chef',
    ADMIN_PASSWORD: 'geheim',
    HOST: '0.0.0.0',
    PORT: '8080',
    TIME_ZONE: 'Europe/Berlin',
    DEFAULT_LANGUAGE: 'en',
    SIMULATED_DATE: '2027-01-01',
    TRUST_PROXY: '10.0.0.0/8, ::1',
    CORS_ORIGIN: 'https://app.example.org,http://localhost:5173',
    PUBLIC_URL: 'https://example.org/training',
    BASE_PATH: '/lernen',
    WEB: 'off',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
    METRICS_PORT: '9100',
    SLOW_QUERY_MS: '50',
    SHUTDOWN_DELAY: '2.5',
    SHUTDOWN_GRACE: '0',
    SHUTDOWN_CLOSE: '30',
  })
  t.match(config, {
    databaseUrl: 'postgres://user:pass@db.example/training',
    databasePoolMax: 5,
    databasePrepare: false,
    dataDir: '/srv/data',
    importMaxBytes: 5 * 2 ** 20,
    mediaMaxBytes: 0,
    tmpDir: '/srv/tmp',
    sessionSecrets: [SECRET, `${SECRET}y`],
    sessionMaxDays: 14,
    firstAdmin: { username: 'chef', password: 'geheim' },
    host: '0.0.0.0',
    port: 8080,
    timeZone: 'Europe/Berlin',
    defaultLanguage: 'en',
    simulatedDate: '2027-01-01',
    trustProxy: ['10.0.0.0/8', '::1'],
    corsOrigins: ['https://app.example.org', 'http://localhost:5173'],
    publicUrl: 'https://example.org/lernen/',
    basePath: '/lernen/',
    web: false,
    rateLimit: 0,
    logLevel: 'warn',
    metricsPort: 9100,
    slowQueryMs: 50,
    shutdownDelay: 2.5,
    shutdownGrace: 0,
    shutdownClose: 30,
  })
})

t.test('refuses a wrong value in one line that names the variable', async (t) => {
  for (const [name, ...values] of [
    ['PORT', 'abc', '-1', '65536', '80.5'],
    ['METRICS_PORT', 'abc', '-1', '65536', '3000'],
    ['SLOW_QUERY_MS', 'abc', '-1'],
    ['DATABASE_POOL_MAX', '0', '-3', 'viele'],
    ['DATABASE_URL', 'mysql://x', 'nonsense'],
    ['SESSION_SECRET', 'short', `${SECRET},short`, `${SECRET},`],
    ['SESSION_MAX_DAYS', '0', '366', '1.5', 'immer'],
    ['TIME_ZONE', 'Europe/Atlantis'],
    ['DEFAULT_LANGUAGE', 'fr', 'DE', 'de-DE'],
    ['SIMULATED_DATE', '2027-02-29'],
    ['TRUST_PROXY', 'proxy.example', '10.0.0.0/33', '1', '::1/129', '10.0.0.0/8/8'],
    ['CORS_ORIGIN', 'app.example.org', 'https://app.example.org/', '*'],
    [
      'PUBLIC_URL',
      'example.org',
      'ftp://example.org',
      'https://u:p@example.org',
      'https://example.org/?a',
      'https://x/#',
    ],
    ['PUBLIC_URL', 'https://example.org/a//b', "https://example.org/'", 'https://example.org/a&b'],
    ['BASE_PATH', 'training', './training/', '//evil.example/', '/a/../b', '/a/%2E%2e/', '/a/./b', '/a?b', '/a#b'],
    ['BASE_PATH', '/a"b', "/a'b", '/<b>', '/a&b', '/a b', '/a\\b', '/ü', '/a\nb', '/a//b'],
    ['PASSWORD_LOGIN', 'off', 'false'],
    ['OIDC_SCOPES', 'profile', 'openid,profile', ' openid', ''.padEnd(3), 'openid "'],
    ['SMTP_HOST', 'smtp://mail.example.org', 'mail.example.org:587', 'mail example', '-x', 'a'.repeat(254)],
    ['SMTP_PORT', '0', '65536', 'smtp'],
    ['SMTP_SECURITY', 'tls', 'OFF'],
    ['SMTP_FROM', 'training', 'Training <t@example.org>', 't@example.org\r\nBcc: x@example.org'],
    ['SMTP_REPLY_TO', 'training', '@example.org'],
    ['SMTP_FROM_NAME', 'a\nb', 'x'.repeat(101)],
    ['COMPANY_NAME', ' ', 'a\nb', 'x'.repeat(201)],
    ['COMPANY_LOGO_FILE', '/does/not/exist', ROOT, `${ROOT}package.json`],
    ['SMTP_CA_FILE', '/does/not/exist', `${ROOT}package.json`],
    ['WEB', 'true', 'aus', 'ON'],
    ['RATE_LIMIT', '-1', 'viel', '1.5'],
    ['LOG_LEVEL', 'loud'],
    ['SHUTDOWN_DELAY', '-1', 'bald'],
    ['SHUTDOWN_GRACE', '-1', '3601'],
    ['SHUTDOWN_CLOSE', '1', 'bald'],
    ['CONTENT_DIR', '/does/not/exist', `${process.execPath}`],
    ['ADMIN_USERNAME', 'alone'],
    ['ADMIN_PASSWORD', 'alone'],
  ] as const) {
    for (const value of values) {
      const named = name.startsWith('ADMIN') ? /^ADMIN_(USERNAME|PASSWORD): / : new RegExp(`^${name}: [^\n]+$`)
      t.throws(() => readConfig({ [name]: value }), { message: named }, `${name}=${value}`)
    }
  }
})

t.test('turns mail on with a host and a sender', async (t) => {
  const server = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'training@example.org' }
  const login = { SMTP_USERNAME: 'training', SMTP_PASSWORD: 'geheim' }
  t.equal(readConfig({ SMTP_HOST: 'mail.example.org' }).mail, undefined)
  t.equal(readConfig({ SMTP_FROM: 'training@example.org', ...login }).mail, undefined)
  t.strictSame(readConfig(server).mail, {
    host: 'mail.example.org',
    port: 587,
    security: 'starttls',
    login: undefined,
    from: 'training@example.org',
    fromName: undefined,
    replyTo: undefined,
    company: undefined,
    ca: undefined,
  })
  const more = { SMTP_PORT: '465', SMTP_SECURITY: 'force_tls', SMTP_FROM_NAME: 'Lüke GmbH', SMTP_REPLY_TO: 'hr@firma' }
  t.match(readConfig({ ...server, ...login, ...more, SMTP_HOST: 'fd00::25' }).mail, {
    host: 'fd00::25',
    port: 465,
    security: 'force_tls',
    login: { username: 'training', password: 'geheim' },
    fromName: 'Lüke GmbH',
    replyTo: 'hr@firma',
  })
  t.throws(() => readConfig({ ...server, SMTP_USERNAME: 'training' }), { message: /^SMTP_PASSWORD: fehlt/ })
  t.throws(() => readConfig({ ...server, SMTP_PASSWORD: 'geheim' }), { message: /^SMTP_USERNAME: fehlt/ })
})

const OIDC = {
  OIDC_ISSUER: 'https://login.example.org/realms/firma',
  OIDC_CLIENT_ID: 'training',
  OIDC_CLIENT_SECRET: 'geheim',
  PUBLIC_URL: 'https://training.example.org',
}

t.test('requires a complete provider configuration', async (t) => {
  t.match(readConfig({}), { oidc: undefined, passwordLogin: true })
  t.match(readConfig({ OIDC_LABEL: 'Firma', OIDC_CREATE_USERS: 'false' }), { oidc: undefined })
  t.strictSame(readConfig(OIDC).oidc, {
    issuer: 'https://login.example.org/realms/firma',
    clientId: 'training',
    clientSecret: 'geheim',
    scopes: 'openid profile email',
    claims: {
      usernameClaim: 'preferred_username',
      nameClaim: 'name',
      admin: undefined,
      author: undefined,
      auditor: undefined,
      groupsClaim: undefined,
      personnelClaim: undefined,
    },
    createUsers: true,
    linkByUsername: false,
    label: 'Firmenkonto',
    recheck: undefined,
  })
  const rechecked = readConfig({ ...OIDC, OIDC_RECHECK_DAYS: '7' }).oidc
  t.strictSame(rechecked?.recheck, {
    issuers: ['https://login.example.org/realms/firma', 'https://login.example.org/realms/firma/'],
    days: 7,
  })
  t.throws(() => readConfig({ OIDC_RECHECK_DAYS: '7' }), /OIDC_ISSUER: fehlt, obwohl OIDC_RECHECK_DAYS gesetzt ist/)
  const more = {
    OIDC_SCOPES: 'openid groups',
    OIDC_USERNAME_CLAIM: 'upn',
    OIDC_NAME_CLAIM: 'cn',
    OIDC_ADMIN_CLAIM: 'groups',
    OIDC_AUTHOR_CLAIM: 'roles',
    OIDC_AUTHOR_VALUE: 'authors',
    OIDC_AUDITOR_CLAIM: 'roles',
    OIDC_AUDITOR_VALUE: 'auditors',
    OIDC_ADMIN_VALUE: 'admins',
    OIDC_CREATE_USERS: 'false',
    OIDC_LINK_BY_USERNAME: 'true',
    OIDC_LABEL: 'Firma',
  }
  t.match(readConfig({ ...OIDC, ...more, PASSWORD_LOGIN: 'off' }), {
    passwordLogin: false,
    oidc: {
      scopes: 'openid groups',
      claims: {
        usernameClaim: 'upn',
        nameClaim: 'cn',
        admin: { claim: 'groups', value: 'admins' },
        author: { claim: 'roles', value: 'authors' },
        auditor: { claim: 'roles', value: 'auditors' },
      },
      createUsers: false,
      linkByUsername: true,
      label: 'Firma',
    },
  })
  for (const issuer of ['http://127.0.0.1:8080/realms/a', 'http://localhost', 'http://[::1]:9/']) {
    t.equal(readConfig({ ...OIDC, OIDC_ISSUER: issuer }).oidc?.issuer, issuer)
  }
  for (const [change, named] of [
    [{ OIDC_ISSUER: '' }, 'OIDC_ISSUER'],
    [{ OIDC_CLIENT_ID: '' }, 'OIDC_CLIENT_ID'],
    [{ OIDC_CLIENT_SECRET: '' }, 'OIDC_CLIENT_SECRET'],
    [{ PUBLIC_URL: '' }, 'PUBLIC_URL'],
    [{ OIDC_ADMIN_CLAIM: 'groups' }, 'OIDC_ADMIN_VALUE'],
    [{ OIDC_ADMIN_VALUE: 'admins' }, 'OIDC_ADMIN_CLAIM'],
    [{ OIDC_AUTHOR_CLAIM: 'groups' }, 'OIDC_AUTHOR_VALUE'],
    [{ OIDC_AUTHOR_VALUE: 'authors' }, 'OIDC_AUTHOR_CLAIM'],
    [{ OIDC_AUDITOR_CLAIM: 'groups' }, 'OIDC_AUDITOR_VALUE'],
    [{ OIDC_ISSUER: 'http://login.example.org' }, 'OIDC_ISSUER'],
    [{ OIDC_ISSUER: 'login.example.org' }, 'OIDC_ISSUER'],
    [{ OIDC_ISSUER: 'https://u:p@login.example.org' }, 'OIDC_ISSUER'],
    [{ OIDC_ISSUER: 'https://login.example.org/?a' }, 'OIDC_ISSUER'],
  ] as const) {
    t.throws(() => readConfig({ ...OIDC, ...change }), { message: new RegExp(`^${named}: [^\n]+$`) }, named)
  }
})

t.test('derives the base path from the public address, with slashes at both ends', async (t) => {
  for (const [PUBLIC_URL, BASE_PATH, publicUrl, basePath] of [
    ['https://example.org', '', 'https://example.org/', '/'],
    ['https://Example.org:443/training', '', 'https://example.org/training/', '/training/'],
    ['http://intern:8080/a/b.c/', '', 'http://intern:8080/a/b.c/', '/a/b.c/'],
    ['https://example.org/training/', '/', 'https://example.org/', '/'],
    ['', '/%C3%BCbung', undefined, '/%C3%BCbung/'],
    ['', '/', undefined, '/'],
  ] as const) {
    t.match(readConfig({ PUBLIC_URL, BASE_PATH }), { publicUrl, basePath }, `${PUBLIC_URL} ${BASE_PATH}`)
  }
})

t.test('applies the rules of user creation to the first administrator', async (t) => {
  const read = (username: string, password: string) =>
    readConfig({ ADMIN_USERNAME: username, ADMIN_PASSWORD: password }).firstAdmin
  t.strictSame(read('chef', '😀'.repeat(6)), { username: 'chef', password: '😀'.repeat(6) })
  for (const [username, password, named] of [
    ['chef', '12345', /^ADMIN_PASSWORD: Passwort muss mindestens 6 Zeichen haben$/],
    ['chef', 'x'.repeat(1001), /^ADMIN_PASSWORD: [^\n]+$/],
    ['  ', 'geheim-genug', /^ADMIN_USERNAME: [^\n]+$/],
    ['x'.repeat(201), 'geheim-genug', /^ADMIN_USERNAME: [^\n]+$/],
  ] as const) {
    t.throws(() => read(username, password), { message: named })
  }
})

t.test('names the TLS mode that pg actually uses', async (t) => {
  const read = (query: string) => readConfig({ DATABASE_URL: `postgres://db.example/training?${query}` }).databaseUrl
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    t.equal(read(`a=1&sslmode=${mode}`), 'postgres://db.example/training?a=1&sslmode=verify-full')
  }
  for (const query of ['sslmode=disable', 'sslmode=require&uselibpqcompat=true']) t.match(read(query), `?${query}`)
})

t.test('requires a session secret with a server', async (t) => {
  const databaseUrl = 'postgres://db.example/training'
  t.throws(() => requireSessionSecret(readConfig({ DATABASE_URL: databaseUrl })), { message: /^SESSION_SECRET: / })
  t.doesNotThrow(() => requireSessionSecret(readConfig({ DATABASE_URL: databaseUrl, SESSION_SECRET: SECRET })))
  t.doesNotThrow(() => requireSessionSecret(readConfig({})))
})

t.test('reads secrets from files without the last newline', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-training-secrets-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = (name: string, content: string) => {
    writeFileSync(path.join(folder, name), content)
    return path.join(folder, name)
  }
  const config = readConfig({
    DATABASE_URL_FILE: file('url', 'postgres://db/training\n'),
    SESSION_SECRET_FILE: file('secret', `${SECRET}\r\n`),
    ADMIN_USERNAME: 'chef',
    ADMIN_PASSWORD_FILE: file('password', ' mit Rand \n\n'),
  })
  t.match(config, {
    databaseUrl: 'postgres://db/training',
    sessionSecrets: [SECRET],
    firstAdmin: { username: 'chef', password: ' mit Rand \n' },
  })
  const refused = (variables: Record<string, string>, message: RegExp) =>
    t.throws(() => readConfig(variables), { name: 'Error', message })
  refused({ SESSION_SECRET_FILE: path.join(folder, 'nowhere') }, /^SESSION_SECRET_FILE: .*nicht lesbar \(ENOENT\)$/)
  refused({ SESSION_SECRET_FILE: file('empty', '\n') }, /^SESSION_SECRET_FILE: .*leer$/)
  refused(
    { SESSION_SECRET: SECRET, SESSION_SECRET_FILE: file('both', SECRET) },
    /^SESSION_SECRET_FILE: .*auch gesetzt$/,
  )
})
