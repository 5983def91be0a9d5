import t from 'tap'
import { createUser } from '../../support/factories.js'
import { connectProvider, scimError } from '../../support/scim.js'
import { callerOf, startService } from '../../support/service.js'

const service = await startService(t)
const { app, db, anonymous } = service
const provider = await connectProvider(service)

const NO_TOKEN = scimError(401, 'A valid token with the scope "scim" is required')
const PATHS = ['/scim', '/scim/', '/scim/v2', '/scim/v2/Users', '/scim/v2/Schemas', '/scim/nothing', '/scim/v2/Bulk']

t.test('refuses other callers in the form of SCIM, on every path and method', async (t) => {
  const admin = await service.admin()
  const { token: other } = (await admin.post('/api/auth/tokens', { name: 'x' })).body
  for (const url of PATHS) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      for (const caller of [anonymous, admin, callerOf(app, undefined, `svct_${'a'.repeat(43)}`)]) {
        const response = await caller.send({ method, url, headers: { accept: 'text/html' } })
        t.strictSame([response.status, response.body], [401, NO_TOKEN], `${method} ${url}`)
        t.equal(response.headers['www-authenticate'], 'Bearer')
        t.match(response.headers['content-type'], /^application\/scim\+json/)
      }
      const { status, body } = await callerOf(app, undefined, other).send({ method, url })
      t.strictSame(
        [status, body],
        [403, scimError(403, 'The token does not have the scope "scim"')],
        `${method} ${url}`,
      )
    }
  }
})

t.test('answers unknown paths and methods in the form of SCIM, never with the app', async (t) => {
  const web = await startService(t, { config: { web: true } })
  const { token } = await connectProvider(web)
  const caller = callerOf(web.app, undefined, token)
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string) => {
    const { status, body } = await caller.send({
      method,
      url,
      headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' },
    })
    return [status, body?.detail]
  }
  t.strictSame(await ask('GET', '/scim'), [404, 'Unknown endpoint'])
  t.strictSame(await ask('GET', '/scim/v1/Users'), [404, 'Unknown endpoint'])
  t.strictSame(await ask('GET', '/scim/v2/Users/1/x'), [404, 'Unknown endpoint'])
  t.strictSame(await ask('GET', '/scim/v2/Users/abc'), [404, 'Resource not found'])
  t.strictSame(await ask('DELETE', '/scim/v2/Users'), [405, 'The endpoint does not support this method'])
  t.strictSame(await ask('PUT', '/scim/v2/Schemas'), [405, 'The endpoint does not support this method'])
  const allowed = async (method: 'POST' | 'DELETE', url: string) => (await caller.send({ method, url })).headers.allow
  t.equal(await allowed('DELETE', '/scim/v2/Groups?x=1'), 'GET, POST')
  t.equal(await allowed('POST', '/scim/v2/Users/1'), 'GET, PUT, PATCH, DELETE')
  t.equal(await allowed('POST', '/scim/v2/ResourceTypes/User'), 'GET')
  for (const path of ['Bulk', 'Me', '.search']) {
    const detail = 'The service does not support this endpoint; see /scim/v2/ServiceProviderConfig'
    t.strictSame(await ask('POST', `/scim/v2/${path}`), [501, detail])
  }
  const malformed = await web.app.inject({
    url: '/scim/v2/Users/%E0%A4%A',
    headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' },
  })
  t.strictSame([malformed.statusCode, malformed.json().detail], [400, 'The address is malformed'])
})

t.test('describes itself; lists have the form of a list', async (t) => {
  const config = (await provider.get('/scim/v2/ServiceProviderConfig')).body
  t.match(config, { patch: { supported: true }, filter: { supported: true }, bulk: { supported: false } })
  for (const [path, ids] of [
    ['ResourceTypes', ['User', 'Group']],
    [
      'Schemas',
      [
        'urn:ietf:params:scim:schemas:core:2.0:User',
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
        'urn:ietf:params:scim:schemas:core:2.0:Group',
      ],
    ],
  ] as const) {
    const { body } = await provider.get(`/scim/v2/${path}`)
    t.equal(body.totalResults, ids.length)
    t.strictSame(
      body.Resources.map(({ id }: { id: string }) => id),
      ids,
    )
    for (const [index, id] of ids.entries()) {
      t.strictSame((await provider.get(`/scim/v2/${path}/${id}`)).body, body.Resources[index])
    }
    t.equal((await provider.get(`/scim/v2/${path}/Nothing`)).status, 404)
  }
})

