import t from 'tap'
import { ACCOUNT_LIMIT } from '../../src/domain/accounts/login-limits.js'
import { costlyHashOfPassword, createUser, PASSWORD, unique } from '../support/factories.js'
import { type Caller, callerOf, cookieOf, startService } from '../support/service.js'

const service = await startService(t)
const { anonymous, app, db } = service

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
    for (const answer of [created, changed, own]) t.equal(answer.headers['x-password-warning'], warning, password)
  }
  const renamed = await admin.patch(`/api/accounts/${id}`, { display_name: '123456' })
  t.equal(renamed.headers['x-password-warning'], undefined)
})

t.test('a login with the old password starts no session after a reset', async (t) => {
  const { id, username } = await createUser(db, { password_hash: await costlyHashOfPassword() })
  // Sends several logins, so that some are still queued when the password changes. If more logins failed
  // than the limit allows, the remaining logins would get 429.
  const logins = Array.from({ length: ACCOUNT_LIMIT.forgiven }, () =>
    anonymous.post('/api/auth/login', { username, password: PASSWORD }),
  )
  // When the first login ends, the other logins have read the old hash and are queued.
  await Promise.race(logins)
  await db.transaction().execute(async (reset) => {
    await reset.updateTable('users').set({ password_hash: 'another' }).where('id', '=', id).execute()
    await reset.deleteFrom('sessions').where('user_id', '=', id).execute()
  })
  const answers = await Promise.all(logins)
  const refused = answers.filter(({ status }) => status !== 200)
  t.ok(refused.length > 0)
  for (const { status, body } of refused) t.match([status, body.message], [401, 'Benutzername oder Passwort falsch'])
  t.strictSame(await db.selectFrom('sessions').select('id').where('user_id', '=', id).execute(), [])
})

t.test('response time does not reveal whether a user exists', async (t) => {
  const timeOf = async (username: string) => {
    const started = performance.now()
    t.equal((await anonymous.post('/api/auth/login', { username, password: 'falsch' })).status, 401)
    return performance.now() - started
  }
  const password_hash = await costlyHashOfPassword()
  const known: number[] = []
  const unknown: number[] = []
  for (let i = 0; i < 15; i++) {
    known.push(await timeOf((await createUser(db, { password_hash })).username))
    unknown.push(await timeOf(unique('niemand')))
  }
  const median = (times: number[]) => times.sort((a, b) => a - b)[7] as number
  const ratio = median(unknown) / median(known)
  t.ok(ratio > 0.6 && ratio < 1.7, `unknown : known = ${ratio.toFixed(2)}`)
})
