import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import pg from 'pg'
import { PNG } from 'pngjs'
import { migrateToLatest } from '../../db/migrate.js'
import { migrations } from '../../db/migrations/index.js'
import { claimMail, insertMails } from '../../db/queries/mail/outbox.js'
import { listOpenTasks } from '../../db/queries/mail/recipients.js'
import type { Database } from '../../db/types.js'
import { buildApp } from '../../src/app.js'
import { type Logo, parseLogo } from '../../src/domain/company/logo.js'
import { planDigests, planDueCards, planReminders } from '../../src/services/mail/plan-mails.js'
import { Authenticator } from './authenticator.js'
import { ROOT, SECRET } from './constants.js'
import { changeFiles, deckFile } from './content.js'
import { createDatabase, onServer, openOnServer } from './database.js'
import { createUser, PASSWORD } from './factories.js'
import { CLIENT_ID, type IdentityProvider, startIdentityProvider } from './identity-provider.js'
import { startMailServer } from './mail-server.js'
import type { Json } from './openapi.js'
import { gifOf, targetOf } from './pictures.js'
import { CONFIG, callerOf, cookieOf, type ServiceResponse } from './service.js'
import { oidcSettings } from './sign-in.js'
import { type PublishedTest, publishTest, rightAnswerTo } from './taken-tests.js'
import { zipOf } from './upload-packages.js'

/**
 * Folder of the recordings of released versions: `NNNN.sql` and `NNNN.statements.json`, where NNNN is the number of the
 * newest migration
 */
export const RECORDINGS = path.join(ROOT, 'test', 'versions')

/** An origin that supports passkeys */
const ORIGIN = 'http://localhost:3000'

interface Statement {
  sql: string
  values: unknown[]
}

const TRANSACTION = /^\s*(begin|start|commit|rollback|savepoint|release|set)\b/i

/** Returns the recorded versions, oldest first. */
export async function listVersions(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.flatMap((file) => /^(\d{4})\.sql$/.exec(file)?.[1] ?? []).sort()
}

export async function loadVersion(db: Kysely<Database>, folder: string, version: string): Promise<void> {
  const dump = await readFile(path.join(folder, `${version}.sql`), 'utf8')
  await db.connection().execute(async (connection) => {
    await sql.raw(dump).execute(connection)
    // The dump clears the search path of the session.
    await sql`set search_path to "$user", public`.execute(connection)
  })
}

/**
 * Runs the statements of a version in their order, because later ones need the rows of earlier ones. Returns the number
 * of statements.
 */
export async function replayVersion(db: Kysely<Database>, folder: string, version: string): Promise<number> {
  const text = await readFile(path.join(folder, `${version}.statements.json`), 'utf8')
  const statements: Statement[] = JSON.parse(text)
  for (const statement of statements) {
    try {
      await db.executeQuery(CompiledQuery.raw(statement.sql, statement.values))
    } catch (error) {
      throw new Error(`version ${version} cannot: ${statement.sql}`, { cause: error })
    }
  }
  return statements.length
}

export async function readRows(db: Kysely<Database>): Promise<Record<string, Json[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'
    order by table_name`.execute(db)
  const found: Record<string, Json[]> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ row: Json }>`select to_jsonb(entry) as row from ${sql.table(name)} as entry`.execute(
      db,
    )
    found[name] = rows.map(({ row }) => row)
  }
  return found
}

/**
 * Records this version: the dump of a small store, and the statements that the service sends while each endpoint is
 * called at least once. Omits statements that control transactions. Needs a PostgreSQL server and its `pg_dump`.
 * @returns number of the newest migration
 */
export async function recordVersion(serverUrl: string, folder: string): Promise<string> {
  const version = Object.keys(migrations).sort().at(-1)?.slice(0, 4) ?? ''
  const name = `record_${randomBytes(6).toString('hex')}`
  const databaseUrl = await createDatabase(serverUrl, name)
  let statements: Statement[] = []
  const database = await openOnServer(databaseUrl, {
    poolMax: 1,
    onQuery: ({ sql, values }) => {
      if (!TRANSACTION.test(sql)) statements.push({ sql, values: values.map(toJson) })
    },
  })
  const contentDir = await mkdtemp(path.join(tmpdir(), 'svc-training-recording-'))
  const ends: (() => unknown)[] = []
  const owner = { teardown: (end: () => unknown) => ends.push(end) }
  const provider = await startIdentityProvider(owner, `${ORIGIN}/api/auth/oidc/callback`)
  const mailServer = await startMailServer(owner)
  try {
    await migrateToLatest(database.db)
    const app = await buildApp({
      config: {
        ...CONFIG,
        contentDir,
        companyLogo: LOGO,
        mail: mailServer.settings(),
        publicUrl: `${ORIGIN}/`,
        oidc: oidcSettings(provider, `${ORIGIN}/`, { OIDC_GROUPS_CLAIM: 'groups' }),
      },
      sessionSecrets: [SECRET],
      database,
      logger: false,
      // The limit is high, so that the service does not refuse requests on a busy machine.
      maxDelayMs: 60_000,
    })
    await app.ready()
    await createUser(database.db, { username: 'chef', is_admin: true })
    await createUser(database.db, { username: 'erika' })
    await writeContent(contentDir, 'Legt Änderungen beiseite.')
    await callAll(app, provider)
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, `${version}.sql`), await dump(databaseUrl))
    statements = []
    await writeContent(contentDir, 'Legt Änderungen auf einen Stapel.')
    await callAll(app, provider)
    await app.close()
  } finally {
    for (const end of ends) await end()
    await rm(contentDir, { recursive: true })
    await onServer(serverUrl, `drop database ${name} with (force)`)
  }
  await writeFile(path.join(folder, `${version}.statements.json`), `${JSON.stringify(statements, null, 1)}\n`)
  return version
}

const PICTURE = gifOf('version')
const LOGO = parseLogo(PNG.sync.write(new PNG({ width: 1, height: 1 }))) as Logo

async function writeContent(folder: string, answer: string): Promise<void> {
  await changeFiles(folder, {
    'decks/git.md': deckFile('Git', [
      { id: 'stash', question: 'Was macht git stash?', answer },
      { id: 'log' },
      { id: 'reset' },
      { id: 'neu', question: answer },
    ]),
    'cheatsheets/git.md': `---\ntitle: Git-Befehle\ncategory: Git\n---\n# Git\n\n${answer}\n\n![Baum](baum.gif)\n`,
  })
  await writeFile(path.join(folder, 'cheatsheets', 'baum.gif'), PICTURE)
  await changeFiles(folder, { 'cheatsheets/uebernommen.md': `---\ntitle: Übernommen\n---\n${answer}\n` })
}

