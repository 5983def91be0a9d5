import { sql } from 'kysely'
import t from 'tap'
import { createDatabaseToSpoil } from '../support/database.js'
import { createUser, PASSWORD, unique } from '../support/factories.js'
import { callerOf, cookieOf, errorBody, startService } from '../support/service.js'

const service = await startService(t, {
  database: await createDatabaseToSpoil(),
  config: { trustProxy: ['127.0.0.1'] },
})
const { app, db } = service
const begun = Date.now()
let admin = await service.admin()
const headers = { 'x-forwarded-for': '203.0.113.7' }
const me = (await admin.get('/api/auth/me')).body.user

const entries = async (limit = 100) => (await admin.get(`/api/accounts/audit?limit=${limit}`)).body.entries

t.test('records actions of administrators with actor, target, time and address', async (t) => {
  const username = unique('neu')
  const body = { username, display_name: 'Neu', password: 'streng-geheim', is_admin: true }
  const { id } = (await admin.post('/api/admin/users', body, { headers })).body
  await admin.patch(`/api/accounts/${id}`, { display_name: 'Anders', is_admin: false }, { headers })
  await admin.patch(`/api/accounts/${id}`, { password: 'noch-geheimer' }, { headers })
  const token = (await admin.post('/api/auth/tokens', { name: 'Nachts' }, { headers })).body
  const script = callerOf(app, undefined, token.token)
  await script.delete(`/api/admin/users/${id}`, { headers })
  await admin.delete(`/api/auth/tokens/${token.id}`, { headers })
  const passwords = { current_password: PASSWORD, new_password: PASSWORD }
  const changed = await admin.post('/api/auth/password', passwords, { headers })
  admin = { ...admin, ...callerOf(service.app, cookieOf(changed)) }
  t.equal((await admin.post('/api/admin/import', undefined, { headers })).status, 200)

  const who = { actor_id: admin.id, actor: me.username, via: 'session', address: '203.0.113.7' }
  const user = { target_id: id, target: username }
  t.match(
    (await entries()).reverse().map(({ id: _, at, ...rest }: { id: number; at: string }) => {
      t.ok(Date.parse(at) >= begun && Date.parse(at) <= Date.now())
      return rest
    }),
    [
      { ...who, ...user, action: 'user.create', details: { is_admin: true } },
      { ...who, ...user, action: 'user.update', details: { fields: ['display_name', 'is_admin'], is_admin: false } },
      { ...who, ...user, action: 'user.password', details: { fields: ['password'] } },
      { ...who, action: 'token.create', target_id: token.id, target: 'Nachts' },
      { ...who, ...user, via: 'token', action: 'user.delete', details: null },
      { ...who, action: 'token.delete', target_id: token.id },
      { ...who, action: 'user.password', target_id: admin.id, target: me.username },
      { ...who, action: 'content.import', details: { decks: { created: Number }, duration_ms: Number, warnings: 0 } },
    ],
  )
  t.equal((await entries(3)).length, 3)
  t.notMatch(JSON.stringify(await entries()), /geheim/)
})

t.test('an import without an audit entry is rolled back', async (t) => {
  await admin.post('/api/admin/import')
  await db.updateTable('decks').set({ name: 'von Hand' }).where('slug', '=', 'git').execute()
  await sql`alter table audit_log rename to audit_log_elsewhere`.execute(db)
  const response = await admin.post('/api/admin/import')
  await sql`alter table audit_log_elsewhere rename to audit_log`.execute(db)
  t.equal(response.status, 500)
  t.equal((await admin.get('/api/decks/git')).body.deck.name, 'von Hand')
  t.equal((await admin.post('/api/admin/import')).status, 200)
  t.equal((await admin.get('/api/decks/git')).body.deck.name, 'Git')
})

t.test('refused actions have no entry', async (t) => {
  const before = await entries(1000)
  const user = await createUser(db)
  const member = await service.loginAs(user.username)
  await admin.post('/api/admin/users', { username: user.username, display_name: 'x', password: 'sechs6' })
  await admin.delete('/api/admin/users/999999')
  await admin.delete(`/api/admin/users/${admin.id}`)
  await admin.patch(`/api/accounts/${user.id}`, {})
  await admin.patch('/api/accounts/999999', { display_name: 'x' })
  await admin.patch(`/api/accounts/${user.id}`, { display_name: '' })
  await admin.delete('/api/auth/tokens/999999')
  await member.post('/api/admin/users', {})
  await member.post('/api/auth/tokens', { name: 'x' })
  t.strictSame(await entries(1000), before)
})

t.test('limits the number of entries', async (t) => {
  for (const limit of ['0', '1001', 'x', '-1', '1.5']) {
    const response = await admin.get(`/api/accounts/audit?limit=${limit}`)
    t.equal(response.status, 400, limit)
    t.match(response.body.message, /^Der Parameter „limit“ /)
  }
  t.equal((await admin.get('/api/accounts/audit')).status, 200)
  t.strictSame((await callerOf(app).get('/api/accounts/audit')).body, errorBody(401, 'Nicht angemeldet'))
})

t.test('an entry outlives its actor', async (t) => {
  const other = await service.admin()
  const { id } = (
    await other.post('/api/admin/users', { username: unique('neu'), display_name: 'x', password: 'sechs6' })
  ).body
  await admin.delete(`/api/admin/users/${other.id}`)
  const noted = (await entries()).find((entry: { target_id: number }) => entry.target_id === id)
  t.match(noted, { actor_id: other.id, actor: String })
})
