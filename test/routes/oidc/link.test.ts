import t from 'tap'
import { createUser } from '../../support/factories.js'
import { errorBody } from '../../support/service.js'
import { type Browser, LINK_PAGE, startSignIn } from '../../support/sign-in.js'

const service = await startSignIn(t, {}, {}, { require_auth_time: true })
const { db, provider, browser } = service

async function memberBrowser(): Promise<Browser & { id: number; username: string }> {
  const { id, username } = await createUser(db)
  const { cookie = '' } = await service.loginAs(username)
  const own = browser()
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  own.cookies.set(name, value)
  return { ...own, id, username }
}
const identitiesOf = async (one: Browser) => (await one.caller().get('/api/auth/oidc/identities')).body.identities
const setAge = (userId: number, minutes: number) =>
  db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(Date.now() - minutes * 60_000) })
    .where('user_id', '=', userId)
    .execute()

t.test('a logged-in user links the account and then logs in through the provider', async (t) => {
  const erika = await memberBrowser()
  const person = { sub: 'link-1', preferred_username: 'ganz-anders' }
  t.equal(await erika.link(person), 'ok')
  t.match(await identitiesOf(erika), [{ id: Number, issuer: provider.issuer, subject: 'link-1', last_used_at: null }])
  t.equal(await erika.link(person), 'ok', 'a repeated confirmation links once')
  t.equal((await identitiesOf(erika)).length, 1)
  const elsewhere = browser()
  t.equal(await elsewhere.signIn(person), '/')
  t.equal((await elsewhere.caller().get('/api/auth/me')).body.user.id, erika.id)
  const entries = await db.selectFrom('audit_log').selectAll().where('target_id', '=', erika.id).execute()
  t.match(entries, [{ via: 'session', action: 'identity.link', actor_id: erika.id }])
  t.match((await elsewhere.caller().get('/api/auth/me')).body.sign_in, { identities: 1, password: true })
})

t.test('linking requires a fresh login, an unlinked identity, and the session that started it', async (t) => {
  const member = await memberBrowser()
  await setAge(member.id, 11)
  t.equal(await member.link({ sub: 'old' }), 'Bitte erneut anmelden')
  t.strictSame(await identitiesOf(member), [])
  await setAge(member.id, 9)
  t.equal(await member.link({ sub: 'link-1' }), '/anmelden?fehler=schon_verknuepft&weiter=%2Fkonto')

  const callback = await member.beginLink({ sub: 'late' })
  await member.caller().post('/api/auth/logout')
  t.equal(await member.visit(callback), '/anmelden?fehler=nicht_angemeldet&weiter=%2Fkonto')
  const [first, second] = [await memberBrowser(), await memberBrowser()]
  const begun = await first.beginLink({ sub: 'late' })
  for (const [name, value] of second.cookies) first.cookies.set(name, value)
  t.equal(
    await first.visit(begun),
    '/anmelden?fehler=nicht_angemeldet&weiter=%2Fkonto',
    'another user has logged in since',
  )
  t.strictSame(await identitiesOf(second), [])
  t.match(
    service.refusals().map(({ code }) => code),
    ['schon_verknuepft', 'nicht_angemeldet', 'nicht_angemeldet'],
  )
})

t.test('links an identity only after the user has confirmed it', async (t) => {
  const member = await memberBrowser()
  const person = { sub: 'shown', preferred_username: 'erika@firma', name: 'Erika' }
  t.equal(await member.visit(await member.beginLink(person)), LINK_PAGE)
  t.strictSame(await identitiesOf(member), [])
  const pending = { issuer: provider.issuer, subject: 'shown', name: 'erika@firma' }
  const shown = async (one: Browser) => (await one.caller().get('/api/auth/oidc/link')).body.identity
  t.strictSame(await shown(member), pending)
  const confirm = (subject: string) => member.post('/api/auth/oidc/identities', { subject })
  const nothing = errorBody(409, 'Es wartet keine Anmeldung auf ihre Verknüpfung; bitte noch einmal verknüpfen')
  t.strictSame((await confirm('other')).body, nothing, 'not the identity that was shown')

  const stranger = await memberBrowser()
  for (const [name, value] of member.cookies) if (name.includes('oidc')) stranger.cookies.set(name, value)
  t.equal(await shown(stranger), null, 'another user of the same browser')
  t.equal((await stranger.post('/api/auth/oidc/identities', { subject: 'shown' })).status, 409)

  await setAge(member.id, 11)
  t.strictSame(
    (await confirm('shown')).body,
    errorBody(403, 'Bitte erneut anmelden'),
    'the fresh login is checked again at the end',
  )
  await setAge(member.id, 0)
  const setMustChange = (must_change_password: boolean) =>
    db.updateTable('users').set({ must_change_password }).where('id', '=', member.id).execute()
  await setMustChange(true)
  t.strictSame((await confirm('shown')).body, errorBody(403, 'Passwort muss zuerst geändert werden'))
  await setMustChange(false)
  t.strictSame(await identitiesOf(member), [])
  t.equal((await confirm('shown')).status, 200)
  t.match(await identitiesOf(member), [{ subject: 'shown' }])
  t.strictSame((await confirm('shown')).body, nothing, 'once')
})

