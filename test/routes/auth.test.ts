import { PNG } from 'pngjs'
import t from 'tap'
import { SESSION_COOKIE } from '../../plugins/session-cookie.js'
import { parseLogo } from '../../src/domain/company/logo.js'
import { createSource } from '../support/editing.js'
import { createUser, PASSWORD, unique } from '../support/factories.js'
import {
  callerOf,
  errorBody,
  type ServiceResponse,
  cookieOf as sessionCookieOf,
  startService,
} from '../support/service.js'

const service = await startService(t)
const { anonymous, app, db } = service

const cookieOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers['set-cookie'])
const sessionOf = (response: ServiceResponse) => callerOf(app, sessionCookieOf(response))

t.test('anyone can see the offered login methods', async (t) => {
  const response = await anonymous.get('/api/auth/methods')
  t.strictSame(response.body, {
    password: true,
    passkeys: false,
    oidc: null,
    company: { name: null, logo: null },
  })
  t.equal(response.headers['cache-control'], 'no-store')
  t.equal((await anonymous.post('/api/auth/methods')).status, 404)
})

t.test('anyone can see the name and the logo of the company', async (t) => {
  t.equal((await anonymous.get('/api/auth/logo')).status, 404)
  const logo = parseLogo(PNG.sync.write(new PNG({ width: 3, height: 2 })))
  if ('problem' in logo) throw new Error(logo.problem)
  const named = await startService(t, { config: { companyName: 'Müller & Söhne', companyLogo: logo } })
  const url = `api/auth/logo?v=${logo.sha256.slice(0, 16)}`
  t.match((await named.anonymous.get('/api/auth/methods')).body, { company: { name: 'Müller & Söhne', logo: url } })
  const response = await named.app.inject({ url: `/${url}` })
  t.ok(response.rawPayload.equals(logo.bytes))
  t.match(response.headers, { 'content-type': 'image/png', 'cache-control': /public.*immutable/ })
})

t.test('login returns the user and sets a secure cookie', async (t) => {
  const { id, username, display_name, created_at } = await createUser(db)
  const before = Date.now()
  const response = await anonymous.post('/api/auth/login', { username: ` ${username}\n`, password: PASSWORD })
  t.equal(response.status, 200)
  t.strictSame(response.body, {
    user: { id, username, display_name, is_admin: false, created_at: created_at.toISOString() },
    roles: {
      author: false,
      editor: false,
      lead: false,
      responsible: false,
      tasks: false,
      auditor: false,
      overseer: false,
    },
    must_change_password: false,
  })
  const cookie = cookieOf(response)
  t.match(cookie, /; Path=\/; .*HttpOnly; SameSite=Lax/i)
  t.notMatch(cookie, /Secure/i)
  const expires = Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '')
  const loggedInAt = expires - 7 * 24 * 3600 * 1000
  t.ok(loggedInAt > before - 1_000 && loggedInAt <= Date.now(), 'it is valid for seven days')
  t.equal(response.headers['cache-control'], 'no-store')
})

t.test('login and me return the roles of the user; an editor without the flag has none', async (t) => {
  const NONE = {
    author: false,
    editor: false,
    lead: false,
    responsible: false,
    tasks: false,
    auditor: false,
    overseer: false,
  }
  const source = await createSource(db)
  const users = [
    { flags: {}, edits: false, roles: NONE },
    { flags: {}, edits: true, roles: NONE },
    { flags: { is_author: true }, edits: false, roles: { ...NONE, author: true } },
    { flags: { is_author: true }, edits: true, roles: { ...NONE, author: true, editor: true } },
    { flags: { is_admin: true }, edits: false, roles: { ...NONE, author: true, editor: true, overseer: true } },
    { flags: { is_auditor: true }, edits: false, roles: { ...NONE, auditor: true, overseer: true } },
    { flags: { is_auditor: true, auditor_until: '2020-01-01' }, edits: false, roles: NONE },
  ]
  for (const { flags, edits, roles } of users) {
    const { id, username } = await createUser(db, flags)
    if (edits) await db.insertInto('source_editors').values({ source_id: source, user_id: id }).execute()
    const login = await anonymous.post('/api/auth/login', { username, password: PASSWORD })
    t.strictSame(login.body.roles, roles)
    t.strictSame((await sessionOf(login).get('/api/auth/me')).body.roles, roles)
    t.strictSame(Object.keys(login.body.user), ['id', 'username', 'display_name', 'is_admin', 'created_at'])
  }
})

