import t from 'tap'
import { waitUntilBlocked } from '../support/database.js'
import { createUser, PASSWORD, unique } from '../support/factories.js'
import { type Caller, callerOf, errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { db, app } = service
const admin = await service.admin()

const accountUrl = (id: string) => `/api/accounts/by-external-id/${encodeURIComponent(id)}`
const teamUrl = (id: string) => `/api/teams/by-external-id/${encodeURIComponent(id)}`
const put = (url: string, payload: object = {}, by: Caller = admin) => by.send({ method: 'PUT', url, payload })
const auditOf = async (target: string) =>
  (await db.selectFrom('audit_log').selectAll().where('target', '=', target).orderBy('id').execute()).map(
    ({ action, details }) => ({ action, details }),
  )

t.test('creates an account with a generated password, and changes it later', async (t) => {
  const [id, username] = [unique('P'), unique('erika')]
  const body = { username: ` ${username} `, email: 'erika@example.org', personnel_number: unique('n'), is_author: true }
  const created = await put(accountUrl(id), body)
  t.equal(created.status, 201)
  t.match(created.body.user, { username, display_name: username, external_id: id, is_author: true, is_admin: false })
  t.match(created.body.user, { must_change_password: true, email: body.email, disabled_on: null })
  const { password } = created.body
  t.match(password, /^[a-z0-9-]{19}$/)
  t.equal((await service.anonymous.post('/api/auth/login', { username, password })).status, 200)

  const again = await put(accountUrl(id), body)
  t.equal(again.status, 200)
  t.strictSame(again.body, {
    user: { ...created.body.user, last_seen_on: again.body.user.last_seen_on },
    password: null,
  })
  t.strictSame((await put(accountUrl(id))).body, again.body, 'absent fields stay unchanged')
  const details = { is_admin: false, is_author: true, must_change_password: true, external_id: id }
  t.strictSame(await auditOf(username), [{ action: 'user.create', details }], 'a repetition is no change')

  const changed = await put(accountUrl(id), { ...body, display_name: 'Erika Muster', disabled_on: '2026-01-01' })
  t.match(changed.body.user, { display_name: 'Erika Muster', disabled_on: '2026-01-01' })
  t.equal((await service.anonymous.post('/api/auth/login', { username, password })).status, 401)
  t.match((await auditOf(username)).slice(1), [
    { action: 'user.update', details: { fields: ['display_name', 'disabled_on'], disabled_on: '2026-01-01' } },
  ])
  const { user } = created.body
  t.strictSame((await admin.get(accountUrl(id))).body, (await admin.get(`/api/accounts/${user.id}`)).body)
  t.strictSame((await admin.get(accountUrl('fehlt'))).body, errorBody(404, 'Benutzer nicht gefunden'))
})

t.test('only a new account gets the password', async (t) => {
  const [id, username] = [unique('P'), unique('name')]
  const body = { username, password: PASSWORD, must_change_password: false }
  const created = await put(accountUrl(id), body)
  t.match(created, { status: 201, body: { password: null, user: { must_change_password: false } } })
  const member = await service.loginAs(username)
  t.match(await put(accountUrl(id), { ...body, password: 'ein anderes', must_change_password: true }), { status: 200 })
  t.equal((await member.get('/api/auth/me')).status, 200, 'the session stays')
  t.ok(await service.loginAs(username), 'the password stays')
  const weak = await put(accountUrl(unique('P')), { username: unique('name'), password: '12345' })
  t.match(weak, { status: 400, headers: { 'x-error-field': 'password' } })
  const common = await put(accountUrl(unique('P')), { username: unique('name'), password: 'passwort' })
  t.match(common, { status: 201, headers: { 'x-password-warning': 'common' } })
})

t.test('renames an account, and refuses names and numbers that are taken', async (t) => {
  const [one, two] = [unique('P'), unique('P')]
  const [first, second] = [unique('a'), unique('b')]
  const number = unique('n')
  await put(accountUrl(one), { username: first, personnel_number: number })
  const unknown = await put(accountUrl(two), { username: first })
  t.strictSame(unknown.body, errorBody(409, 'Benutzername existiert bereits'))
  t.match(unknown.headers, { 'x-error-code': 'username_taken', 'x-error-field': 'username' })
  t.match(await put(accountUrl(two), { username: second, personnel_number: number }), {
    status: 400,
    headers: { 'x-error-code': 'personnel_number_taken' },
  })
  t.equal((await put(accountUrl(two), { username: second })).status, 201)
  t.match(await put(accountUrl(two), { username: first }), { status: 409, headers: { 'x-error-field': 'username' } })
  t.match(await put(accountUrl(two), { personnel_number: number }), { status: 400 })
  const renamed = unique('c')
  t.match((await put(accountUrl(two), { username: renamed })).body.user, { username: renamed, display_name: second })
  t.strictSame(await auditOf(renamed), [{ action: 'user.update', details: { fields: ['username'], from: second } }])
  t.match(await put(accountUrl(unique('P'))), { status: 400, headers: { 'x-error-field': 'username' } })
  for (const username of ['', ' ', 'x'.repeat(201), 'a\tb', 7]) {
    const refused = await put(accountUrl(two), { username })
    t.match([refused.status, refused.headers['x-error-field']], [400, 'username'])
  }
})

t.test('a name in another Unicode form is the same name', async (t) => {
  const [id, name] = [unique('P'), unique('u')]
  await put(accountUrl(id), { username: `${name}a\u0308` })
  t.match((await put(accountUrl(id), { username: `${name}ä` })).body.user, { username: `${name}a\u0308` })
  t.equal((await put(accountUrl(unique('P')), { username: `${name}ä` })).status, 409)
})

t.test('external ids have at most 128 characters, differ by case and may contain any sign', async (t) => {
  const longest = '😀'.repeat(128)
  t.equal((await put(accountUrl(longest), { username: unique('u') })).status, 201)
  t.equal((await put(teamUrl(longest), { name: unique('T') })).status, 201)
  for (const url of [accountUrl, teamUrl]) {
    for (const id of ['x'.repeat(129), '😀'.repeat(129), ' ', 'a\nb', 'a\0b', 'a\u202eb']) {
      const refused = await put(url(id), { username: unique('u'), name: unique('T') })
      t.match([refused.status, refused.headers['x-error-field']], [400, 'external_id'], JSON.stringify(id))
    }
    const get = (id: string) => admin.get(url(id))
    t.equal((await get('a\0b')).status, 404, 'text that PostgreSQL cannot hold')
    t.match(await get('x'.repeat(129)), { status: 400, headers: { 'x-error-details': '{"maximum":128}' } })
  }
  const id = unique('a/b c%20d?ä')
  const created = await put(accountUrl(id), { username: unique('u') })
  t.equal(created.body.user.external_id, id)
  t.equal((await put(accountUrl(` ${id} `.normalize('NFD')))).body.user.id, created.body.user.id, 'trimmed, in NFC')
  t.equal((await put(accountUrl(id.toUpperCase()), { username: unique('u') })).status, 201)
})

t.test('PATCH sets, moves and removes an external id', async (t) => {
  const [one, two] = [await createUser(db), await createUser(db)]
  const id = unique('P')
  const patch = ({ id: userId }: { id: number }, external_id: string | null) =>
    admin.patch(`/api/accounts/${userId}`, { external_id })
  const idOf = async (user: { id: number }) => (await admin.get(`/api/accounts/${user.id}`)).body.user.external_id
  t.equal((await patch(one, ` ${id} `)).status, 200)
  t.equal((await patch(one, id)).status, 200, 'the own id again')
  const taken = await patch(two, id)
  t.strictSame(taken.body, errorBody(409, 'Diese externe Kennung ist schon vergeben'))
  t.match(taken.headers, { 'x-error-code': 'external_id_taken', 'x-error-field': 'external_id' })
  t.equal((await patch(one, 'x'.repeat(129))).status, 400)
  t.match((await put(accountUrl(id), { display_name: 'Neu' })).body.user, { id: one.id, display_name: 'Neu' })
  await patch(one, null)
  t.equal((await patch(two, id)).status, 200)
  t.strictSame([await idOf(one), await idOf(two)], [null, id])
  t.match((await auditOf(two.username)).at(-1), { details: { fields: ['external_id'], external_id: id } })
  const listed = (await admin.get(`/api/accounts?q=${two.username}`)).body.users
  t.match(listed, [{ external_id: id }])
  const { body } = await (await service.loginAs(two.username)).get('/api/accounts/me/data')
  t.equal(body.user.external_id, id)
})

t.test('applies the rules of PATCH', async (t) => {
  const chef = await service.admin()
  const id = unique('P')
  await admin.patch(`/api/accounts/${chef.id}`, { external_id: id })
  const own = await put(accountUrl(id), { password: 'neues-passwort' }, chef)
  t.match(own, { status: 200, body: { password: null } }, 'a list contains its sender, too')
  await db.updateTable('users').set({ is_admin: false }).where('id', '<>', chef.id).execute()
  const last = await put(accountUrl(id), { is_admin: false, display_name: 'x' }, chef)
  t.strictSame(last.body, errorBody(400, 'Dem letzten Administrator kann man die Rechte nicht nehmen'))
  const disabled = await put(accountUrl(id), { disabled_on: '2020-01-01' }, chef)
  t.strictSame(disabled.body, errorBody(400, 'Den letzten Administrator kann man nicht deaktivieren'))
  t.not((await chef.get(accountUrl(id))).body.user.display_name, 'x', 'nothing was changed')
  await db.updateTable('users').set({ is_admin: true }).where('id', '=', admin.id).execute()
})

t.test('grants need a fresh login, except by a token', async (t) => {
  const chef = await service.admin()
  const { token } = (await chef.post('/api/auth/tokens', { name: 'x', scopes: ['admin'] })).body
  await db
    .updateTable('sessions')
    .set({ authenticated_at: new Date('2026-01-01') })
    .where('user_id', '=', chef.id)
    .execute()
  const id = unique('P')
  const body = { username: unique('u'), is_admin: true, link_next_login: true, external_id: 'x' }
  t.equal((await put(accountUrl(id), body, chef)).headers['x-error-code'], 'proof_too_old')
  const created = await put(accountUrl(id), body, callerOf(app, undefined, token))
  t.equal(created.status, 201)
  t.match(created.body.user, { is_admin: true, external_id: id, sign_in: { link_next_login: false, emergency: false } })
  const renamed = await put(accountUrl(id), { username: unique('u') }, chef)
  t.equal(renamed.headers['x-error-code'], 'proof_too_old', 'the provider may link a login by the user name')
  t.equal((await put(accountUrl(id), { display_name: 'Neu' }, chef)).status, 200)
  await admin.delete(`/api/admin/users/${created.body.user.id}`)
})

t.test('concurrent equal requests create one account', async (t) => {
  const [id, username] = [unique('P'), unique('u')]
  const responses = await Promise.all(Array.from({ length: 5 }, () => put(accountUrl(id), { username })))
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 201])
  t.equal(new Set(responses.map(({ body }) => body.user.id)).size, 1)
  const name = unique('u')
  const both = await Promise.all([unique('P'), unique('P')].map((other) => put(accountUrl(other), { username: name })))
  t.strictSame(both.map(({ status }) => status).sort(), [201, 409], 'two ids with one name')
})

