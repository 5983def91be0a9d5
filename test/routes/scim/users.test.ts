import t from 'tap'
import { lockExternalIds } from '../../../db/queries/accounts/users.js'
import { startBehindLock, waitUntilBlocked } from '../../support/database.js'
import { createUser, PASSWORD, unique } from '../../support/factories.js'
import { connectProvider, ENTERPRISE, patchOf, scimError } from '../../support/scim.js'
import { callerOf, startService } from '../../support/service.js'

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'

const service = await startService(t, { config: { publicUrl: 'https://training.example.org/' } })
const { db, app } = service
const provider = await connectProvider(service)
const adopting = await startService(t, { database: service.database, config: { scimAdopt: true } })

const create = async (values: object = {}) => {
  const name = unique('scim')
  const { status, body } = await provider.post('/scim/v2/Users', {
    schemas: [USER],
    userName: name,
    externalId: `id-${name}`,
    displayName: 'Erika Muster',
    ...values,
  })
  t.equal(status, 201)
  return body
}
const rowOf = (id: string | number) =>
  db.selectFrom('users').selectAll().where('id', '=', Number(id)).executeTakeFirstOrThrow()
const entriesOf = (id: string | number) =>
  db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'via', 'details'])
    .where('target_id', '=', Number(id))
    .where('action', 'like', 'user.%')
    .orderBy('id')
    .execute()

t.test('creates, reads and lists an account', async (t) => {
  const { status, headers, body } = await provider.post('/scim/v2/Users', {
    schemas: [USER, ENTERPRISE],
    userName: 'Erika@example.org',
    externalId: 'E-1',
    name: { givenName: 'Erika', familyName: 'Muster' },
    emails: [
      { type: 'home', value: 'home@example.org' },
      { type: 'work', primary: true, value: 'erika@example.org' },
    ],
    [ENTERPRISE]: { employeeNumber: '00417', department: 'Vertrieb' },
    nickName: 'Eri',
    active: true,
  })
  t.equal(status, 201)
  const location = `https://training.example.org/scim/v2/Users/${body.id}`
  t.equal(headers.location, location)
  t.match(headers['content-type'], /^application\/scim\+json/)
  const { meta, ...rest } = body
  t.strictSame(rest, {
    schemas: [USER, ENTERPRISE],
    id: body.id,
    externalId: 'E-1',
    userName: 'Erika@example.org',
    displayName: 'Erika Muster',
    name: { formatted: 'Erika Muster' },
    active: true,
    emails: [{ value: 'erika@example.org', type: 'work', primary: true }],
    [ENTERPRISE]: { employeeNumber: '00417' },
  })
  t.match(meta, { resourceType: 'User', location })
  t.strictSame((await provider.get(`/scim/v2/Users/${body.id}`)).body, body)

  const found = async (filter: string) =>
    (await provider.get(`/scim/v2/Users?filter=${encodeURIComponent(filter)}`)).body.Resources.map(
      (one: { id: string }) => one.id,
    )
  for (const filter of [
    'userName eq "erika@EXAMPLE.org"',
    'externalId eq "E-1"',
    `id eq "${body.id}"`,
    'emails[type eq "work"].value eq "Erika@example.org"',
    'emails.value eq "erika@example.org" and active eq true',
    `${ENTERPRISE}:employeeNumber eq "00417"`,
    `displayName eq "erika muster" AND active eq "True" and id eq "${body.id}"`,
  ]) {
    t.strictSame(await found(filter), [body.id], filter)
  }
  t.strictSame(await found('externalId eq "e-1"'), [], 'an external id is case-sensitive')
  t.strictSame(await found('userName eq "erika@example.org" and active eq false'), [])
  t.strictSame(await entriesOf(body.id), [
    { action: 'user.create', actor: 'Entra', via: 'scim', details: { is_admin: false, external_id: 'E-1' } },
  ])
})