t.test('refuses what RFC 7644 (3.12) names', async (t) => {
  const { id } = await createUser(db)
  const send = async (method: 'POST' | 'PATCH' | 'PUT', payload: string | object, type = 'application/scim+json') => {
    const url = method === 'POST' ? '/scim/v2/Users' : `/scim/v2/Users/${id}`
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const { status, body } = await provider.send({ method, url, payload: text, headers: { 'content-type': type } })
    return [status, body.scimType]
  }
  const operations = (...Operations: unknown[]) => ({ Operations })
  t.strictSame(await send('POST', '{"userName":'), [400, 'invalidSyntax'])
  t.strictSame(await send('POST', '[]'), [400, 'invalidSyntax'])
  t.strictSame(await send('POST', {}), [400, 'invalidValue'])
  t.strictSame(await send('POST', { userName: '' }), [400, 'invalidValue'])
  t.strictSame(await send('POST', { userName: { a: 1 } }), [400, 'invalidValue'])
  t.strictSame(await send('POST', { userName: 'x\u0000y' }), [400, 'invalidValue'])
  t.strictSame(await send('POST', { userName: 'x'.repeat(201) }), [400, 'invalidValue'])
  t.strictSame(await send('POST', { userName: 'x', externalId: 'x'.repeat(129) }), [400, 'invalidValue'])
  t.strictSame(await send('POST', { userName: 'x', active: 'perhaps' }), [400, 'invalidValue'])
  t.strictSame(await send('POST', { userName: 'x', emails: [{ value: 'no address' }] }), [400, 'invalidValue'])
  t.strictSame(await send('POST', 'userName=x', 'application/x-www-form-urlencoded'), [415, undefined])
  t.strictSame(await send('POST', { userName: 'x', note: 'x'.repeat(2 * 2 ** 20) }), [413, undefined])
  t.strictSame(await send('PUT', { displayName: 'x' }), [400, 'invalidValue'])
  t.strictSame(await send('PATCH', {}), [400, 'invalidSyntax'])
  t.strictSame(await send('PATCH', operations()), [400, 'invalidSyntax'])
  t.strictSame(await send('PATCH', operations({ op: 'move', path: 'active' })), [400, 'invalidSyntax'])
  t.strictSame(await send('PATCH', operations({ op: 'replace', value: 'x' })), [400, 'invalidSyntax'])
  t.strictSame(await send('PATCH', operations({ op: 'remove' })), [400, 'noTarget'])
  t.strictSame(await send('PATCH', operations({ op: 'remove', path: 'userName' })), [400, 'mutability'])
  t.strictSame(await send('PATCH', operations({ op: 'replace', path: 'emails[', value: 'x' })), [400, 'invalidPath'])
  t.strictSame(await send('PATCH', operations({ op: 'replace', path: 'emails[x]', value: 'x' })), [
    400,
    'invalidFilter',
  ])
  t.strictSame(await send('PATCH', operations({ op: 'replace', path: 'active', value: 'x' })), [400, 'invalidValue'])
  t.strictSame(await send('PATCH', operations({ op: 'replace', path: 'unknown', value: 'x' })), [200, undefined])
  for (const filter of [
    'userName',
    'userName co "x"',
    'userName eq',
    'userName eq "x',
    'a eq "b" or c eq "d"',
    'password eq "x"',
    'active eq "foo"',
  ]) {
    const { status, body } = await provider.get(`/scim/v2/Users?filter=${encodeURIComponent(filter)}`)
    t.strictSame([status, body.scimType], [400, 'invalidFilter'], filter)
  }
  for (const filter of [7, { a: 1 }, ['userName eq "x"']]) {
    for (const path of ['Users', 'Groups']) {
      const { status, body } = await provider.post(`/scim/v2/${path}/.search`, { filter })
      t.strictSame([status, body.scimType], [400, 'invalidFilter'])
    }
  }
  const long = `userName eq "${'a'.repeat(10_000)}"`
  const { status, body } = await provider.get(`/scim/v2/Users?filter=${encodeURIComponent(long)}`)
  t.strictSame([status, body.scimType], [400, 'invalidFilter'], 'a filter of 10 kB')
})