t.test('a rename gets 409 if a concurrent request takes the name', async (t) => {
  const [id, username] = [unique('P'), unique('u')]
  await put(accountUrl(id), { username })
  const taken = unique('taken')
  let renaming: Promise<unknown> | undefined
  await db.transaction().execute(async (transaction) => {
    await transaction.insertInto('users').values({ username: taken, display_name: 'x' }).execute()
    renaming = put(accountUrl(id), { username: taken })
    await waitUntilBlocked(service.database)
  })
  t.match(await renaming, { status: 409, headers: { 'x-error-code': 'username_taken' } })
})

t.test('lists of users create, move and remove external ids', async (t) => {
  const [first, second, id, other] = [unique('a'), unique('b'), unique('P'), unique('P')]
  const bulk = (users: object[], query = '') => admin.post(`/api/accounts/bulk${query}`, { users })
  const row = (username: string, external_id: string | null) => ({ username, external_id })
  const created = await bulk([row(first, ` ${id} `), row(second, other)])
  t.match(created.body.users, [{ external_id: id }, { external_id: other }])
  t.match(await auditOf(first), [{ action: 'user.create', details: { external_id: id } }])
  const errorsOf = async (...args: Parameters<typeof bulk>) => (await bulk(...args)).body.errors
  const taken = { field: 'external_id', message: 'Diese externe Kennung ist schon vergeben' }
  t.match(await errorsOf([row(unique('u'), id)]), [{ line: 1, ...taken }])
  t.match(await errorsOf([row(second, id)], '?mode=update'), [{ line: 1, ...taken }])
  const twice = { line: 2, field: 'external_id', message: 'Die externe Kennung steht schon in Zeile 1' }
  t.match(await errorsOf([row(unique('u'), 'x'), row(unique('u'), 'x')]), [twice])
  const long = { field: 'external_id', message: 'Das Feld „external_id“ darf höchstens 128 Zeichen haben' }
  t.match(await errorsOf([row(unique('u'), 'x'.repeat(129))]), [long])

  const swapped = await bulk([row(first, other), row(second, id)], '?mode=update')
  t.match(swapped.body.changes, [
    { username: first, field: 'external_id', from: id, to: other },
    { username: second, field: 'external_id', from: other, to: id },
  ])
  t.equal((await admin.get(accountUrl(id))).body.user.username, second)
  await bulk([row(second, null)], '?mode=update')
  t.equal((await admin.get(accountUrl(id))).status, 404)
  const csv = await admin.send({
    method: 'POST',
    url: '/api/accounts/bulk?mode=update',
    payload: `benutzername;externe Kennung\n${second};${id}\n`,
    headers: { 'content-type': 'text/csv' },
  })
  t.match(csv.body.changes, [{ username: second, field: 'external_id', from: null, to: id }])
})