t.test('a wrong password and an unknown user get the same response', async (t) => {
  const { username } = await createUser(db)
  for (const body of [
    { username, password: 'falsch' },
    { username: unique('niemand'), password: PASSWORD },
    { username: 'nul\0', password: PASSWORD },
    { username: username.toUpperCase(), password: PASSWORD },
  ]) {
    const response = await anonymous.post('/api/auth/login', body)
    t.strictSame([response.status, response.body], [401, errorBody(401, 'Benutzername oder Passwort falsch')])
    t.notOk(response.headers['set-cookie'])
  }
})

t.test('an unverifiable hash matches no password', async (t) => {
  const bcrypt = '$2y$10$abcdefghijklmnopqrstuuJ1cY3Ykd0cN4sDGVjU0bRrdHqgW0E6q'
  for (const password_hash of [
    '',
    'kein Hash',
    '$',
    bcrypt,
    '$argon2id$',
    '$argon2id$v=19$m=19456,t=2$c2FsdHNhbHQ$aGFzaA',
  ]) {
    const { username } = await createUser(db, { password_hash })
    const response = await anonymous.post('/api/auth/login', { username, password: PASSWORD })
    t.strictSame(response.body, errorBody(401, 'Benutzername oder Passwort falsch'), password_hash)
  }
})

t.test('refuses a login without name or password', async (t) => {
  for (const body of [
    undefined,
    {},
    { username: 'a' },
    { username: ' ', password: 'x' },
    { username: 1, password: 'x' },
  ]) {
    const response = await anonymous.post('/api/auth/login', body)
    t.strictSame(response.body, errorBody(400, 'Benutzername und Passwort erforderlich'))
  }
})

t.test('the session id changes at login, and the old one is invalid', async (t) => {
  const { username } = await createUser(db)
  const first = await service.loginAs(username)
  const again = await first.post('/api/auth/login', { username, password: PASSWORD })
  t.notMatch(cookieOf(again), first.cookie as string)
  t.equal((await first.get('/api/auth/me')).status, 401)
})

t.test('sets the cookie once per response', async (t) => {
  const { username } = await createUser(db)
  const first = await service.loginAs(username)
  const again = await first.post('/api/auth/login', { username, password: PASSWORD })
  t.equal([again.headers['set-cookie']].flat().length, 1, 'a login over a session')
  t.match(cookieOf(again), new RegExp(`^${SESSION_COOKIE}=[^;]+; `))
  const out = await first.post('/api/auth/logout')
  t.equal([out.headers['set-cookie']].flat().length, 1, 'a logout with the cookie of a session that has ended')
  t.match(cookieOf(out), /Expires=Thu, 01 Jan 1970/)
})

t.test('stores only a hash of the session id', async (t) => {
  const caller = await service.member()
  const sessionId = decodeURIComponent(caller.cookie?.split('=')[1] ?? '').split('.')[0] as string
  const rows = await db.selectFrom('sessions').selectAll().where('user_id', '=', caller.id).execute()
  t.equal(rows.length, 1)
  t.notMatch(JSON.stringify(rows), sessionId)
  t.equal(rows[0]?.id_hash.length, 32)
})

t.test('me returns the user of the session', async (t) => {
  t.strictSame((await anonymous.get('/api/auth/me')).body, errorBody(401, 'Nicht angemeldet'))
  const caller = await service.member()
  t.match((await caller.get('/api/auth/me')).body, { user: { id: caller.id } })
  const forged = callerOf(app, `${SESSION_COOKIE}=forged.signature`)
  t.equal((await forged.get('/api/auth/me')).status, 401)
})

t.test('logout ends session and cookie, also without a session', async (t) => {
  const caller = await service.member()
  const response = await caller.post('/api/auth/logout')
  t.strictSame([response.status, response.body], [200, { ok: true }])
  t.match(cookieOf(response), /Expires=Thu, 01 Jan 1970/)
  t.equal((await caller.get('/api/auth/me')).status, 401)
  t.strictSame(await db.selectFrom('sessions').selectAll().where('user_id', '=', caller.id).execute(), [])
  t.strictSame((await anonymous.post('/api/auth/logout')).body, { ok: true })
})

t.test('an expired session is invalid, and one in its second half is renewed', async (t) => {
  const caller = await service.member()
  const setExpiry = (days: number) =>
    db
      .updateTable('sessions')
      .set({ expires_at: new Date(Date.now() + days * 24 * 3600 * 1000) })
      .where('user_id', '=', caller.id)
      .execute()
  const readExpiry = async () =>
    (await db.selectFrom('sessions').select('expires_at').where('user_id', '=', caller.id).executeTakeFirstOrThrow())
      .expires_at

  await setExpiry(4)
  const before = await readExpiry()
  t.notOk((await caller.get('/api/auth/me')).headers['set-cookie'])
  t.strictSame(await readExpiry(), before, 'nothing is written in the first half')

  await setExpiry(3)
  t.match(cookieOf(await caller.get('/api/auth/me')), SESSION_COOKIE)
  t.ok((await readExpiry()).getTime() > Date.now() + 6.9 * 24 * 3600 * 1000)

  await setExpiry(-1)
  t.equal((await caller.get('/api/auth/me')).status, 401)
})