t.test('a token with the scope stands alone and reaches nothing else, but may delete itself', async (t) => {
  const admin = await service.admin()
  const create = (scopes: string[]) => admin.post('/api/auth/tokens', { name: 'SCIM', scopes })
  t.equal((await create(['scim', 'read'])).headers['x-error-field'], 'scopes')
  const { id, token, scopes } = (await create(['scim'])).body
  t.strictSame(scopes, ['scim'])
  const caller = callerOf(app, undefined, token)
  for (const url of ['/api/auth/me', '/api/accounts', '/api/decks', '/api/auth/tokens']) {
    const { status, headers } = await caller.get(url)
    t.strictSame([status, headers['x-error-code']], [403, 'token_not_allowed'], url)
  }
  t.equal((await caller.delete(`/api/auth/tokens/${id}`)).status, 200)
  t.equal((await caller.get('/scim/v2/Users')).status, 401)
  const member = await service.member()
  const { status, headers } = await member.post('/api/auth/tokens', { name: 'SCIM', scopes: ['scim'] })
  t.strictSame([status, headers['x-error-code']], [403, 'admins_only'])
  const entry = await db
    .selectFrom('audit_log')
    .select(['target', 'details'])
    .where('action', '=', 'token.create')
    .where('target_id', '=', id)
    .executeTakeFirst()
  t.strictSame(entry, { target: 'SCIM', details: { scopes: ['scim'] } })
  const { body } = await admin.post('/api/auth/tokens', { name: 'all' })
  t.strictSame(body.scopes, ['read', 'learn', 'content', 'admin'], 'it is not part of all scopes')
})

t.test('a token stops with the right, the account and the expiry of its owner', async (t) => {
  const { owner, get } = await connectProvider(service)
  const status = async () => (await get('/scim/v2/Users?count=0')).status
  const set = (values: object) => db.updateTable('users').set(values).where('id', '=', owner.id).execute()
  t.equal(await status(), 200)
  await set({ is_admin: false })
  t.strictSame(
    (await get('/scim/v2/Users')).body,
    scimError(403, 'The owner of the token is no longer an administrator'),
  )
  await set({ is_admin: true })
  t.equal(await status(), 200)
  await set({ disabled_on: '2020-01-01' })
  t.equal(await status(), 401)
  await set({ disabled_on: null, must_change_password: true })
  t.equal(await status(), 200, 'a pending password change concerns the owner only')
  await db
    .updateTable('api_tokens')
    .set({ expires_at: new Date('2020-01-01') })
    .where('user_id', '=', owner.id)
    .execute()
  t.equal(await status(), 401)
})

t.test('limits requests before it looks up the token, in the form of SCIM', async (t) => {
  const limited = await startService(t, { config: { rateLimit: 1 } })
  const statuses = []
  for (let count = 0; count < 11; count++) statuses.push((await limited.anonymous.get('/scim/v2/Users')).status)
  t.strictSame(statuses, [...Array(10).fill(401), 429])
  const { body, headers } = await limited.anonymous.get('/scim/v2/Users')
  t.strictSame(body, scimError(429, 'Too many requests; repeat the request later'))
  t.match(headers['content-type'], /^application\/scim\+json/)
  t.ok(headers['retry-after'])
})

t.test('ignores keys that are too long to be attributes, and refuses long lists of names', async (t) => {
  const { id } = await createUser(db)
  const value = { [`active${' '.repeat(300)}`]: false, [`displayName${' '.repeat(3)}`]: 'Neu' }
  const patch = { Operations: [{ op: 'replace', value }] }
  const { body } = await provider.patch(`/scim/v2/Users/${id}`, patch)
  t.match(body, { active: true, displayName: 'Neu' })
  const names = Array.from({ length: 101 }, (_, index) => `a${index}`)
  for (const parameter of ['attributes', 'excludedAttributes']) {
    const { status, body } = await provider.get(`/scim/v2/Users?${parameter}=${names.join()}`)
    t.strictSame([status, body.scimType], [400, 'invalidValue'])
    const searched = await provider.post('/scim/v2/Groups/.search', { [parameter]: names })
    t.strictSame([searched.status, searched.body.scimType], [400, 'invalidValue'])
  }
})

t.test('does not count as activity of the owner, and names the tokens that end with the owner', async (t) => {
  const { owner, get } = await connectProvider(service, 'Keycloak')
  await db.updateTable('users').set({ last_seen_on: null }).where('id', '=', owner.id).execute()
  await get('/scim/v2/Users')
  const { last_seen_on } = await db
    .selectFrom('users')
    .select('last_seen_on')
    .where('id', '=', owner.id)
    .executeTakeFirstOrThrow()
  t.equal(last_seen_on, null)
  const { body } = await (await service.admin()).patch(`/api/accounts/${owner.id}`, { disabled_on: '2020-01-01' })
  t.match(body.service_tokens, [{ name: 'Keycloak' }])
})