t.test('creates and changes teams', async (t) => {
  const [id, name] = [unique('T'), unique('Werkstatt')]
  const created = await put(teamUrl(id), { name: ` ${name} `, external_id: 'x' })
  t.equal(created.status, 201)
  t.match(created.body.team, { name, external_id: id, external_group: null, version: 1 })
  const again = await put(teamUrl(id), { name })
  t.equal(again.status, 200)
  t.strictSame(again.body, created.body)
  t.strictSame((await put(teamUrl(id))).body, created.body)
  t.strictSame((await admin.get(teamUrl(id))).body, created.body)
  t.match((await put(teamUrl(id), { name: `${name} Süd`, external_group: unique('g') })).body.team, { version: 2 })
  t.match(await auditOf(name), [{ action: 'team.create', details: { external_id: id } }])
  t.match(await auditOf(`${name} Süd`), [{ action: 'team.update', details: { fields: ['name', 'external_group'] } }])

  const other = (await admin.post('/api/teams', { name: unique('x'), external_id: unique('T') })).body.team
  const taken = await put(teamUrl(unique('T')), { name: other.name })
  t.match(taken, { status: 409, headers: { 'x-error-code': 'team_taken', 'x-error-field': 'name' } })
  t.match(await put(teamUrl(id), { name: other.name }), { status: 409 })
  t.match(await put(teamUrl(unique('T'))), { status: 400, headers: { 'x-error-field': 'name' } })
  const url = `/api/teams/${other.id}`
  const moved = await admin.patch(url, { external_id: id })
  t.strictSame(moved.body, errorBody(409, 'Diese externe Kennung ist schon vergeben'))
  t.match(moved.headers, { 'x-error-code': 'external_id_taken', 'x-error-field': 'external_id' })
  t.match(await admin.post('/api/teams', { name: unique('x'), external_id: id }), { status: 409 })
  t.match((await admin.patch(url, { external_id: null })).body.team, { external_id: null, version: 2 })
  t.match(await admin.get(teamUrl('fehlt')), { status: 404 })
  const listed = (await admin.get('/api/teams')).body.teams.find((team: { id: number }) => team.id === other.id)
  t.equal(listed.external_id, null)
  await admin.delete(`/api/teams/${created.body.team.id}`)
  t.equal((await put(teamUrl(id), { name })).status, 201, 'the id of a deleted team is free')
})

t.test('concurrent equal requests create one team', async (t) => {
  const [id, name] = [unique('T'), unique('team')]
  const responses = await Promise.all(Array.from({ length: 5 }, () => put(teamUrl(id), { name })))
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 201])
  t.equal(new Set(responses.map(({ body }) => body.team.id)).size, 1)
})