const FILE = { 'content-type': 'application/octet-stream' }

/** Calls every operation of the OpenAPI document at least once, with or without a login. */
async function callAll(app: FastifyInstance, provider: IdentityProvider): Promise<void> {
  const called: string[] = []
  const callerFor = (cookie?: string) => async (method: string, url: string, payload?: object, headers?: object) => {
    const options = { method, url, ...(payload && { payload }), ...(headers && { headers }) } as InjectOptions
    const response = await callerOf(app, cookie).send(options)
    if (response.status >= 400) throw new Error(`${method} ${url}: ${response.text}`)
    called.push(`${method.toLowerCase()} ${url.split('?', 1)[0]}`)
    return response
  }
  const anonymous = callerFor()
  const logIn = async (username: string) => {
    const { headers } = await anonymous('POST', '/api/auth/login', { username, password: PASSWORD })
    return callerFor(String(headers['set-cookie']).split(';', 1)[0])
  }
  const signIn = async (sub: string, groups: string[]) => {
    provider.person = { sub, preferred_username: sub, name: `Person ${randomBytes(3).toString('hex')}`, groups }
    const start = await callerFor()('GET', '/api/auth/oidc/start')
    const pending = String(start.headers['set-cookie']).split(';', 1)[0]
    const back = await provider.follow(String(start.headers.location))
    return cookieOf(await callerFor(pending)('GET', back.slice(ORIGIN.length)))
  }
  const link = async (sub: string, cookies: string) => {
    provider.person = { sub, preferred_username: sub }
    const headers = { origin: ORIGIN }
    const cookieIn = ({ headers }: { headers: object }) =>
      String((headers as Record<string, unknown>)['set-cookie']).split(';', 1)[0]
    const begun = await callerFor(cookies)('POST', '/api/auth/oidc/link', {}, headers)
    const back = await provider.follow(begun.body.redirect)
    const asked = await callerFor(`${cookies}; ${cookieIn(begun)}`)('GET', back.slice(ORIGIN.length))
    const set = [asked.headers['set-cookie']].flat().map(String)
    const pending = set.find((one) => one.includes('_link='))?.split(';', 1)[0]
    const last = callerFor(`${cookies}; ${pending}`)
    const { identity } = (await last('GET', '/api/auth/oidc/link')).body
    await last('POST', '/api/auth/oidc/identities', { subject: identity.subject }, headers)
    return cookies
  }
  const sendForm = async (url: string, form: URLSearchParams) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await callerOf(app).send({ method: 'POST', url, payload: form.toString(), headers })
    if (response.status >= 400) throw new Error(`POST ${url}: ${response.text}`)
    called.push(`post ${url}`)
  }
  for (const url of ['/openapi.json', '/healthz', '/readyz', '/api/auth/methods', '/api/auth/logo'])
    await anonymous('GET', url)

  const admin = await logIn('chef')
  await admin('POST', '/api/content/check')
  await admin('POST', '/api/admin/import')
  await admin('GET', '/api/content/state')
  await admin('GET', '/api/admin/users')
  const newUser = { username: 'neu', display_name: 'Neu', password: PASSWORD }
  const { id } = (await admin('POST', '/api/admin/users', newUser)).body
  await admin('GET', `/api/accounts/${id}`)
  await admin('PATCH', `/api/accounts/${id}`, { display_name: 'Neuer', password: PASSWORD, link_next_login: true })
  for (const kind of ['sessions', 'tokens']) {
    await admin('GET', `/api/accounts/${id}/${kind}`)
    await admin('DELETE', `/api/accounts/${id}/${kind}/1`)
    await admin('DELETE', `/api/accounts/${id}/${kind}`)
  }
  await admin('DELETE', `/api/accounts/${id}/passkeys`)
  await admin('DELETE', `/api/accounts/${id}/identities`)
  await admin('PATCH', `/api/accounts/${id}`, { external_id: 'P-1' })
  await admin('GET', '/api/accounts/by-external-id/P-1')
  await admin('PUT', '/api/accounts/by-external-id/P-1', { username: 'neuer', extra_time_percent: 10 })
  await admin('DELETE', `/api/admin/users/${id}`)
  const { user } = (await admin('PUT', '/api/accounts/by-external-id/P-1', { username: 'neu' })).body
  await admin('DELETE', `/api/admin/users/${user.id}`)
  await admin('GET', '/api/accounts/audit')
  await admin('GET', '/api/accounts/audit?action=user.create&actor=chef&before=1000')
  await admin('GET', '/api/accounts?q=e&sort=last_seen_on&order=desc')
  await admin('GET', '/api/accounts/service')
  await admin('GET', '/api/accounts/privacy')
  await admin('GET', '/api/setup')
  await admin('PUT', '/api/setup/teams', { dismissed: true })
  await callWebhooks(app.db, admin)
  const { users } = (await admin('POST', '/api/accounts/bulk', { users: [{ username: 'liste' }] })).body
  await admin('PATCH', `/api/accounts/${users[0].id}`, { must_change_password: false })
  const renamed = { users: [{ username: 'liste', display_name: 'Neuer', personnel_number: '00418' }] }
  await admin('POST', '/api/accounts/bulk?mode=update&check=true&missing=disable', renamed)
  await admin('POST', '/api/accounts/bulk?mode=update', renamed)
  await admin('DELETE', `/api/admin/users/${users[0].id}`)

  // Each way of removing a source needs a source that still exists.
  for (const [index, end] of ['/release', '?purge=true', ''].entries()) {
    const table = Buffer.from(`id;Frage;Antwort\n${index};Was?;Das.\n${index}0;Wer?;Der.\n`)
    const file = (query: string) => admin('POST', `/api/content/imports?${query}`, table, FILE)
    const { source } = (await file(`name=Tabelle.csv&new=true`)).body
    await file(`name=Tabelle.csv&source=${source.id}&check=true`)
    await admin(end === '/release' ? 'POST' : 'DELETE', `/api/content/sources/${source.id}${end}`)
  }
  for (const answer of ['Viel', 'Mehr']) {
    const zip = await zipOf({
      'decks/pool.md': deckFile('Pool', [{ id: 'a', answer: `${answer}\n\n- [ ] Wenig` }], { tests_only: true }),
      'cheatsheets/entwurf.md': `---\ndraft: true\n---\n# ${answer}\n`,
    })
    const file = (query: string) => admin('POST', `/api/content/imports?${query}`, zip, FILE)
    const { sources } = (await admin('GET', '/api/content/sources')).body
    const known = sources.find(({ kind }: { kind: string }) => kind === 'archive')
    const { source } = (await file(known === undefined ? 'name=Archiv.zip' : `source=${known.id}`)).body
    await admin('GET', `/api/content/export?source=${source.id}`)
  }
  await callEditing(admin)
  await callScim(admin, anonymous)
  await admin('GET', '/api/content/sources')

  const learner = await logIn('erika')
  await learner('PATCH', '/api/accounts/me', { display_name: 'Erika', language: 'de' })
  await learner('GET', '/api/accounts/me')
  const get = (url: string) => learner('GET', `/api/${url}`)
  for (const url of ['decks', 'decks/git', 'decks/export-anki', 'quiz/generate', 'quiz/generate?deck=git'])
    await get(url)
  await learner('POST', '/api/quiz/submit', { total: 8, correct: 1, deck: 'git' })
  for (const url of [
    'quiz/history',
    'cheatsheets',
    'cheatsheets/git',
    'cheatsheets/search?q=stash',
    'search?q=Stapeln',
    'search?q=stsah',
    'auth/me',
  ]) {
    await get(url)
  }

  await learner('PUT', '/api/review/settings', { new_per_day: 30 })
  await learner('POST', '/api/review/extra', { cards: 2 })
  const { cards } = (await get('review/queue?deck=git')).body
  const card = `/api/review/cards/${cards[0].card_id}`
  const rate = (rating: string) => learner('POST', '/api/review', { card_id: cards[0].card_id, rating })
  await rate('medium')
  const { review_id } = (await rate('again')).body
  await learner('DELETE', `/api/review/${review_id}`)
  for (const url of [
    'cards?state=due',
    'cards?state=new',
    'cards',
    'cards?q=stash',
    'history?deck=git',
    'stats',
    'settings',
    'queue',
    'decks',
  ]) {
    await get(`review/${url}`)
  }
  for (const query of ['format=apkg&progress=true', 'format=apkg', 'format=csv&deck=git', 'format=markdown']) {
    await get(`content/export?${query}`)
  }
  const reviews = [{ card_id: cards[0].card_id, rating: 'hard', reviewed_at: '2026-11-20T08:00:00Z' }]
  await learner('POST', '/api/review/batch', { reviews })
  await learner('POST', `/api/review/cards/${cards[1].card_id}/tomorrow`, {})
  await learner('PUT', `${card}/note`, { text: 'Eselsbrücke' })
  await learner('PUT', `${card}/note`, { text: '' })
  await learner('PUT', '/api/review/decks/git', { desired_retention: 0.95 })
  await learner('PUT', '/api/review/decks/git', { desired_retention: null })
  await get('review/settings/fit')
  await learner('DELETE', '/api/review/settings/fit')
  await learner('PUT', '/api/review/decks/git', { active: false })
  await learner('PUT', '/api/review/decks/git', { active: true })
  await learner('GET', card)
  await get(`review/history?card=${cards[0].card_id}`)
  await learner('POST', `${card}/suspend`)
  await learner('DELETE', `${card}/suspend`)
  await learner('POST', `${card}/reset`)
  const report = (await learner('POST', `${card}/reports`, { text: 'Die Antwort ist veraltet.' })).body
  await admin('GET', '/api/content/reports?state=open')
  for (const settled of [true, false, true]) await admin('PATCH', `/api/content/reports/${report.id}`, { settled })
  const suggestion = { question: 'Besser?', answer: 'Ja.' }
  const suggested = (await learner('POST', `${card}/reports`, { suggestion })).body
  await admin('PATCH', `/api/content/reports/${suggested.id}`, { accept: true })
  await admin('PATCH', `/api/content/reports/${suggested.id}`, { decline: 'Das steht schon da.' })
  await get('review/reports')
  for (const caller of [admin, learner]) await caller('GET', `/api/content/${targetOf(PICTURE)}`)
  await rate('easy')
  const { cards: all } = (await admin('GET', '/api/review/cards')).body
  const cardIds: number[] = Array.from({ length: 6 }, () => all[0].card_id)
  const test = await publishTest(app.db, {}, { cardIds })
  await takeTest(learner, test)
  await admin('GET', `/api/content/tests/${test.slug}/statistics`)
  await admin('GET', `/api/content/tests/${test.slug}/versions`)

  const group = await callTeams(admin, learner)
  await callAssignments(app.db, admin, learner, { test, deck: 'git', sheet: 'git' })
  await callMail(app.db, admin, learner)
  const token = (await learner('POST', '/api/auth/tokens', { name: 'Skript', expires_in_days: 9 })).body
  await get('auth/tokens')
  const { user: owner } = (await learner('GET', '/api/auth/me')).body
  await admin('PATCH', `/api/accounts/${owner.id}/tokens/${token.id}`, { is_service: true })
  await learner('DELETE', `/api/auth/tokens/${token.id}`)
  const authenticator = new Authenticator(ORIGIN, 'localhost')
  const creation = (await learner('POST', '/api/auth/passkeys/options')).body
  const made = { name: 'Telefon', credential: authenticator.register(creation) }
  const passkey = (await learner('POST', '/api/auth/passkeys', made)).body
  await get('auth/passkeys')
  const asked = (await anonymous('POST', '/api/auth/passkeys/login-options')).body
  await anonymous('POST', '/api/auth/passkeys/login', { credential: authenticator.logIn(asked) })
  for (const passkey_only of [true, false]) await learner('PATCH', '/api/accounts/me', { passkey_only })
  await get('accounts/me/data')
  await learner('DELETE', `/api/auth/passkeys/${passkey.id}`)
  const other = 'ein anderes Passwort'
  const changed = await learner('POST', '/api/auth/password', { current_password: PASSWORD, new_password: other })
  const back = { current_password: other, new_password: PASSWORD }
  const successor = callerFor(cookieOf(await callerFor(cookieOf(changed))('POST', '/api/auth/password', back)))
  await logIn('erika')
  const { sessions } = (await successor('GET', '/api/accounts/me/sessions')).body
  await successor('DELETE', `/api/accounts/me/sessions/${sessions[0].id}`)
  await successor('POST', '/api/auth/confirm', { password: PASSWORD })
  await successor('POST', '/api/auth/logout')
  const again = await logIn('erika')
  await again('DELETE', '/api/accounts/me/sessions')

  const pia = await signIn('pia', [group])
  const login = await anonymous('POST', '/api/auth/login', { username: 'erika', password: PASSWORD })
  const linked = callerFor(await link('erika-1', cookieOf(login) ?? ''))
  const { identities } = (await linked('GET', '/api/auth/oidc/identities')).body
  await linked('DELETE', `/api/auth/oidc/identities/${identities[0].id}`)
  const claims = { iss: provider.issuer, aud: CLIENT_ID, iat: Math.floor(Date.now() / 1000), sub: 'pia' }
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const logout_token = await provider.key.sign({ ...claims, jti: randomBytes(9).toString('hex'), events })
  await sendForm('/api/auth/oidc/back-channel-logout', new URLSearchParams({ logout_token }))
  await callerFor(pia)('POST', '/api/auth/oidc/logout')

  const missing = Object.entries<Json>(app.swagger().paths as Json).flatMap(([path, operations]) => {
    const pattern = path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')
    return Object.keys(operations)
      .filter((method) => !called.some((call) => new RegExp(`^${method} ${pattern}$`).test(call)))
      .map((method) => `${method} ${path}`)
  })
  if (missing.length > 0) throw new Error(`no call in callAll of test/support/versions.ts for ${missing.join(', ')}`)
}