t.test('changing the password ends every other session', async (t) => {
  const user = await createUser(db)
  const here = await service.loginAs(user.username)
  const elsewhere = await service.loginAs(user.username)
  const change = (body: unknown) => here.post('/api/auth/password', body)

  const missing = errorBody(400, 'Aktuelles und neues Passwort erforderlich')
  t.strictSame((await change(undefined)).body, missing)
  t.strictSame((await change({ current_password: PASSWORD, new_password: '' })).body, missing)
  t.strictSame((await change({ current_password: PASSWORD, new_password: 123456 })).body, missing)
  t.strictSame(
    (await change({ current_password: 'falsch', new_password: '12345' })).body,
    errorBody(400, 'Passwort muss mindestens 6 Zeichen haben'),
  )
  t.strictSame(
    (await change({ current_password: 'falsch', new_password: 'x'.repeat(1001) })).body,
    errorBody(400, 'Das Feld „new_password“ darf höchstens 1000 Zeichen haben'),
  )
  t.strictSame(
    (await change({ current_password: 'falsch', new_password: 'neues-passwort' })).body,
    errorBody(400, 'Aktuelles Passwort ist falsch'),
  )
  t.equal((await elsewhere.get('/api/auth/me')).status, 200)

  const changed = await change({ current_password: PASSWORD, new_password: 'neues-passwort' })
  t.strictSame(changed.body, { ok: true })
  const again = sessionOf(changed)
  t.equal((await again.get('/api/auth/me')).body.user.id, user.id)
  t.not(again.cookie, here.cookie, 'the current session gets a new id')
  t.equal((await here.get('/api/auth/me')).status, 401, 'the old id is invalid')
  t.equal((await elsewhere.get('/api/auth/me')).status, 401)
  const login = (password: string) => anonymous.post('/api/auth/login', { username: user.username, password })
  t.equal((await login(PASSWORD)).status, 401)
  t.equal((await login('neues-passwort')).status, 200)
})

t.test(
  'a change of the password replaces the session once, also when its account logs in by passkey only',
  async (t) => {
    const member = await service.member()
    await db.updateTable('users').set({ passkey_only: true }).where('id', '=', member.id).execute()
    const changes = await Promise.all(
      ['ein-neues', 'ein-anderes', 'ein-drittes'].map((new_password) =>
        member.post('/api/auth/password', { current_password: PASSWORD, new_password }),
      ),
    )
    const [changed, ...others] = changes.filter(({ status }) => status === 200)
    t.strictSame(others, [])
    t.ok(changed !== undefined && (await sessionOf(changed).get('/api/auth/me')).status === 200)
    t.equal((await db.selectFrom('sessions').select('id').where('user_id', '=', member.id).execute()).length, 1)
  },
)

t.test("the group's fallback answers everything else, for anyone", async (t) => {
  const member = await service.member()
  for (const caller of [anonymous, member]) {
    for (const response of [
      await caller.get('/api/auth'),
      await caller.get('/api/auth/login'),
      await caller.post('/api/auth/unknown'),
      await caller.get('/api/auth/me/x'),
    ]) {
      t.strictSame(response.body, errorBody(404, 'Unbekannter Auth-Endpunkt'))
    }
  }
})

t.test('cookies are Secure if the client side of a trusted proxy is https', async (t) => {
  const proxied = await startService(t, { config: { trustProxy: ['127.0.0.1'] } })
  const { username } = await createUser(proxied.db)
  const login = (proto: string) =>
    proxied.anonymous.post(
      '/api/auth/login',
      { username, password: PASSWORD },
      { headers: { 'x-forwarded-proto': proto } },
    )
  t.match(cookieOf(await login('https')), /; Secure/)
  t.notMatch(cookieOf(await login('http')), /; Secure/)
})

t.test('refuses a user name and a password of combining marks like any other', async (t) => {
  const marks = '\u0301'.repeat(7_000) + '\u0323'.repeat(7_000)
  const { status, body } = await anonymous.post('/api/auth/login', { username: marks, password: marks })
  t.strictSame([status, body], [401, errorBody(401, 'Benutzername oder Passwort falsch')])
})