t.test('pages and projects lists', async (t) => {
  const all = (await provider.get('/scim/v2/Users?count=200&attributes=userName')).body
  t.equal(all.itemsPerPage, all.totalResults)
  t.strictSame(Object.keys(all.Resources[0]).sort(), ['id', 'schemas', 'userName'])
  const second = (await provider.get('/scim/v2/Users?startIndex=2&count=1')).body
  t.match(second, { startIndex: 2, itemsPerPage: 1, totalResults: all.totalResults })
  t.equal(second.Resources[0].id, all.Resources[1].id)
  const count = (await provider.get('/scim/v2/Users?count=0')).body
  t.strictSame([count.Resources, count.totalResults], [[], all.totalResults])
  t.equal((await provider.get('/scim/v2/Users?count=-1&startIndex=0')).status, 200)
  t.equal((await provider.get('/scim/v2/Users?count=x')).body.scimType, 'invalidValue')
  const without = (await provider.get('/scim/v2/Users?excludedAttributes=name.formatted,meta,emails')).body
  t.strictSame(without.Resources[0].name, {})
  t.strictSame([without.Resources[0].meta, without.Resources[0].emails], [undefined, undefined])
  const { body: searched } = await provider.post('/scim/v2/Users/.search', { count: 1, attributes: ['active'] })
  t.strictSame(Object.keys(searched.Resources[0]).sort(), ['active', 'id', 'schemas'])
})

t.test('disables at once and lifts only what SCIM has disabled', async (t) => {
  const { id, userName } = await create()
  const { id: byHand } = await createUser(db)
  const person = await service.loginAs((await rowOf(byHand)).username)
  const { token } = (await person.post('/api/auth/tokens', { name: 'x' })).body

  const disable = patchOf({ op: 'Replace', path: 'active', value: 'False' })
  for (const _ of [1, 2]) {
    const { status, body } = await provider.patch(`/scim/v2/Users/${byHand}`, disable)
    t.strictSame([status, body.active], [200, false])
  }
  t.equal((await person.get('/api/auth/me')).status, 401)
  t.equal((await callerOf(app, undefined, token).get('/api/auth/me')).status, 401)
  t.strictSame(
    (await entriesOf(byHand)).map(({ action, via }) => [action, via]),
    [['user.update', 'scim']],
  )
  const enable = patchOf({ op: 'replace', value: { active: true } })
  t.equal((await provider.patch(`/scim/v2/Users/${byHand}`, enable)).body.active, true)
  t.equal((await rowOf(byHand)).disabled_on, null)

  await provider.owner.patch(`/api/accounts/${id}`, { disabled_on: '2020-01-01' })
  const { status, body } = await provider.patch(`/scim/v2/Users/${id}`, enable)
  t.strictSame([status, body.active], [200, false], userName)
  t.equal((await rowOf(id)).disabled_on, '2020-01-01')
  await provider.patch(`/scim/v2/Users/${id}`, disable)
  t.equal((await rowOf(id)).scim_disabled, false, 'the deactivation by hand stays one by hand')
})

t.test('an administrator takes over a deactivation by SCIM', async (t) => {
  const { id } = await create({ active: false })
  t.match(await rowOf(id), { scim_disabled: true })
  await provider.owner.patch(`/api/accounts/${id}`, { disabled_on: '2020-01-01' })
  t.match(await rowOf(id), { scim_disabled: false, disabled_on: '2020-01-01' })
  const enable = patchOf({ op: 'replace', path: 'active', value: true })
  t.equal((await provider.patch(`/scim/v2/Users/${id}`, enable)).body.active, false)
})

t.test('restores a planned day', async (t) => {
  const { id } = await create()
  await provider.owner.patch(`/api/accounts/${id}`, { disabled_on: '2999-12-31' })
  t.equal((await provider.get(`/scim/v2/Users/${id}`)).body.active, true)
  await provider.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: false }))
  t.not((await rowOf(id)).disabled_on, '2999-12-31')
  await provider.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: true }))
  t.match(await rowOf(id), { disabled_on: '2999-12-31', scim_disabled: false, scim_former_day: null })
})

