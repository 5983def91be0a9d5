import t from 'tap'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createUser, hashOfPassword, PASSWORD, unique } from '../support/factories.js'
import { holdLoginLimits } from '../support/login-limits.js'
import { type Caller, callerOf, cookieOf, errorBody, type ServiceResponse, startService } from '../support/service.js'

const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { database: counter.database })
const { app, db } = service

const REFUSED = errorBody(403, 'Bitte erneut anmelden')
const CHALLENGE = 'Session error="insufficient_user_authentication"'
const MINUTE = 60_000

async function ageLogins(userId: number, minutes: number): Promise<void> {
  const authenticated_at = new Date(Date.now() - minutes * MINUTE)
  await db.updateTable('sessions').set({ authenticated_at }).where('user_id', '=', userId).execute()
}

const confirm = (caller: Caller, password: unknown) => caller.post('/api/auth/confirm', { password })
const callerWith = (response: ServiceResponse) => callerOf(app, cookieOf(response))

const sessionsOf = (userId: number) => db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute()

t.test('requires a new authentication after ten minutes, before validating the input', async (t) => {
  const admin = await service.admin()
  const other = await createUser(db)
  await ageLogins(admin.id, 9)
  t.equal((await admin.post('/api/auth/tokens', { name: 'x' })).status, 200)
  await ageLogins(admin.id, 11)
  for (const response of [
    await admin.post('/api/auth/tokens', { name: 'x' }),
    await admin.post('/api/auth/tokens', { name: 5 }),
    await admin.patch(`/api/accounts/${other.id}`, { is_admin: true }),
    await admin.patch(`/api/accounts/${other.id}`, { is_author: true }),
    await admin.patch(`/api/accounts/${other.id}`, { is_auditor: true }),
    await admin.patch(`/api/accounts/${other.id}`, { auditor_until: '2999-12-31' }),
    await admin.patch(`/api/accounts/${other.id}`, { auditor_until: null }),
    await admin.patch(`/api/accounts/${other.id}`, { is_admin: true, display_name: 5 }),
    await admin.patch('/api/accounts/999999', { is_admin: true }),
    await admin.patch(`/api/accounts/${other.id}`, { link_next_login: true }),
    await admin.patch(`/api/accounts/${other.id}`, { password: 'ein-neues-wort' }),
    await admin.patch(`/api/accounts/${other.id}`, { disabled_on: '2999-12-31' }),
    await admin.patch(`/api/accounts/${other.id}`, { disabled_on: null }),
    await admin.patch(`/api/accounts/${other.id}`, { password: 5 }),
    await admin.post('/api/accounts/bulk', { users: [{ username: 'neu' }, { username: 'chef', is_admin: true }] }),
    await admin.post('/api/accounts/bulk?mode=update', { users: [{ username: other.username, display_name: 'x' }] }),
    await admin.post('/api/accounts/bulk', 'benutzername;administrator\nchef;ja\n', {
      headers: { 'content-type': 'text/csv' },
    }),
  ]) {
    t.strictSame(response.body, REFUSED)
    t.equal(response.headers['www-authenticate'], CHALLENGE)
  }
  const row = await db
    .selectFrom('users')
    .select(['is_admin', 'password_hash'])
    .where('id', '=', other.id)
    .executeTakeFirstOrThrow()
  t.strictSame(row, { is_admin: false, password_hash: await hashOfPassword() })
  t.equal(await db.selectFrom('users').where('username', '=', 'chef').select('id').executeTakeFirst(), undefined)
})

t.test('disables an account without a new authentication, but enables it only with one', async (t) => {
  const admin = await service.admin()
  const other = await createUser(db)
  await ageLogins(admin.id, 11)
  t.equal((await admin.patch(`/api/accounts/${other.id}`, { disabled_on: '2020-01-01' })).status, 200)
  t.strictSame((await admin.patch(`/api/accounts/${other.id}`, { disabled_on: null })).body, REFUSED)
  t.equal((await admin.get(`/api/accounts/${other.id}`)).body.user.disabled_on, '2020-01-01')
})

