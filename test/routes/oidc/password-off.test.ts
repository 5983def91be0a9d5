import t from 'tap'
import { createUser, hashOfPassword, PASSWORD } from '../../support/factories.js'
import { callerOf, cookieOf, errorBody } from '../../support/service.js'
import { startSignIn } from '../../support/sign-in.js'

const OFF = errorBody(403, 'Anmeldung mit Passwort ist abgeschaltet')
const service = await startSignIn(t, {}, { config: { passwordLogin: false } })
const { anonymous, db } = service
const logIn = (username: string, password = PASSWORD, remoteAddress = '127.0.0.1') =>
  anonymous.post('/api/auth/login', { username, password }, { remoteAddress })

t.test('by password only accounts for emergencies get in, whatever the name is', async (t) => {
  t.match((await anonymous.get('/api/auth/methods')).body, { password: false, oidc: { label: 'Firmenkonto' } })
  const member = await createUser(db, { password_hash: await hashOfPassword() })
  const chef = await createUser(db, { is_admin: true, emergency: true, password_hash: await hashOfPassword() })
  t.strictSame((await logIn(member.username)).body, OFF, 'the right password')
  t.strictSame((await logIn(member.username, 'falsch')).body, OFF)
  t.strictSame((await logIn('niemand', 'falsch')).body, OFF)
  t.strictSame((await logIn(chef.username, 'falsch')).body, OFF)
  const answer = await logIn(chef.username)
  t.equal(answer.status, 200)
  t.equal(answer.body.user.id, chef.id)
})

t.test('nor does a password prove who is asking, except of an account for emergencies', async (t) => {
  const chef = await createUser(db, { emergency: true, password_hash: await hashOfPassword() })
  const caller = callerOf(service.app, cookieOf(await logIn(chef.username)))
  const confirm = (password = PASSWORD) => caller.post('/api/auth/confirm', { password })
  t.equal((await confirm()).status, 200)
  const fresh = callerOf(service.app, cookieOf(await logIn(chef.username)))
  await db.updateTable('users').set({ emergency: false }).where('id', '=', chef.id).execute()
  for (const password of [PASSWORD, 'falsch']) {
    const answer = await fresh.post('/api/auth/confirm', { password })
    t.strictSame(answer.body, OFF)
    t.equal(answer.headers['set-cookie'], undefined, 'no new session')
  }
})

t.test('the right password counts as a failure like any other', async (t) => {
  const member = await createUser(db, { password_hash: await hashOfPassword() })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 8; attempt++) {
    statuses.push((await logIn(member.username, PASSWORD, '198.51.100.7')).status)
  }
  t.equal(statuses[0], 403)
  t.equal(statuses.at(-1), 429)
})

t.test('tokens and the provider stay', async (t) => {
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
  t.equal(removed.status, 409, 'a password that nobody may use is no way in')
})