t.test('DELETE disables and hides; POST revives the same account', async (t) => {
  const { id, userName, externalId } = await create()
  t.equal((await provider.delete(`/scim/v2/Users/${id}`)).status, 204)
  t.strictSame((await provider.delete(`/scim/v2/Users/${id}`)).body, scimError(404, 'Resource not found'))
  t.equal((await provider.get(`/scim/v2/Users/${id}`)).status, 404)
  t.equal(
    (await provider.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'add', path: 'active', value: true }))).status,
    404,
  )
  t.equal((await provider.get(`/scim/v2/Users?filter=userName%20eq%20%22${userName}%22`)).body.totalResults, 0)
  t.ok((await rowOf(id)).disabled_on)
  const revived = await provider.post('/scim/v2/Users', { userName, externalId, displayName: 'Neu' })
  t.equal(revived.status, 201)
  t.match(revived.body, { id, active: true, displayName: 'Neu' })
  t.strictSame(
    (await entriesOf(id)).map(({ details }) => details),
    [
      { is_admin: false, external_id: externalId },
      {
        fields: ['disabled_on'],
        disabled_on: (details(await entriesOf(id), 1) as { disabled_on: string }).disabled_on,
      },
      { fields: ['scim_deleted'], scim_deleted: true },
      { fields: ['display_name', 'disabled_on'], disabled_on: null },
      { fields: ['scim_deleted'], scim_deleted: false },
    ],
  )
})

const details = (entries: { details: unknown }[], index: number) => entries[index]?.details

t.test('does not revive an account with rights for another person of the same name', async (t) => {
  const { id, userName } = await create()
  await db.updateTable('users').set({ is_author: true }).where('id', '=', Number(id)).execute()
  await provider.delete(`/scim/v2/Users/${id}`)
  const { status, body } = await provider.post('/scim/v2/Users', { userName, externalId: unique('other') })
  t.strictSame([status, body.scimType], [409, 'uniqueness'])
})

t.test('does not revive an account with a login for another person of the same name', async (t) => {
  for (const login of ['password', 'passkey', 'identity', undefined]) {
    const { id, userName } = await create()
    const user_id = Number(id)
    if (login === 'password') {
      await db.updateTable('users').set({ password_hash: 'x' }).where('id', '=', user_id).execute()
    } else if (login === 'passkey') {
      const key = Buffer.from(unique('key'))
      const passkey = { credential_id: key, public_key: key, user_handle: key, name: 'Handy' }
      await db
        .insertInto('passkeys')
        .values({ user_id, ...passkey })
        .execute()
    } else if (login === 'identity') {
      const identity = { issuer: 'https://id.example.org', subject: unique('s') }
      await db
        .insertInto('identities')
        .values({ user_id, ...identity })
        .execute()
    }
    await provider.delete(`/scim/v2/Users/${id}`)
    const { status, body } = await provider.post('/scim/v2/Users', { userName, externalId: unique('other') })
    if (login === undefined) t.strictSame([status, body.id], [201, id])
    else t.strictSame(body, hiddenError('userName'), login)
  }
})

t.test('revives the account whose name differs only in case', async (t) => {
  const { id, userName, externalId } = await create()
  await provider.delete(`/scim/v2/Users/${id}`)
  const { status, body } = await provider.post('/scim/v2/Users', { userName: userName.toUpperCase(), externalId })
  t.strictSame([status, body.id, body.userName], [201, id, userName])
  await provider.delete(`/scim/v2/Users/${id}`)
  const revived = await provider.post('/scim/v2/Users', { userName: userName.toUpperCase() })
  t.strictSame([revived.status, revived.body.id], [201, id])
})

const hiddenError = (attribute: string) =>
  scimError(
    409,
    `Another resource has this ${attribute}: it is held by an account that was deleted by SCIM; an administrator can change it`,
    'uniqueness',
  )