type Send = (method: string, url: string, payload?: object, headers?: object) => Promise<ServiceResponse>

async function takeTest(learner: Send, { slug }: PublishedTest): Promise<void> {
  await learner('GET', '/api/tests')
  await learner('GET', '/api/tests/practice?deck=git')
  await learner('GET', `/api/tests/${slug}`)
  const client_id = randomBytes(9).toString('hex')
  const { attempt } = (await learner('POST', `/api/tests/${slug}/attempts`, { client_id })).body
  const path = `/api/tests/attempts/${attempt.id}`
  await learner('GET', path)
  for (const question of attempt.questions) {
    await learner('PUT', `${path}/answers/${question.slot}`, { seq: 1, answer: rightAnswerTo(question) })
  }
  await learner('POST', `${path}/submit`)
  await learner('GET', `${path}/review`)
  await learner('POST', `${path}/reports`, { slot: 0, text: 'Die Frage ist veraltet.' })
}

/** Calls the operations of teams. Returns the provider group of a team that remains. */
async function callTeams(admin: Send, learner: Send): Promise<string> {
  const name = `Team ${randomBytes(6).toString('hex')}`
  const { team } = (await admin('POST', '/api/teams', { name, external_group: `${name} alt` })).body
  const { user } = (await learner('GET', '/api/auth/me')).body
  const [url, member] = [`/api/teams/${team.id}`, `/api/teams/${team.id}/members/${user.id}`]
  await admin('PUT', member, { role: 'lead' })
  for (const path of ['/api/teams', url]) await learner('GET', path)
  await admin('DELETE', member)
  await admin('DELETE', member)
  await admin('PATCH', url, { external_group: name })
  await admin('PUT', `/api/teams/by-external-id/${encodeURIComponent(name)}`, { name: `${name} c` })
  const external = (await admin('GET', `/api/teams/by-external-id/${encodeURIComponent(name)}`)).body.team
  await admin('DELETE', `/api/teams/${external.id}`)
  const users = [{ username: 'liste', team: name }]
  const [listed] = (await admin('POST', '/api/accounts/bulk', { users })).body.users
  for (const teams of [[], [name]]) {
    await admin('POST', '/api/accounts/bulk?mode=update', { users: [{ username: 'liste', teams }] })
  }
  await admin('DELETE', `/api/admin/users/${listed.id}`)
  const other = (await admin('POST', '/api/teams', { name: `${name} b` })).body.team
  await admin('DELETE', `/api/teams/${other.id}`)
  return name
}