t.test("starts and finishes linking only for requests that provably come from the service's pages", async (t) => {
  const member = await memberBrowser()
  t.equal(await member.visit(await member.beginLink({ sub: 'foreign' })), LINK_PAGE)
  const refused = errorBody(403, 'Anfrage von fremder Seite abgelehnt')
  for (const [url, payload] of [
    ['/api/auth/oidc/link', undefined],
    ['/api/auth/oidc/identities', { subject: 'foreign' }],
  ] as const) {
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-site', origin: 'http://evil.example' },
      // A foreign page sends this origin if its host name resolves to the address of the service (DNS rebinding).
      { origin: 'http://evil.example', host: 'evil.example' },
    ] as Record<string, string>[]) {
      t.strictSame((await member.caller().post(url, payload, { headers })).body, refused, JSON.stringify(headers))
    }
    const { token } = (await member.caller().post('/api/auth/tokens', { name: 'x' })).body
    const authorization = `Bearer ${token}`
    const script = await service.anonymous.post(url, payload, { headers: { authorization } })
    t.equal(script.status, 403, 'a token cannot link')
  }
  t.strictSame(await identitiesOf(member), [])
  const { redirect } = (
    await member.caller().post('/api/auth/oidc/link', undefined, { headers: { 'sec-fetch-site': 'same-origin' } })
  ).body
  t.ok(redirect.startsWith(provider.issuer))
})

t.test('the provider confirms the logged-in user with a new authentication', async (t) => {
  const person = { sub: 'confirm', preferred_username: 'confirm' }
  const erika = browser()
  await erika.signIn(person)
  const { user } = (await erika.caller().get('/api/auth/me')).body
  await setAge(user.id, 60)
  t.equal((await erika.caller().post('/api/auth/tokens', { name: 'x' })).status, 403)
  const url = await erika.visit('/api/auth/oidc/start?confirm=true&weiter=/konto')
  t.equal(new URL(url).searchParams.get('max_age'), '0')
  provider.person = person
  t.equal(await erika.visit(await provider.follow(url)), '/konto')
  t.equal((await erika.caller().post('/api/auth/tokens', { name: 'x' })).status, 200)

  const other = { sub: 'other', preferred_username: 'other' }
  await browser().signIn(other)
  t.equal(await erika.signIn(other, { query: '?confirm=true' }), '/anmelden?fehler=andere_person')
  t.equal(await erika.signIn({ sub: 'nobody' }, { query: '?confirm=true' }), '/anmelden?fehler=andere_person')
  t.equal(
    (await erika.caller().get('/api/auth/me')).body.user.id,
    user.id,
    'the session still belongs to the same user',
  )
})

t.test('a login without a new authentication at the provider confirms nothing', async (t) => {
  const { decodeJwt } = await import('jose')
  const person = { sub: 'silent', preferred_username: 'silent' }
  const erika = browser()
  await erika.signIn(person)
  service.refusals()
  for (const [change, reason] of [
    [{ auth_time: undefined }, /no auth_time/],
    [{ auth_time: Math.floor(Date.now() / 1000) - 120 }, /did not authenticate again/],
  ] as const) {
    const callback = await erika.goToProvider(person, '?confirm=true')
    provider.tamper = async (tokens) => ({
      ...tokens,
      id_token: await provider.key.sign({ ...decodeJwt(tokens.id_token), ...change }),
    })
    t.equal(await erika.visit(callback), '/anmelden?fehler=nicht_bestaetigt')
    t.match(service.refusals(), [{ code: 'nicht_bestaetigt', reason }])
  }
})