t.test('says that an account which SCIM has deleted holds a name, external id or number', async (t) => {
  const employeeNumber = unique('n')
  const first = await create({ [ENTERPRISE]: { employeeNumber } })
  await provider.delete(`/scim/v2/Users/${first.id}`)
  const other = await create()
  const put = (values: object) => provider.put(`/scim/v2/Users/${other.id}`, { userName: other.userName, ...values })
  t.strictSame((await put({ userName: first.userName.toUpperCase() })).body, hiddenError('userName'))
  t.strictSame((await put({ externalId: first.externalId })).body, hiddenError('externalId'))
  t.strictSame((await put({ [ENTERPRISE]: { employeeNumber } })).body, hiddenError('employeeNumber'))
  const { body } = await provider.post('/scim/v2/Users', { userName: unique('u'), [ENTERPRISE]: { employeeNumber } })
  t.strictSame(body, hiddenError('employeeNumber'))
})

t.test('decides by the rights and the deactivation that apply when it writes', async (t) => {
  const behind = (id: number, values: object, request: () => Promise<{ status: number; body: { active: boolean } }>) =>
    startBehindLock(
      service.database,
      (transaction) => transaction.updateTable('users').set(values).where('id', '=', id).execute(),
      [request],
    )
  const patch = (id: number, value: object) => provider.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', value }))

  const renamed = await createUser(db)
  await behind(renamed.id, { is_author: true }, () => patch(renamed.id, { userName: unique('x'), active: true }))
  t.match(await rowOf(renamed.id), { username: renamed.username })

  const adopted = await createUser(db)
  const adopter = callerOf(adopting.app, undefined, provider.token)
  const [refused] = await behind(adopted.id, { is_author: true }, () =>
    adopter.post('/scim/v2/Users', { userName: adopted.username, externalId: unique('e') }),
  )
  t.equal(refused?.status, 409)

  const disabled = await createUser(db)
  await behind(disabled.id, { disabled_on: '2020-01-01' }, () => patch(disabled.id, { active: false }))
  t.match(await rowOf(disabled.id), { disabled_on: '2020-01-01', scim_disabled: false })

  const { id } = await create({ active: false })
  const taken = { disabled_on: '2020-01-01', scim_disabled: false }
  const [response] = await behind(Number(id), taken, () => patch(id, { active: true }))
  t.equal(response?.body.active, false)
  t.match(await rowOf(id), taken)
})

t.test('DELETE ends the memberships by SCIM', async (t) => {
  const { id, userName } = await create()
  const displayName = unique('team')
  const { body: group } = await provider.post('/scim/v2/Groups', { displayName, members: [{ value: id }] })
  const { team } = (await provider.owner.post('/api/teams', { name: unique('hand') })).body
  await provider.owner.put(`/api/teams/${team.id}/members/${id}`, { role: 'member' })
  await provider.delete(`/scim/v2/Users/${id}`)
  const current = await db
    .selectFrom('team_members')
    .select('team_id')
    .where('user_id', '=', Number(id))
    .where('until_on', 'is', null)
    .execute()
  t.strictSame(current, [{ team_id: team.id }])
  const left = await db
    .selectFrom('audit_log')
    .select(['actor', 'target', 'details'])
    .where('action', '=', 'team.leave')
    .where('target_id', '=', Number(group.id))
    .execute()
  t.strictSame(left, [{ actor: 'Entra', target: displayName, details: { username: userName } }])
})

t.test('refuses names, external ids and numbers that are taken', async (t) => {
  const first = await create({ [ENTERPRISE]: { employeeNumber: unique('n') } })
  const { employeeNumber } = first[ENTERPRISE]
  const post = (values: object) => provider.post('/scim/v2/Users', { userName: unique('u'), ...values })
  const expected = (attribute: string) => scimError(409, `Another resource has this ${attribute}`, 'uniqueness')
  t.strictSame((await post({ userName: first.userName })).body, expected('userName'))
  t.strictSame((await post({ userName: first.userName.toUpperCase() })).body, expected('userName'))
  t.strictSame((await post({ externalId: first.externalId })).body, expected('externalId'))
  t.strictSame((await post({ [ENTERPRISE]: { employeeNumber } })).body, expected('employeeNumber'))
  const other = await create()
  const put = (values: object) => provider.put(`/scim/v2/Users/${other.id}`, { userName: other.userName, ...values })
  t.strictSame((await put({ userName: first.userName.toUpperCase() })).body, expected('userName'))
  t.strictSame((await put({ externalId: first.externalId })).body, expected('externalId'))
  t.strictSame((await put({ [ENTERPRISE]: { employeeNumber } })).body, expected('employeeNumber'))
  t.strictSame((await provider.get(`/scim/v2/Users/${other.id}`)).body, other)
})

