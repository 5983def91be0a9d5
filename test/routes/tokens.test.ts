import { sql } from 'kysely'
import t from 'tap'
import { standingClock } from '../support/clock.js'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createCard, createDeck, createUser, PASSWORD } from '../support/factories.js'
import { type Caller, callerOf, errorBody, startService } from '../support/service.js'

const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, {
  database: counter.database,
  now: standingClock(),
  config: { corsOrigins: ['https://app.example.org'] },
})
const { anonymous, app, db } = service

const NOT_LOGGED_IN = errorBody(401, 'Nicht angemeldet')
const NOT_BY_TOKEN = errorBody(403, 'Mit einem API-Token nicht erlaubt')
const withToken = (token: string) => callerOf(app, undefined, token)
const DAY_MS = 24 * 3600 * 1000

async function memberWithToken() {
  const member = await service.member()
  const { token, id: tokenId } = (await member.post('/api/auth/tokens', { name: 'Skript' })).body
  return { member, token, tokenId, script: withToken(token) }
}

t.test('a token is shown once and listed without its secret', async (t) => {
  const member = await service.member()
  const before = Date.now()
  const forever = await member.post('/api/auth/tokens', { name: '  Nächtlicher Import ' })
  t.equal(forever.status, 200)
  t.strictSame(Object.keys(forever.body).sort(), [
    ...['created_at', 'expires_at', 'id', 'is_service', 'name', 'scopes', 'token'],
  ])
  t.match(forever.body, { id: Number, name: 'Nächtlicher Import', token: /^svct_[\w-]{43}$/, expires_at: null })

  const limited = await member.post('/api/auth/tokens', { name: 'x', expires_in_days: 30, user_id: 1 })
  const lifetime = Date.parse(limited.body.expires_at) - Date.parse(limited.body.created_at)
  t.equal(lifetime, 30 * DAY_MS)
  t.match(limited.body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const createdAt = Date.parse(limited.body.created_at)
  t.ok(createdAt >= before && createdAt <= Date.now())

  const list = await member.get('/api/auth/tokens')
  t.strictSame(list.body, {
    tokens: [forever, limited].map(({ body: { token: _, ...rest } }) => ({ ...rest, last_used_at: null })),
  })
  t.strictSame((await (await service.member()).get('/api/auth/tokens')).body, { tokens: [] }, "only the user's tokens")

  const rows = await db.selectFrom('api_tokens').selectAll().where('user_id', '=', member.id).execute()
  t.notMatch(JSON.stringify(rows), forever.body.token)
  t.strictSame(
    rows.map((row) => row.token_hash.length),
    [32, 32],
  )
})

t.test('limits name and lifetime of a token', async (t) => {
  const member = await service.member()
  const create = (body: unknown) => member.post('/api/auth/tokens', body)
  for (const [body, message] of [
    [undefined, 'Das Feld „name“ fehlt'],
    [{ name: ' \n' }, 'Das Feld „name“ darf nicht leer sein'],
    [{ name: 5 }, 'Das Feld „name“ muss ein Text sein'],
    [{ name: 'x'.repeat(201) }, 'Das Feld „name“ darf höchstens 200 Zeichen haben'],
    [{ name: 'nul\0' }, 'Das Feld „name“ enthält unzulässige Zeichen'],
  ] as const) {
    const response = await create(body)
    t.equal(response.status, 400)
    t.equal(response.body.message, message)
  }
  for (const expires_in_days of [0, -1, 3651, 1.5, '30', null, 1e300]) {
    const response = await create({ name: 'x', expires_in_days })
    t.equal(response.status, 400, `${expires_in_days}`)
    t.match(response.body.message, /^Das Feld „expires_in_days“ /)
  }
  for (const body of [
    { name: '😀'.repeat(200) },
    { name: 'x', expires_in_days: 1 },
    { name: 'x', expires_in_days: 3650 },
  ]) {
    t.equal((await create(body)).status, 200)
  }
})

t.test('a token replaces the session everywhere, including administration', async (t) => {
  const { member, script } = await memberWithToken()
  const { sign_in, ...own } = (await member.get('/api/auth/me')).body
  t.strictSame((await script.get('/api/auth/me')).body, {
    ...own,
    sign_in: { ...sign_in, authenticated_at: null, is_fresh: false },
  })
  for (const url of ['/api/decks', '/api/quiz/history', '/api/cheatsheets', '/api/auth/tokens']) {
    t.equal((await script.get(url)).status, 200, url)
  }
  t.strictSame((await script.post('/api/quiz/submit', { total: 4, correct: 3 })).body, { score: 75 })
  t.equal((await member.get('/api/quiz/history')).body.results.length, 1)
  t.strictSame((await script.get('/api/admin/users')).body, errorBody(403, 'Administratorrechte erforderlich'))
  t.notOk((await script.get('/api/auth/me')).headers['set-cookie'])

  const admin = await service.admin()
  const { token } = (await admin.post('/api/auth/tokens', { name: 'Verwaltung' })).body
  t.equal((await withToken(token).get('/api/admin/users')).status, 200)
  await db.updateTable('users').set({ is_admin: false }).where('id', '=', admin.id).execute()
  t.equal((await withToken(token).get('/api/admin/users')).status, 403, 'the next request has no administrator right')
})

t.test('a Bearer header takes precedence over a valid cookie', async (t) => {
  const { member, token } = await memberWithToken()
  const other = await memberWithToken()
  const me = async (authorization: string) => (await member.get('/api/auth/me', { headers: { authorization } })).body
  t.equal((await me(`Bearer ${other.token}`)).user.id, other.member.id)
  t.equal((await me(`bearer  ${other.token} `)).user.id, other.member.id, 'the scheme is case-insensitive')
  for (const authorization of ['Bearer', 'Bearer ', 'Bearer x', `Bearer ${token}x`, `Bearer svct_${'A'.repeat(43)}`]) {
    t.strictSame(await me(authorization), NOT_LOGGED_IN, authorization)
  }
  t.equal((await me('Basic dXNlcjpwYXNz')).user.id, member.id, 'another scheme is ignored')
  t.equal((await me(token)).user.id, member.id)
  t.equal((await member.get('/api/auth/me')).status, 200, 'the cookie is still valid')

  const headers = { authorization: 'Bearer wrong' }
  t.strictSame((await member.get('/api/unknown', { headers })).body, errorBody(404, 'Nicht gefunden'))
  t.strictSame((await member.get('/api/admin/users', { headers })).body, NOT_LOGGED_IN)
  t.strictSame((await member.post('/api/auth/logout', undefined, { headers })).body, { ok: true })
  t.equal((await member.get('/api/auth/me')).status, 200, 'the session of the cookie is not affected')
})

t.test('a token can neither create tokens nor change the password, whatever the body', async (t) => {
  const { member, script } = await memberWithToken()
  for (const body of [{ name: 'x' }, {}, undefined]) {
    t.strictSame((await script.post('/api/auth/tokens', body)).body, NOT_BY_TOKEN)
    const passwords = { current_password: PASSWORD, new_password: 'neues-passwort' }
    t.strictSame((await script.post('/api/auth/password', { ...passwords, ...body })).body, NOT_BY_TOKEN)
  }
  t.strictSame((await withToken('wrong').post('/api/auth/tokens', { name: 'x' })).body, NOT_LOGGED_IN)
  t.equal((await member.get('/api/auth/tokens')).body.tokens.length, 1)
})

t.test('an expired, deleted or foreign token is invalid', async (t) => {
  const { member, script, tokenId } = await memberWithToken()
  const stranger = await service.member()
  t.strictSame((await stranger.delete(`/api/auth/tokens/${tokenId}`)).body, { ok: true })
  t.equal((await script.get('/api/auth/me')).status, 200, 'a user cannot delete the token of another user')

  const setExpiry = (expires_at: Date | null) =>
    db.updateTable('api_tokens').set({ expires_at }).where('id', '=', tokenId).execute()
  await setExpiry(new Date(Date.now() - 1000))
  t.equal((await script.get('/api/auth/me')).status, 401)
  await setExpiry(new Date(Date.now() + 60_000))
  t.equal((await script.get('/api/auth/me')).status, 200)

  t.strictSame((await member.delete(`/api/auth/tokens/${tokenId}`)).body, { ok: true })
  t.equal((await script.get('/api/auth/me')).status, 401)
  for (const id of [tokenId, '999999', '-1', '9'.repeat(30)]) {
    t.strictSame((await member.delete(`/api/auth/tokens/${id}`)).body, { ok: true }, `${id}`)
  }
  for (const id of ['x', '1.5', '%20']) {
    t.strictSame((await member.delete(`/api/auth/tokens/${id}`)).body, errorBody(400, 'Ungültige Token-ID'))
  }
})

t.test('tokens survive a password change and are deleted with the user', async (t) => {
  const { member, script } = await memberWithToken()
  const change = { current_password: PASSWORD, new_password: 'neues-passwort' }
  t.equal((await member.post('/api/auth/password', change)).status, 200)
  t.equal((await script.get('/api/auth/me')).status, 200)

  await (await service.admin()).delete(`/api/admin/users/${member.id}`)
  t.strictSame((await script.get('/api/auth/me')).body, NOT_LOGGED_IN)
  t.strictSame(await db.selectFrom('api_tokens').selectAll().where('user_id', '=', member.id).execute(), [])
})

t.test('records the use of a token at most once a minute', async (t) => {
  const { member, script, tokenId } = await memberWithToken()
  const lastUse = async () => (await member.get('/api/auth/tokens')).body.tokens[0].last_used_at
  const setLastUse = async (secondsAgo: number) => {
    const last_used_at = new Date(Date.now() - secondsAgo * 1_000)
    await db.updateTable('api_tokens').set({ last_used_at }).where('id', '=', tokenId).execute()
    return last_used_at.toISOString()
  }
  t.equal(await lastUse(), null)
  const before = Date.now()
  await script.get('/api/auth/me')
  t.ok(Date.parse(await lastUse()) >= before)

  // In the future, so that no minute passes before the next request.
  const recent = await setLastUse(-300)
  await script.get('/api/auth/me')
  t.equal(await lastUse(), recent)
  await setLastUse(61)
  await script.get('/api/auth/me')
  t.ok(Date.parse(await lastUse()) >= before)
})

t.test('a token needs one statement, a malformed one none', async (t) => {
  const { member, script } = await memberWithToken()
  const statementsOf = counter.countOf
  const itsOwn = 1
  t.equal(await statementsOf(() => script.get('/api/auth/me')), 1 + itsOwn)
  const cookie = String(member.cookie)
  t.equal(await statementsOf(() => script.get('/api/auth/me', { headers: { cookie } })), 1 + itsOwn)
  t.equal(await statementsOf(() => withToken('malformed').get('/api/decks', { headers: { cookie } })), 0)
})

t.test('anonymous callers get 401 on token endpoints and the fallback elsewhere', async (t) => {
  t.strictSame((await anonymous.get('/api/auth/tokens')).body, NOT_LOGGED_IN)
  t.strictSame((await anonymous.post('/api/auth/tokens', {})).body, NOT_LOGGED_IN)
  t.strictSame((await anonymous.delete('/api/auth/tokens/x')).body, NOT_LOGGED_IN)
  const fallback = errorBody(404, 'Unbekannter Auth-Endpunkt')
  t.strictSame((await anonymous.delete('/api/auth/tokens')).body, fallback)
  t.strictSame((await anonymous.get('/api/auth/tokens/1')).body, fallback)
})

t.test('a token does not allow cross-site requests', async (t) => {
  const { script } = await memberWithToken()
  const response = await script.post('/api/quiz/submit', {}, { headers: { 'sec-fetch-site': 'cross-site' } })
  t.strictSame(response.body, errorBody(403, 'Anfrage von fremder Seite abgelehnt'))
})

t.test('a deleted user cannot get a token', async (t) => {
  const user = await createUser(db)
  const caller = await service.loginAs(user.username)
  const [created] = await Promise.all([
    caller.post('/api/auth/tokens', { name: 'x' }),
    db.deleteFrom('users').where('id', '=', user.id).execute(),
  ])
  t.ok([200, 401].includes(created.status), `${created.status}`)
  t.strictSame(await db.selectFrom('api_tokens').selectAll().where('user_id', '=', user.id).execute(), [])
})

const NOT_THIS_TOKEN = errorBody(403, 'Der API-Token darf das nicht')

async function scoped(caller: Caller, scopes?: readonly string[]) {
  const created = (await caller.post('/api/auth/tokens', { name: 'x', ...(scopes && { scopes }) })).body
  return { ...created, script: withToken(created.token) }
}

t.test('a token acts within its scopes and the rights of its owner', async (t) => {
  const admin = await service.admin()
  const card = await createCard(db, { deck_id: (await createDeck(db)).id })
  const requests: Record<string, [method: 'GET', url: string, payload?: object][]> = {
    read: [
      ['GET', '/api/decks'],
      ['GET', '/api/decks/export-anki'],
      ['GET', '/api/quiz/generate'],
      ['GET', '/api/quiz/history'],
      ['GET', '/api/cheatsheets/search?q=git'],
      ['GET', '/api/review/queue'],
      ['GET', '/api/review/stats'],
      ['GET', '/api/review/settings'],
    ],
    learn: [
      ['POST' as 'GET', '/api/quiz/submit', { total: 2, correct: 1 }],
      ['POST' as 'GET', '/api/review', { card_id: card.id, rating: 'easy' }],
      ['PUT' as 'GET', '/api/review/settings', { new_per_day: 5 }],
      ['DELETE' as 'GET', `/api/review/cards/${card.id}/suspend`],
    ],
    content: [['POST' as 'GET', '/api/admin/import?force=true']],
    admin: [
      ['GET', '/api/admin/users'],
      ['DELETE' as 'GET', '/api/admin/users/999999'],
      ['GET', '/api/accounts/audit'],
      ['GET', `/api/accounts/${admin.id}`],
      ['PATCH' as 'GET', `/api/accounts/${admin.id}`, {}],
    ],
    all: [
      ['GET', '/api/accounts/me/data'],
      ['GET', '/api/accounts/me/sessions'],
      ['PATCH' as 'GET', '/api/accounts/me', {}],
      ['GET', '/api/auth/tokens'],
    ],
  }
  for (const scopes of [['read'], ['learn'], ['content'], ['admin'], ['read', 'admin'], undefined]) {
    const { script } = await scoped(admin, scopes)
    for (const [need, list] of Object.entries(requests)) {
      const isAllowed = scopes === undefined || scopes.includes(need)
      for (const [method, url, payload] of list) {
        const response = await script.send({ method, url, ...(payload && { payload }) })
        const name = `${scopes}: ${method} ${url}`
        if (isAllowed) t.equal(response.status, 200, name)
        else t.strictSame([response.status, response.body], [403, NOT_THIS_TOKEN], name)
      }
    }
    t.equal((await script.get('/api/auth/me')).status, 200, 'every token may read its user')
  }
  const { script } = await scoped(await service.member(), ['admin', 'content'])
  for (const url of ['/api/admin/users', '/api/accounts/1', '/api/admin/unknown']) {
    t.strictSame((await script.get(url)).body, errorBody(403, 'Administratorrechte erforderlich'), url)
  }
})

t.test('checks the scope before fallback and validation', async (t) => {
  const { script } = await scoped(await service.admin(), ['content'])
  for (const [method, url, payload] of [
    ['GET', '/api/quiz/unknown', undefined],
    ['GET', '/api/quiz/generate?count=x', undefined],
    ['POST', '/api/quiz/submit', { deck: 5 }],
    ['PUT', '/api/decks', undefined],
    ['GET', '/api/admin/unknown', undefined],
    ['POST', '/api/admin/users', { username: 5 }],
    ['GET', '/api/accounts/x', undefined],
  ] as const) {
    const response = await script.send({ method, url, ...(payload && { payload }) })
    t.strictSame([response.status, response.body], [403, NOT_THIS_TOKEN], `${method} ${url}`)
  }
  const { script: reader } = await scoped(await service.member(), ['read'])
  t.strictSame((await reader.get('/api/quiz/unknown')).body, errorBody(404, 'Unbekannter Quiz-Endpunkt'))
  t.equal((await reader.get('/api/quiz/generate?count=x')).status, 400)
})

t.test('lists scopes in order without duplicates and refuses unknown ones', async (t) => {
  const member = await service.member()
  const some = await scoped(member, ['learn', 'read', 'learn'])
  t.strictSame(some.scopes, ['read', 'learn'])
  t.strictSame((await scoped(member)).scopes, ['read', 'learn', 'content', 'admin'])
  const { tokens } = (await member.get('/api/auth/tokens')).body
  t.strictSame(
    tokens.map(({ scopes }: { scopes: string[] }) => scopes.length),
    [2, 4],
  )
  t.match((await member.get('/api/accounts/me/data')).body.tokens, [{ scopes: ['read', 'learn'] }, {}])
  for (const scopes of [[], ['write'], ['read', 'Read'], 'read', [null], { 0: 'read' }, null]) {
    const response = await member.post('/api/auth/tokens', { name: 'x', scopes })
    t.equal(response.status, 400, JSON.stringify(scopes))
    t.match(response.body.message, /^Das Feld „scopes/)
  }
  for (const scopes of ["'{}'", "'{write}'", "'{null}'", 'null']) {
    const update = sql`update api_tokens set scopes = ${sql.raw(scopes)} where id = ${some.id}`.execute(db)
    await t.rejects(update, { code: scopes === 'null' ? '23502' : '23514' }, scopes)
  }
})

t.test('a token can delete itself but nothing else of its owner', async (t) => {
  const admin = await service.admin()
  const { script, id } = await scoped(admin)
  const other = await scoped(admin, ['read'])
  const { sessions } = (await admin.get('/api/accounts/me/sessions')).body
  for (const url of [
    `/api/auth/tokens/${other.id}`,
    '/api/auth/tokens/999999',
    '/api/auth/tokens/x',
    `/api/accounts/${admin.id}/sessions`,
    `/api/accounts/+${admin.id}/sessions`,
    `/api/accounts/${admin.id}/sessions/${sessions[0].id}`,
    `/api/accounts/${admin.id}/tokens`,
    `/api/accounts/${admin.id}/tokens/${other.id}`,
  ]) {
    t.strictSame((await script.delete(url)).body, NOT_THIS_TOKEN, url)
  }
  for (const url of ['/api/accounts/me/sessions', `/api/accounts/me/sessions/${sessions[0].id}`]) {
    t.strictSame((await script.delete(url)).body, NOT_BY_TOKEN, url)
  }
  t.equal((await admin.get('/api/auth/me')).status, 200)
  t.strictSame((await other.script.delete(`/api/auth/tokens/${other.id}`)).body, { ok: true })
  t.equal((await other.script.get('/api/auth/me')).status, 401)
  t.strictSame((await script.delete(`/api/auth/tokens/${id}`)).body, { ok: true })
  t.strictSame((await admin.get('/api/auth/tokens')).body, { tokens: [] })
})
