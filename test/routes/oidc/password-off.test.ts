import t from 'tap'
import { createUser, hashOfPassword, PASSWORD } from '../../support/factories.js'
import { holdLoginLimits } from '../../support/login-limits.js'
import { callerOf, cookieOf, errorBody } from '../../support/service.js'
import { startSignIn } from '../../support/sign-in.js'

const OFF = errorBody(403, 'Anmeldung mit Passwort ist abgeschaltet')
const service = await startSignIn(
  t,
  { OIDC_ADMIN_CLAIM: 'groups', OIDC_ADMIN_VALUE: 'admins' },
  { config: { passwordLogin: false, publicUrl: 'http://localhost:3999/' } },
)
const { anonymous, db } = service
const logIn = (username: string, password = PASSWORD, remoteAddress = '127.0.0.1') =>
  anonymous.post('/api/auth/login', { username, password }, { remoteAddress })

t.test('only emergency accounts log in with a password', async (t) => {
  t.match((await anonymous.get('/api/auth/methods')).body, { password: false, oidc: { label: 'Firmenkonto' } })
  const member = await createUser(db, { password_hash: await hashOfPassword() })
  const chef = await createUser(db, { is_admin: true, emergency: true, password_hash: await hashOfPassword() })
  t.strictSame((await logIn(member.username)).body, OFF, 'the right password')
  t.strictSame((await logIn(member.username, 'falsch')).body, OFF)
  t.strictSame((await logIn('niemand', 'falsch')).body, OFF)
  t.strictSame((await logIn(chef.username, 'falsch')).body, OFF)
  const response = await logIn(chef.username)
  t.equal(response.status, 200)
  t.equal(response.body.user.id, chef.id)
  const { body } = await callerOf(service.app, cookieOf(response)).get('/api/accounts/audit?action=login.emergency')
  const noted = { actor: chef.username, via: 'session', address: '127.0.0.1', target_id: chef.id, details: null }
  t.match(body.entries, [noted], 'one audit entry, for the successful login')
  t.equal(body.entries.length, 1)
  const requests = service.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  const entered = requests.filter(({ route, status }) => route === '/api/auth/login' && status === 200)
  t.match(
    entered,
    [{ userId: chef.id, address: '127.0.0.1' }],
    'the log names the account, as docs/sign-in.md describes',
  )
})

t.test('only an emergency account can confirm by password while passwords are off', async (t) => {
  const chef = await createUser(db, { emergency: true, password_hash: await hashOfPassword() })
  const caller = callerOf(service.app, cookieOf(await logIn(chef.username)))
  const confirm = (password = PASSWORD) => caller.post('/api/auth/confirm', { password })
  t.equal((await confirm()).status, 200)
  const fresh = callerOf(service.app, cookieOf(await logIn(chef.username)))
  await db.updateTable('users').set({ emergency: false }).where('id', '=', chef.id).execute()
  for (const password of [PASSWORD, 'falsch']) {
    const response = await fresh.post('/api/auth/confirm', { password })
    t.strictSame(response.body, OFF)
    t.equal(response.headers['set-cookie'], undefined, 'no new session')
  }
})

t.test('the right password counts as a failure', async (t) => {
  const member = await createUser(db, { password_hash: await hashOfPassword() })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 7; attempt++) {
    statuses.push((await logIn(member.username, PASSWORD, '198.51.100.7')).status)
    await holdLoginLimits(db)
  }
  t.equal(statuses[0], 403)
  t.equal(statuses.at(-1), 429)
})

t.test('tokens and the provider still work', async (t) => {
  const erika = service.browser()
  t.equal(await erika.signIn({ sub: 'a', preferred_username: 'a' }), '/')
  const user = await createUser(db)
  await db
    .insertInto('identities')
    .values({ user_id: user.id, issuer: service.provider.issuer, subject: 'b' })
    .execute()
  const own = service.browser()
  t.equal(await own.signIn({ sub: 'b' }), '/')
  const { identities } = (await own.caller().get('/api/auth/oidc/identities')).body
  const removed = await own.caller().delete(`/api/auth/oidc/identities/${identities[0].id}`)
  t.equal(removed.status, 409, 'a disabled password does not count as a login method')
})

t.test('the last emergency administrator remains in any case', async (t) => {
  await db.updateTable('users').set({ is_admin: false }).execute()
  const newChef = async (more: { passkey_only?: boolean } = {}) =>
    createUser(db, { is_admin: true, emergency: true, password_hash: await hashOfPassword(), ...more })
  const chef = await newChef()
  const other = await newChef()
  const caller = callerOf(service.app, cookieOf(await logIn(chef.username)))
  const byOther = callerOf(service.app, cookieOf(await logIn(other.username)))
  await db.updateTable('users').set({ emergency: false }).where('id', '=', other.id).execute()
  const demoted = await byOther.patch(`/api/accounts/${chef.id}`, { is_admin: false })
  const stays = 'Dem letzten Administrator mit Notfallzugang kann man die Rechte nicht nehmen'
  t.strictSame(demoted.body, errorBody(400, stays))
  const deleted = await byOther.delete(`/api/admin/users/${chef.id}`)
  t.strictSame(deleted.body, errorBody(400, 'Den letzten Administrator mit Notfallzugang kann man nicht löschen'))

  await db.insertInto('passkeys').values(passkeyOf(chef.id)).execute()
  const only = await caller.patch('/api/accounts/me', { passkey_only: true })
  t.strictSame(only.body, errorBody(409, 'Ein Notfallzugang meldet sich mit Passwort an'))

  await db
    .insertInto('identities')
    .values({ user_id: chef.id, issuer: service.provider.issuer, subject: 'chef' })
    .execute()
  const before = service.log.length
  t.equal(await service.browser().signIn({ sub: 'chef', groups: ['andere'] }), '/')
  t.match(service.log.slice(before).join(''), 'keeps the right')
  t.equal((await caller.get('/api/auth/me')).body.user.is_admin, true)

  const next = await newChef()
  const byNext = callerOf(service.app, cookieOf(await logIn(next.username)))
  t.equal(
    (await byNext.patch(`/api/accounts/${other.id}`, { is_admin: false })).status,
    200,
    'an administrator that is not an emergency administrator',
  )
  t.equal((await byNext.delete(`/api/admin/users/${chef.id}`)).status, 200, 'another emergency administrator exists')
  await newChef({ passkey_only: true })
  await createUser(db, { is_admin: true, emergency: true, password_hash: null })
  t.equal(
    (await byNext.patch(`/api/accounts/${next.id}`, { is_admin: false })).status,
    400,
    'no other account can log in with a password',
  )
})

const passkeyOf = (user_id: number) => ({
  user_id,
  name: 'Telefon',
  credential_id: Buffer.from(`passkey-${user_id}`),
  public_key: Buffer.alloc(1),
  user_handle: Buffer.alloc(32),
  counter: 0,
  transports: [],
  backed_up: false,
})