t.test('an exact name wins over names in another case', async (t) => {
  const name = unique('fall')
  const { id: upper } = await createUser(db, { username: name.toUpperCase() })
  const { id: exact } = await createUser(db, { username: name })
  const { status } = await provider.post('/scim/v2/Users', { userName: name, externalId: name })
  t.equal(status, 409)
  await provider.put(`/scim/v2/Users/${exact}`, { userName: name, externalId: name })
  t.match(await rowOf(exact), { external_id: name })
  t.match(await rowOf(upper), { external_id: null })
  const found = async (text: string) =>
    (await provider.get(`/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${text}"`)}`)).body.Resources.map(
      (one: { id: string }) => Number(one.id),
    )
  t.strictSame(await found(name), [exact])
  t.strictSame(await found(` ${name.toUpperCase()} `), [upper])
  t.strictSame(await found(`F${name.slice(1)}`), [upper, exact], 'without an exact name, all that differ in case')
  await provider.delete(`/scim/v2/Users/${exact}`)
  t.strictSame(await found(name), [upper], 'a hidden account does not count')
})

t.test('takes over an account of the same name only if SCIM_ADOPT is on, and none with rights', async (t) => {
  const adopter = callerOf(adopting.app, undefined, provider.token)
  const post = (caller: typeof adopter, userName: string, values: object = { externalId: unique('a') }) =>
    caller.post('/scim/v2/Users', { userName, displayName: 'Vom Verzeichnis', ...values })

  const plain = await createUser(db)
  t.equal((await post(provider, plain.username)).status, 409)
  t.equal((await post(adopter, plain.username.toUpperCase())).status, 409, 'not in another case')
  const adopted = await post(adopter, plain.username)
  t.strictSame([adopted.status, adopted.body.id, adopted.body.displayName], [201, String(plain.id), 'Vom Verzeichnis'])
  t.match(await rowOf(plain.id), { awaits_link: false })
  t.equal((await post(adopter, plain.username)).status, 409, 'only once')

  const unnamed = await createUser(db)
  t.equal((await post(adopter, unnamed.username, {})).body.id, String(unnamed.id), 'also without an external id')
  const ofScim = (await post(provider, unique('scim'), {})).body
  t.equal((await post(adopter, ofScim.userName, {})).status, 409, 'not one that SCIM has created')

  for (const right of [{ is_admin: true }, { is_author: true }, { is_auditor: true }, { emergency: true }]) {
    const { id, username } = await createUser(db)
    await db.updateTable('users').set(right).where('id', '=', id).execute()
    t.equal((await post(adopter, username)).status, 409, JSON.stringify(right))
  }
  const known = await createUser(db)
  await db
    .updateTable('users')
    .set({ external_id: unique('p') })
    .where('id', '=', known.id)
    .execute()
  t.equal((await post(adopter, known.username)).status, 409, 'not with an external id')
})

t.test('renames an account, but none that holds a right', async (t) => {
  const { id } = await create()
  const name = unique('neu')
  const { body } = await provider.patch(
    `/scim/v2/Users/${id}`,
    patchOf({ op: 'replace', path: 'userName', value: name }),
  )
  t.equal(body.userName, name)
  t.match(details(await entriesOf(id), 1), { fields: ['username'] })
  const rename = (userName: string) => provider.put(`/scim/v2/Users/${id}`, { userName })
  const former = { is_auditor: true, auditor_until: '2020-01-01' }
  await db.updateTable('users').set(former).where('id', '=', Number(id)).execute()
  t.not((await rename(unique('neu'))).body.userName, name, 'a former auditor holds no right')
  t.equal((await rename(name)).body.userName, name)
  await db.updateTable('users').set({ is_auditor: true, auditor_until: null }).where('id', '=', Number(id)).execute()
  const renamed = await provider.put(`/scim/v2/Users/${id}`, {
    userName: unique('x'),
    displayName: 'Anders',
    active: false,
  })
  t.equal(renamed.status, 200)
  t.match(renamed.body, { userName: name, displayName: 'Anders', active: false })
})

t.test('never disables the last administrator or an account with emergency access', async (t) => {
  const { id } = await createUser(db)
  await db.updateTable('users').set({ emergency: true }).where('id', '=', id).execute()
  const disable = patchOf({ op: 'replace', path: 'active', value: false })
  const emergency = scimError(409, 'An account with emergency access cannot be deactivated')
  t.strictSame((await provider.patch(`/scim/v2/Users/${id}`, disable)).body, emergency)
  t.strictSame((await provider.delete(`/scim/v2/Users/${id}`)).body, emergency)
  await db
    .updateTable('users')
    .set({ is_admin: false })
    .where('id', '<>', provider.owner.id)
    .where('is_admin', '=', true)
    .execute()
  const last = scimError(409, 'The last administrator cannot be deactivated')
  const put = { userName: (await rowOf(provider.owner.id)).username, active: false }
  t.strictSame((await provider.patch(`/scim/v2/Users/${provider.owner.id}`, disable)).body, last)
  t.strictSame((await provider.put(`/scim/v2/Users/${provider.owner.id}`, put)).body, last)
  t.strictSame((await provider.delete(`/scim/v2/Users/${provider.owner.id}`)).body, last)
  t.match(await rowOf(provider.owner.id), { disabled_on: null, scim_deleted: false })
})

t.test('of two concurrent requests that create the same user, one succeeds', async (t) => {
  for (const values of [{}, { externalId: unique('e') }]) {
    const user = { userName: unique('zwei'), ...values }
    const both = await Promise.all([1, 2].map(() => provider.post('/scim/v2/Users', user)))
    t.strictSame(both.map(({ status }) => status).sort(), [201, 409])
  }
})

const skip = service.database.embedded && 'the embedded database has one connection'
t.test('waiting changes leave connections of the database to other users', { skip }, async (t) => {
  const member = await service.member()
  const changes: ReturnType<typeof provider.post>[] = []
  await db.transaction().execute(async (transaction) => {
    await lockExternalIds(transaction)
    for (let count = 0; count < 30; count++)
      changes.push(provider.post('/scim/v2/Users', { userName: unique('viele') }))
    await waitUntilBlocked(service.database, 2)
    t.equal((await member.get('/api/auth/me')).status, 200)
  })
  t.strictSame([...new Set((await Promise.all(changes)).map(({ status }) => status))], [201])
})

t.test('a deactivation refuses the password and the other sessions', async (t) => {
  const { id, username } = await createUser(db)
  const person = await service.loginAs(username)
  await provider.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: false }))
  t.equal((await person.get('/api/auth/me')).status, 401)
  const login = () => service.anonymous.post('/api/auth/login', { username, password: PASSWORD })
  t.equal((await login()).status, 401)
  await provider.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: true }))
  t.equal((await login()).status, 200)
  t.equal((await person.get('/api/auth/me')).status, 401, 'a session does not return')
})

t.test('two providers work on the same accounts, each with its own name in the audit trail', async (t) => {
  const second = await connectProvider(service, 'Okta')
  const { id } = await create()
  const change = (caller: typeof second, displayName: string) =>
    caller.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', path: 'displayName', value: displayName }))
  const both = await Promise.all([
    ...['A', 'B', 'C'].map((name) => change(second, name)),
    provider.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: false })),
  ])
  t.strictSame(
    both.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.strictSame((await entriesOf(id)).map(({ actor }) => actor).sort(), ['Entra', 'Entra', 'Okta', 'Okta', 'Okta'])
})

t.test('leaves the password and the rights of an account alone', async (t) => {
  const { id } = await createUser(db, { is_author: true })
  const { password_hash } = await rowOf(id)
  await provider.patch(
    `/scim/v2/Users/${id}`,
    patchOf({ op: 'add', value: { password: 'geheim123', roles: ['admin'] } }),
  )
  t.match(await rowOf(id), { password_hash, is_author: true, is_admin: false })
})