async function callWebhooks(db: Kysely<Database>, admin: Send): Promise<void> {
  const given = { name: 'Personalsystem', url: 'https://name.invalid/', events: ['proof.issued'], include_names: true }
  const { webhook } = (await admin('POST', '/api/webhooks', { ...given, client_id: 'webhook-1' })).body
  const url = `/api/webhooks/${webhook.id}`
  await admin('GET', '/api/webhooks')
  await admin('GET', url)
  await admin('PATCH', url, { paused: true, new_secret: true })
  // Refused without a lookup of a name.
  await db.updateTable('webhooks').set({ url: 'https://127.0.0.1/' }).where('id', '=', webhook.id).execute()
  await admin('POST', `${url}/test`)
  const { deliveries } = (await admin('GET', `${url}/deliveries?after=1000000`)).body
  await admin('POST', `${url}/deliveries/${deliveries[0].id}/send`)
  await admin('DELETE', url)
}

async function callMail(db: Kysely<Database>, admin: Send, learner: Send): Promise<void> {
  const { user } = (await admin('GET', '/api/auth/me')).body
  const [id] = await db.transaction().execute((transaction) =>
    insertMails(transaction, [
      {
        user_id: user.id,
        kind: 'confirm_address',
        day: '2026-01-01',
        address: 'chef@example.org',
        subject: 'Aufgaben',
        body: 'Hallo',
        next_attempt_at: new Date('2026-01-01'),
      },
    ]),
  )
  await db.updateTable('mails').set({ state: 'unknown' }).execute()
  await admin('POST', `/api/mail/outbox/${id}/resend`)
  await admin('GET', '/api/mail/outbox')
  await admin('POST', '/api/mail/test', { to: 'chef@example.org' })

  await learner('GET', '/api/mail/mine')
  const email = 'lena@example.org'
  await learner('POST', '/api/mail/address', { email })
  await learner('DELETE', '/api/mail/address/pending')
  await learner('POST', '/api/mail/address', { email })
  const { body } = await db
    .selectFrom('mails')
    .select('body')
    .where('address', '=', email)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  await learner('POST', '/api/mail/confirm', { token: /bestaetigen#(\S+)/.exec(body ?? '')?.[1] })
  await learner('DELETE', '/api/mail/address')
  await learner('PUT', '/api/mail/due-cards', { on: true })
  await learner('POST', `/api/mail/unsubscribe?key=${'a'.repeat(43)}`)

  const now = { at: new Date('2026-01-05T08:00:00Z'), today: '2026-01-05' }
  const planning = {
    moment: () => now,
    timeZone: 'Europe/Berlin',
    issuer: null,
    userId: undefined,
    address: 'http://localhost/',
    defaultLanguage: 'de' as const,
    beforeBatch: async () => {},
  }
  for (const plan of [planReminders, planDigests, planDueCards]) await plan(db, planning)
  await listOpenTasks(db, [user.id], now.today)
  await claimMail(db, { at: new Date('2099-01-01') }, now.at)
}

async function callAssignments(
  db: Kysely<Database>,
  admin: Send,
  learner: Send,
  { test, deck, sheet }: { test: PublishedTest; deck: string; sheet: string },
): Promise<void> {
  const { user } = (await learner('GET', '/api/auth/me')).body
  const { user: boss } = (await admin('GET', '/api/auth/me')).body
  const parts = [
    { kind: 'sheet', slug: sheet },
    { kind: 'test', slug: test.slug },
    { kind: 'deck', slug: deck, share_percent: 10 },
    { kind: 'personal', title: 'Rundgang' },
  ]
  const { team } = (await admin('POST', '/api/teams', { name: `Team ${randomBytes(6).toString('hex')}` })).body
  await admin('PUT', `/api/teams/${team.id}/members/${user.id}`, { role: 'lead' })
  const values = { title: 'Brandschutz', parts, starts: '2026-01-01', due: '2026-06-30', recurrence: null }
  const body = { ...values, audience: { user_ids: [user.id, boss.id], team_ids: [team.id] } }
  const { assignment } = (await admin('POST', '/api/assignments', { ...body, mandatory: true, retention_years: 2 }))
    .body
  await admin('GET', '/api/assignments/templates')
  await admin('POST', '/api/assignments/reach', { audience: body.audience })
  const url = `/api/assignments/${assignment.id}`
  await learner('GET', url)
  const since = `changed_since=${new Date().toISOString()}`
  for (const caller of [admin, learner]) {
    await caller('GET', '/api/assignments')
    await caller('GET', '/api/assignments/urgent')
    await caller('GET', `${url}/occurrences`)
    await caller('GET', `${url}/list.pdf`)
    for (const list of [`${url}/occurrences`, '/api/teams']) await caller('GET', `${list}?${since}`)
  }
  for (const list of ['/api/accounts', '/api/proofs']) await admin('GET', `${list}?${since}`)
  await admin('GET', `${url}/occurrences?q=a&overdue=true&missing=test`)
  await admin('GET', `${url}/occurrences.csv`)
  const own = async (caller: Send) => (await caller('GET', '/api/assignments/mine')).body.occurrences[0].id
  const occurrences = '/api/assignments/occurrences'
  const [mine, others] = [await own(admin), await own(learner)]
  const until = '2099-01-01'
  await learner('POST', `${occurrences}/${others}/confirm`, { part: 0 })
  await admin('POST', `${occurrences}/${others}/extend`, { reason: 'Urlaub', until })
  await admin('POST', `${occurrences}/${others}/grant-attempt`, { reason: 'Störung' })
  await db.updateTable('occurrences').set({ state: 'missed', missed_at: new Date() }).where('id', '=', others).execute()
  await admin('POST', `${occurrences}/${others}/reopen`, { reason: 'Störung', until })
  await admin('POST', `${occurrences}/confirm-personal`, { ids: [others], held_on: '2026-01-01' })
  // The service refuses an exemption of the own account.
  await admin('PATCH', url, { responsible_id: user.id })
  await learner('POST', `${occurrences}/${mine}/exempt`, { reason: 'Elternzeit', until })
  await admin('PATCH', url, { responsible_id: boss.id })
  await admin('POST', `${url}/renew`)
  await admin('POST', `${url}/correction`, { changed_at: '2026-01-01T08:00:00Z' })
  await admin('POST', `${occurrences}/${await own(learner)}/recognise`, { reason: 'Zeugnis' })
  await admin('PATCH', url, { audience: { team_ids: [team.id] }, responsible_id: user.id })
  // The end of the role replaces the responsible person.
  for (const role of ['member', 'lead']) await admin('PUT', `/api/teams/${team.id}/members/${user.id}`, { role })
  await admin('PATCH', url, { audience: { user_ids: [boss.id] } })
  await admin('PATCH', url, { audience: { user_ids: [user.id] } })
  await admin('DELETE', url)

  const short = {
    ...body,
    parts: [parts[0], parts[3]],
    audience: { user_ids: [user.id, boss.id] },
    starts: '2026-02-01',
  }
  const { assignment: read } = (
    await admin('POST', '/api/assignments', { ...short, mandatory: false, retention_years: 3 })
  ).body
  // The parts of the first assignment are fixed, because the learner has already learnt the deck.
  await admin('PATCH', `/api/assignments/${read.id}`, { parts: [parts[0]] })
  for (const caller of [admin, learner]) {
    const done = (await caller('GET', '/api/assignments/mine')).body.occurrences.find(
      (one: { assignment: { id: number } }) => one.assignment.id === read.id,
    )
    await caller('POST', `${occurrences}/${done.id}/confirm`, { part: 0 })
  }
  const [{ code }] = (await learner('GET', '/api/proofs/mine?before=1000000')).body.proofs
  await learner('GET', `/api/proofs/verify/${code}`)
  const { url: calendar } = (await learner('POST', '/api/calendar/token')).body
  await learner('GET', '/api/calendar/token')
  await learner('GET', new URL(calendar).pathname)
  await learner('DELETE', '/api/calendar/token')
  await learner('GET', `/api/proofs/${code}.pdf`)
  await admin('GET', '/api/proofs/export?purpose=Audit')
  await admin('GET', '/api/proofs/choices')
  await admin('PATCH', `/api/assignments/${read.id}`, { responsible_id: user.id })
  for (const caller of [admin, learner]) await caller('GET', '/api/proofs')
  for (const state of ['valid', 'expiring', 'expired', 'revoked'])
    await admin('GET', `/api/proofs?state=${state}&days=60`)
  const places = `assignment=${read.id}&team=1`
  await admin(
    'GET',
    `/api/proofs?q=e&person=${user.id}&${places}&completed_from=2026-01-01&completed_to=2030-01-01&after=9`,
  )
  for (const file of ['expiring', 'expiring.csv']) {
    await admin('GET', `/api/proofs/${file}`)
    await learner('GET', `/api/proofs/${file}?days=90&${places}`)
  }
  await admin('GET', `/api/assignments/${read.id}/proofs.zip?purpose=Ablage`)
  await learner('GET', '/api/accounts/me/accesses?before=1000000')
  await admin('PATCH', `/api/accounts/${user.id}`, { display_name: 'Lena Groß' })
  const { code: corrected } = (await admin('POST', `/api/proofs/${code}/correct-name`)).body
  await admin('POST', `/api/proofs/${corrected}/revoke`, { reason: 'Versehen' })
}

/** Calls the operations for identity providers. */
async function callScim(admin: Send, anonymous: Send): Promise<void> {
  const { token } = (await admin('POST', '/api/auth/tokens', { name: 'SCIM', scopes: ['scim'] })).body
  const send = async (method: string, url: string, payload?: object) =>
    (await anonymous(method, `/scim/v2${url}`, payload, { authorization: `Bearer ${token}` })).body
  const patchOf = (...Operations: object[]) => ({ Operations })
  for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/ResourceTypes/User', '/Schemas']) {
    await send('GET', path)
  }
  await send('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group')
  const name = `scim-${randomBytes(6).toString('hex')}`
  const user = await send('POST', '/Users', { userName: name, externalId: name, emails: [{ value: 'e@example.org' }] })
  const filter = `userName eq "${name}" and externalId eq "${name}" and active eq true and id eq "${user.id}"`
  await send('GET', `/Users?filter=${encodeURIComponent(`${filter} and displayName eq "x" and emails eq "x"`)}`)
  await send('POST', '/Users/.search', { filter, count: 1 })
  await send('GET', `/Users/${user.id}`)
  await send('PUT', `/Users/${user.id}`, { userName: `${name}-neu`, displayName: 'Neu' })
  const group = await send('POST', '/Groups', { displayName: name, externalId: name, members: [{ value: user.id }] })
  const members = `members.value eq "${user.id}" and displayName eq "${name}" and externalId eq "${name}"`
  await send('GET', `/Groups?filter=${encodeURIComponent(`${members} and id eq "${group.id}"`)}`)
  await send('POST', '/Groups/.search', { excludedAttributes: ['members'] })
  await send('GET', `/Groups/${group.id}`)
  await send('PUT', `/Groups/${group.id}`, { displayName: `${name}-neu` })
  await send('PATCH', `/Groups/${group.id}`, patchOf({ op: 'remove', path: 'members' }))
  await send('PATCH', `/Users/${user.id}`, patchOf({ op: 'replace', value: { active: false } }))
  await send('PATCH', `/Users/${user.id}`, patchOf({ op: 'replace', value: { active: true } }))
  await admin('DELETE', `/api/teams/${group.id}/scim`)
  await admin('PATCH', `/api/teams/${group.id}`, { external_group: `${name}-gruppe` })
  await admin('PATCH', `/api/teams/${group.id}`, { external_group: null })
  await send('PATCH', `/Groups/${group.id}`, patchOf({ op: 'add', path: 'members', value: [{ value: user.id }] }))
  await send('DELETE', `/Groups/${group.id}`)
  await send('DELETE', `/Users/${user.id}`)
}

async function callEditing(admin: Send): Promise<void> {
  const send = async (method: string, url: string, payload?: object, headers?: object) =>
    (await admin(method, `/api/content${url}`, payload, headers)).body
  const client = () => ({ client_id: randomBytes(9).toString('hex') })
  const { source } = await send('POST', '/sources', { name: 'Geschrieben' })
  const inSource = `/sources/${source.id}`
  await send('PATCH', inSource, { name: 'Geschriebenes' })
  await send('PUT', `${inSource}/editors/chef`)
  await send('GET', `${inSource}/editors`)
  await send('POST', `${inSource}/adopt`, { sheet: 'uebernommen' })
  const { deck } = await send('POST', '/decks', { source_id: source.id, name: 'Eigenes' })
  const pool = (await send('POST', '/decks', { source_id: source.id, name: 'Vorrat', tests_only: true })).deck
  await send('PATCH', `/decks/${deck.slug}`, { description: 'Neu', archived: false })
  await send('GET', `/decks?source=${source.id}`)
  const options = [{ text: 'Nein', correct: false }]
  await send('POST', '/cards', { deck: pool.slug, question: 'Stimmt das?', answer: 'Ja', options, ...client() })
  const test = `/tests/version-${randomBytes(6).toString('hex')}`
  await send('PUT', test, { source_id: source.id, name: 'Prüfung', sections: [{ deck: pool.slug }] })
  await send('POST', `${test}/publish`)
  await send('PATCH', test, { archived: false })
  await send('GET', test)
  await send('GET', `${test}/preview`)
  await send('GET', `${test}/export?format=csv`)
  await send('GET', `${inSource}/questions?format=moodle`)
  await send('GET', '/tests')
  const variant = { source_id: source.id, lang: 'en' }
  const original = pool.slug
  const english = (
    await send('POST', '/decks', { ...variant, name: 'Pool', tests_only: true, translation_of: original })
  ).deck
  await send('POST', `/decks/${english.slug}/missing-cards`)
  const exam = `/tests/exam-${randomBytes(6).toString('hex')}`
  await send('PUT', exam, { ...variant, name: 'Exam', translation_of: test.slice('/tests/'.length) })
  const check = async (path: string) => {
    const { original_version } = (await send('GET', `${path}/translation`)).translation
    await send('POST', `${path}/checked`, { original_version })
  }
  for (const path of [`/decks/${english.slug}`, exam]) await check(path)
  const write = async (question: string, rest: object = {}) =>
    (await send('POST', '/cards', { deck: deck.slug, question, answer: 'A', ...rest, ...client() })).card
  const card = await write('Was macht git stash hier?')
  const second = await write('Was macht git stash dort?', { draft: true })
  await send('PATCH', `/cards/${card.id}`, { version: 1, answer: 'B', deck: pool.slug })
  await send('PATCH', `/cards/${card.id}`, { deck: deck.slug })
  await send('POST', `/cards/${second.id}/move`, { before: card.id })
  await send('GET', `/cards/${card.id}`)
  await send('GET', `/cards/${card.id}/versions`)
  await send('POST', `/cards/${card.id}/versions/1/restore`)
  for (const query of ['', '&state=draft&level=x', `&state=all&after=${second.id}`, '&q=stash']) {
    await send('GET', `/cards?deck=${deck.slug}${query}`)
  }
  await send('GET', '/cards/similar?question=Was+macht+git+stash')
  const change = { level: 'neu', replace: { find: 'stash', with: 'log' } }
  const { change_id } = await send('POST', '/cards/bulk', { ids: [card.id, second.id], change })
  await send('POST', '/cards/bulk', { filter: { deck: deck.slug }, change, check: true })
  await send('POST', `/changes/${change_id}/undo`)
  await send('POST', `/cards/${card.id}/reset-progress`)
  await send('DELETE', `/cards/${second.id}`)
  const texts = { title: 'Eigener', category: 'Git', content_md: '# Eigener\n' }
  const { sheet } = await send('POST', '/sheets', { source_id: source.id, ...texts, ...client() })
  const translated = { ...variant, ...texts, translation_of: sheet.slug, ...client() }
  await check(`/sheets/${(await send('POST', '/sheets', translated)).sheet.slug}`)
  const own = (await send('POST', '/decks', { ...variant, name: 'Own', translation_of: deck.slug })).deck
  await send('POST', '/cards', { deck: own.slug, question: 'What does git stash do?', answer: 'A', ...client() })
  for (const { id } of (await send('GET', `/cards?deck=${english.slug}&state=draft`)).cards) {
    await send('PATCH', `/cards/${id}`, { draft: false })
  }
  await send('POST', `${exam}/publish`)
  for (const item of [`decks/${deck.slug}`, `sheets/${sheet.slug}`, test.slice(1)]) {
    for (const lang of ['en', null]) await admin('PUT', `/api/variants/${item}`, { lang })
  }
  await admin('GET', '/api/variants/sheets')
  await send('GET', '/sheets')
  await send('GET', `/sheets/${sheet.slug}`)
  await send('PATCH', `/sheets/${sheet.slug}`, { version: 1, title: 'Anderer' })
  await send('GET', `/sheets/${sheet.slug}/versions`)
  await send('POST', `/sheets/${sheet.slug}/versions/1/restore`)
  await send('POST', '/media', gifOf('written'), { 'content-type': 'image/gif' })
  await send('POST', '/convert', { html: '<b>fett</b>' })
  await send('GET', '/changes?by=chef')
  await send('GET', `${inSource}/changes`)
  await send('GET', `${inSource}/difficult`)
  await send('DELETE', `${inSource}/editors/chef`)
  await send('DELETE', inSource)
  await send('POST', `${inSource}/restore`)
  await send('DELETE', `${inSource}?purge=true`)
}

/** Returns why `recordVersion` cannot run, or false. `pg_dump` must have the same major version as the server. */
export async function reasonToSkipRecording(serverUrl: string | undefined): Promise<string | false> {
  if (serverUrl === undefined) return 'needs a PostgreSQL server and its pg_dump'
  const { stdout } = await promisify(execFile)('pg_dump', ['--version']).catch(() => ({ stdout: 'none' }))
  const client = new pg.Client(serverUrl)
  await client.connect()
  const { rows } = await client.query('show server_version')
  await client.end()
  const [dump, server] = [stdout, rows[0].server_version].map((text) => /\d+/.exec(text)?.[0] ?? 'none')
  return dump !== server && `pg_dump ${dump} cannot record PostgreSQL ${server}`
}

/**
 * Returns the dump of a database as SQL statements. Uses `--inserts`, because `copy` with data is not a statement, and
 * removes psql commands.
 */
async function dump(databaseUrl: string): Promise<string> {
  const options = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', '--dbname', databaseUrl]
  const { stdout } = await promisify(execFile)('pg_dump', options)
  return stdout.replaceAll(/^(\\.*|--.*)?\n/gm, '')
}

/** Converts a parameter of a statement to JSON that `pg` sends as the same value. */
function toJson(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return value.map(toJson)
  return typeof value === 'bigint' ? String(value) : value
}
