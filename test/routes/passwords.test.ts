import argon2 from 'argon2'
import t, { type Test } from 'tap'
import { costlyHashOfPassword, createUser, PASSWORD, unique } from '../support/factories.js'
import { type Caller, callerOf, cookieOf, startService } from '../support/service.js'

const service = await startService(t)
const { anonymous, app, db } = service

/** Calls `before` with the stored hash before each verification of a password, until the test ends. */
function onVerify(t: Pick<Test, 'teardown'>, before: (hash: string) => unknown): void {
  const { verify } = argon2
  argon2.verify = async (hash, password) => {
    await before(hash)
    return verify(hash, password)
  }
  t.teardown(() => {
    argon2.verify = verify
  })
}

t.test('accepts a common password with a warning', async (t) => {
  const { id, ...first } = await service.admin()
  let admin: Caller = first
  for (const [password, warning] of [
    ['123456', 'common'],
    ['Password', 'common'],
    ['Qwerty123', 'common'],
    [`${unique('x')}-geheim`, undefined],
  ] as const) {
    const username = unique('neu')
    const created = await admin.post('/api/admin/users', { username, display_name: 'x', password })
    t.strictSame(Object.keys(created.body), ['id', 'message'], 'the body is as specified')
    const changed = await admin.patch(`/api/accounts/${created.body.id}`, { password })
    const member = await service.anonymous.post('/api/auth/login', { username, password })
    t.equal(member.status, 200)
    const own = await admin.post('/api/auth/password', { current_password: PASSWORD, new_password: password })
    t.strictSame(own.body, { ok: true })
    const back = { current_password: password, new_password: PASSWORD }
    admin = callerOf(app, cookieOf(await callerOf(app, cookieOf(own)).post('/api/auth/password', back)))
    for (const response of [created, changed, own]) t.equal(response.headers['x-password-warning'], warning, password)
  }
  const renamed = await admin.patch(`/api/accounts/${id}`, { display_name: '123456' })
  t.equal(renamed.headers['x-password-warning'], undefined)
})

t.test('a login with the old password starts no session after a reset', async (t) => {
  const { id, username } = await createUser(db)
  onVerify(t, () =>
    db.transaction().execute(async (reset) => {
      await reset.updateTable('users').set({ password_hash: 'another' }).where('id', '=', id).execute()
      await reset.deleteFrom('sessions').where('user_id', '=', id).execute()
    }),
  )
  const { status, body } = await anonymous.post('/api/auth/login', { username, password: PASSWORD })
  t.match([status, body.message], [401, 'Benutzername oder Passwort falsch'])
  t.strictSame(await db.selectFrom('sessions').select('id').where('user_id', '=', id).execute(), [])
})

t.test('a login verifies a hash of the same cost, whether or not the user exists', async (t) => {
  const costs: string[] = []
  onVerify(t, (hash) => costs.push(hash.split('$').slice(0, 4).join('$')))
  const { username } = await createUser(db, { password_hash: await costlyHashOfPassword() })
  const { username: without } = await createUser(db, { password_hash: 'kein Hash' })
  for (const name of [username, without, unique('niemand')]) {
    t.equal((await anonymous.post('/api/auth/login', { username: name, password: 'falsch' })).status, 401)
  }
  t.strictSame(costs, Array(3).fill('$argon2id$v=19$m=19456,p=1,t=2'))
})