t.test('a stale session cannot change the password of an emergency administrator and log in with it', async (t) => {
  const admin = await service.admin()
  const target = await createUser(db, { is_admin: true, emergency: true })
  await ageLogins(admin.id, 11)
  const password = 'ein-neues-wort'
  t.strictSame((await admin.patch(`/api/accounts/${target.id}`, { password })).body, REFUSED)
  const login = (password: string) => service.anonymous.post('/api/auth/login', { username: target.username, password })
  t.equal((await login(password)).status, 401)
  t.equal((await login(PASSWORD)).status, 200)
  const again = callerWith(await confirm(admin, PASSWORD))
  t.equal((await again.patch(`/api/accounts/${target.id}`, { password })).status, 200)
  t.equal((await login(password)).status, 200)
})

t.test(
  'a list of users requires a new authentication only if it creates an administrator, author or auditor',
  async (t) => {
    const admin = await service.admin()
    const { token } = (await admin.post('/api/auth/tokens', { name: 'x' })).body
    await ageLogins(admin.id, 11)
    const send = (users: object[], query = '', by: Caller = admin) => by.post(`/api/accounts/bulk${query}`, { users })
    const chief = { username: unique('chef'), is_admin: true }
    t.match(await send([{ username: unique('neu') }]), { status: 200 })
    t.match(await send([chief], '?check=true'), { status: 200 }, 'a check creates no user')
    t.strictSame((await send([chief])).body, REFUSED)
    t.strictSame((await send([{ username: unique('autor'), is_author: true }])).body, REFUSED)
    t.strictSame((await send([{ username: unique('pruefer'), is_auditor: true }])).body, REFUSED)
    t.match(
      await send([chief], '', callerOf(app, undefined, token)),
      { status: 200 },
      'a token is judged by its scopes',
    )
  },
)

t.test('no other route requires it, in particular none that revokes access', async (t) => {
  const admin = await service.admin()
  const other = await createUser(db, { is_admin: true })
  const token = (await admin.post('/api/auth/tokens', { name: 'x' })).body
  await ageLogins(admin.id, 60 * 24)
  for (const response of [
    await admin.patch(`/api/accounts/${other.id}`, {
      is_admin: false,
      is_author: false,
      is_auditor: false,
      link_next_login: false,
      display_name: 'Neu',
    }),
    await admin.patch(`/api/accounts/${other.id}`, { must_change_password: true, password: undefined }),
    await admin.patch(`/api/accounts/${other.id}`, { auditor_until: '2020-01-01' }),
    await admin.delete(`/api/auth/tokens/${token.id}`),
    await admin.delete(`/api/accounts/${other.id}/sessions`),
    await admin.post('/api/admin/users', { username: 'neu', display_name: 'x', password: PASSWORD, is_admin: true }),
    await admin.delete(`/api/admin/users/${other.id}`),
  ]) {
    t.equal(response.status, 200)
    t.notOk(response.headers['www-authenticate'])
  }
})

t.test('checks it after authorization and the required password change', async (t) => {
  const member = await service.member()
  await ageLogins(member.id, 11)
  const promote = { is_admin: true }
  t.strictSame(
    (await member.patch(`/api/accounts/${member.id}`, promote)).body,
    errorBody(403, 'Administratorrechte erforderlich'),
  )
  t.strictSame((await service.anonymous.post('/api/auth/tokens', {})).body, errorBody(401, 'Nicht angemeldet'))
  await db.updateTable('users').set({ must_change_password: true }).where('id', '=', member.id).execute()
  const refused = await member.post('/api/auth/tokens', { name: 'x' })
  t.strictSame(refused.body, errorBody(403, 'Passwort muss zuerst geändert werden'))
  t.notOk(refused.headers['www-authenticate'])
})