t.test('a login without an authentication time of the provider is not fresh', async (t) => {
  const { decodeJwt } = await import('jose')
  const person = { sub: 'sso', preferred_username: 'sso' }
  for (const [auth_time, status] of [
    [Math.floor(Date.now() / 1000) - 3_600, 403],
    [undefined, 403],
    [Math.floor(Date.now() / 1000), 200],
    [Math.floor(Date.now() / 1000) + 30, 200],
  ] as const) {
    const erika = browser()
    const callback = await erika.goToProvider(person)
    provider.tamper = async (tokens) => ({
      ...tokens,
      id_token: await provider.key.sign({ ...decodeJwt(tokens.id_token), auth_time }),
    })
    t.equal(await erika.visit(callback), '/')
    t.equal((await erika.caller().post('/api/auth/tokens', { name: 'x' })).status, status, `${auth_time}`)
  }
})

t.test('the last login method cannot be removed', async (t) => {
  const person = { sub: 'only', preferred_username: 'only' }
  const erika = browser()
  await erika.signIn(person)
  const [identity] = await identitiesOf(erika)
  const url = `/api/auth/oidc/identities/${identity.id}`
  const kept = await erika.caller().delete(url)
  t.strictSame(kept.body, errorBody(409, 'Ohne diesen Weg könnte sich niemand mehr anmelden'))
  t.equal((await identitiesOf(erika)).length, 1)
  const admin = await service.admin()
  const { user } = (await erika.caller().get('/api/auth/me')).body
  t.equal((await admin.patch(`/api/accounts/${user.id}`, { password: 'sechs6-und-mehr' })).status, 200)
  await erika.signIn(person)
  const stranger = await service.member()
  t.equal((await stranger.delete(url)).status, 200, 'identities of other users cannot be removed')
  t.equal((await identitiesOf(erika)).length, 1)
  t.strictSame((await erika.caller().delete(url)).body, { ok: true })
  t.strictSame(await identitiesOf(erika), [])
  t.strictSame((await erika.caller().delete(url)).body, { ok: true }, 'also if there is no identity')
  t.strictSame((await erika.caller().delete('/api/auth/oidc/identities/x')).body, errorBody(400, 'Ungültige ID'))
  t.equal(await browser().signIn(person), '/anmelden?fehler=name_vergeben', 'the name is already used by the account')
})

t.test('after a change of the provider, identities of the old one do not count', async (t) => {
  const old = (user_id: number) =>
    db
      .insertInto('identities')
      .values({ user_id, issuer: 'https://old.example', subject: `${user_id}` })
      .execute()
  const person = { sub: 'moved', preferred_username: 'moved' }
  const erika = browser()
  await erika.signIn(person)
  const { user } = (await erika.caller().get('/api/auth/me')).body
  await old(user.id)
  t.match((await erika.caller().get('/api/auth/me')).body.sign_in, { identities: 1 })
  const [present, past] = await identitiesOf(erika)
  const remove = async ({ id }: { id: number }) =>
    (await erika.caller().delete(`/api/auth/oidc/identities/${id}`)).status
  t.equal(await remove(present), 409, 'the identity of the old provider allows no login')
  t.equal(await remove(past), 200, 'and can always be removed')
  t.equal(await remove(present), 409)

  const member = await memberBrowser()
  await old(member.id)
  const renamed = await member.caller().patch('/api/accounts/me', { display_name: 'Eigener Name' })
  t.equal(renamed.status, 200, 'no provider determines the name')
})

t.test('a required password change does not stop a login through the provider', async (t) => {
  const person = { sub: 'must', preferred_username: 'must' }
  const erika = browser()
  await erika.signIn(person)
  const { user } = (await erika.caller().get('/api/auth/me')).body
  await db.updateTable('users').set({ must_change_password: true }).where('id', '=', user.id).execute()
  const me = await erika.caller().get('/api/auth/me')
  t.equal(me.body.must_change_password, false)
  t.equal((await erika.caller().get('/api/decks')).status, 200)
})