t.test("an administrator's token may promote users, but a token creates no token", async (t) => {
  const admin = await service.admin()
  const other = await createUser(db)
  const { token } = (await admin.post('/api/auth/tokens', { name: 'x' })).body
  await ageLogins(admin.id, 11)
  const script = callerOf(app, undefined, token)
  t.match((await script.patch(`/api/accounts/${other.id}`, { is_admin: true })).body, { user: { is_admin: true } })
  for (const url of ['/api/auth/tokens', '/api/auth/confirm']) {
    const response = await script.post(url, { name: 'x', password: PASSWORD })
    t.equal(response.status, 403)
    t.notSame(response.body, REFUSED, url)
  }
})

t.test('confirming by password starts a new session that replaces the old one', async (t) => {
  const member = await service.member()
  await db.updateTable('sessions').set({ provider_session: 'sid-1' }).where('user_id', '=', member.id).execute()
  await ageLogins(member.id, 11)
  const response = await confirm(member, PASSWORD)
  t.strictSame([response.status, response.body], [200, { ok: true }])
  const again = callerWith(response)
  t.not(again.cookie, member.cookie)
  t.equal((await again.post('/api/auth/tokens', { name: 'x' })).status, 200)
  t.equal((await member.get('/api/auth/me')).status, 401, 'the old id is invalid')
  const sessions = await sessionsOf(member.id)
  t.match(
    sessions,
    [{ authenticated_by: 'password', provider_session: 'sid-1' }],
    'the provider can still end the session',
  )
  t.equal(sessions.length, 1)
})

t.test('a wrong or missing password confirms nothing', async (t) => {
  const member = await service.member()
  await ageLogins(member.id, 11)
  t.strictSame((await confirm(member, 'falsch')).body, errorBody(400, 'Passwort ist falsch'))
  for (const password of ['', 5, undefined]) {
    t.strictSame((await confirm(member, password)).body, errorBody(400, 'Passwort erforderlich'))
  }
  t.strictSame((await member.post('/api/auth/tokens', { name: 'x' })).body, REFUSED)
  t.equal((await service.anonymous.post('/api/auth/confirm', { password: PASSWORD })).status, 401)
})

t.test('an account without password, or with passkeys only, cannot confirm by password', async (t) => {
  const member = await service.member()
  await db.updateTable('users').set({ passkey_only: true }).where('id', '=', member.id).execute()
  t.strictSame((await confirm(member, PASSWORD)).body, errorBody(400, 'Dieses Konto meldet sich nur mit Passkey an'))
  await db.updateTable('users').set({ passkey_only: false, password_hash: null }).where('id', '=', member.id).execute()
  t.strictSame((await confirm(member, PASSWORD)).body, errorBody(400, 'Dieses Konto hat kein Passwort'))
})

t.test('failed attempts share one limit across routes', async (t) => {
  const member = await service.member()
  const responses: ServiceResponse[] = []
  for (let count = 0; count < 7; count++) {
    responses.push(await confirm(member, `falsch-${count}`))
    await holdLoginLimits(db)
  }
  t.equal(responses[0]?.status, 400)
  t.equal(responses.at(-1)?.status, 429)
  t.ok(Number(responses.at(-1)?.headers['retry-after']) > 0)
  t.equal((await confirm(member, PASSWORD)).status, 429, 'the right password is refused as well')
  const { username } = await db
    .selectFrom('users')
    .select('username')
    .where('id', '=', member.id)
    .executeTakeFirstOrThrow()
  t.equal((await service.anonymous.post('/api/auth/login', { username, password: PASSWORD })).status, 429)
})

t.test('needs no additional statement', async (t) => {
  const member = await service.member()
  await ageLogins(member.id, 11)
  const refused = async () => t.equal((await member.post('/api/auth/tokens', { name: 'x' })).status, 403)
  t.equal(await counter.countOf(refused), 1, 'the time is read with the session')
})
