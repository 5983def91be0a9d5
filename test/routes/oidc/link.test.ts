import t from 'tap'
import { createUser } from '../../support/factories.js'
import { errorBody } from '../../support/service.js'
import { type Browser, startSignIn } from '../../support/sign-in.js'

const service = await startSignIn(t, {}, {}, { require_auth_time: true })
const { db, provider, browser } = service

/** A member in a browser, who has logged in by password. */
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

t.test('whoever is logged in links the own account, and logs in by it from then on', async (t) => {
  const erika = await memberBrowser()
  const person = { sub: 'link-1', preferred_username: 'ganz-anders' }
  t.equal(await erika.signIn(person, { query: '?link=true&weiter=/konto' }), '/konto')
  t.match(await identitiesOf(erika), [{ id: Number, issuer: provider.issuer, subject: 'link-1', last_used_at: null }])
  t.equal(await erika.signIn(person, { query: '?link=true' }), '/', 'twice is once')
  t.equal((await identitiesOf(erika)).length, 1)
  const elsewhere = browser()
  t.equal(await elsewhere.signIn(person), '/')
  t.equal((await elsewhere.caller().get('/api/auth/me')).body.user.id, erika.id)
  const entries = await db.selectFrom('audit_log').selectAll().where('target_id', '=', erika.id).execute()
  t.match(entries, [{ via: 'session', action: 'identity.link', actor_id: erika.id }])
  t.match((await elsewhere.caller().get('/api/auth/me')).body.sign_in, { identities: 1, password: true })
})

t.test('linking needs a fresh login, an unlinked person, and the session that began it', async (t) => {
  const member = await memberBrowser()
  await setAge(member.id, 11)
  t.equal(await member.signIn({ sub: 'old' }, { query: '?link=true' }), '/anmelden?fehler=erneut_anmelden')
  t.strictSame(await identitiesOf(member), [])
  await setAge(member.id, 9)
  t.equal(await member.signIn({ sub: 'link-1' }, { query: '?link=true' }), '/anmelden?fehler=schon_verknuepft')

  const callback = await member.goToProvider({ sub: 'late' }, '?link=true')
  await member.caller().post('/api/auth/logout')
  t.equal(await member.visit(callback), '/anmelden?fehler=nicht_angemeldet')
  const [first, second] = [await memberBrowser(), await memberBrowser()]
  const begun = await first.goToProvider({ sub: 'late' }, '?link=true')
  for (const [name, value] of second.cookies) first.cookies.set(name, value)
  t.equal(await first.visit(begun), '/anmelden?fehler=nicht_angemeldet', 'somebody else has logged in meanwhile')
  t.strictSame(await identitiesOf(second), [])
  t.match(
    service.refusals().map(({ code }) => code),
    ['erneut_anmelden', 'schon_verknuepft', 'nicht_angemeldet', 'nicht_angemeldet'],
  )
})

t.test('the provider confirms who is logged in, by asking anew', async (t) => {
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
  t.equal((await erika.caller().get('/api/auth/me')).body.user.id, user.id, 'still who it was')
})

t.test('a provider that has not asked anew confirms nothing', async (t) => {
  const { decodeJwt } = await import('jose')
  const person = { sub: 'silent', preferred_username: 'silent' }
  const erika = browser()
  await erika.signIn(person)
  service.refusals()
  for (const [change, reason] of [
    [{ auth_time: undefined }, /no auth_time/],
    [{ auth_time: Math.floor(Date.now() / 1000) - 120 }, /has not asked anew/],
  ] as const) {
    const callback = await erika.goToProvider(person, '?confirm=true')
    provider.tamper = async (answer) => ({
      ...answer,
      id_token: await provider.key.sign({ ...decodeJwt(answer.id_token), ...change }),
    })
    t.equal(await erika.visit(callback), '/anmelden?fehler=nicht_bestaetigt')
    t.match(service.refusals(), [{ code: 'nicht_bestaetigt', reason }])
  }
})

t.test('a login for which the provider has asked nothing is not fresh', async (t) => {
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
    provider.tamper = async (answer) => ({
      ...answer,
      id_token: await provider.key.sign({ ...decodeJwt(answer.id_token), auth_time }),
    })
    t.equal(await erika.visit(callback), '/')
    t.equal((await erika.caller().post('/api/auth/tokens', { name: 'x' })).status, status, `${auth_time}`)
  }
})

t.test('the last way in cannot be removed', async (t) => {
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
  t.equal((await stranger.delete(url)).status, 200, 'nothing of a stranger')
  t.equal((await identitiesOf(erika)).length, 1)
  t.strictSame((await erika.caller().delete(url)).body, { ok: true })
  t.strictSame(await identitiesOf(erika), [])
  t.strictSame((await erika.caller().delete(url)).body, { ok: true }, 'also when there is none')
  t.strictSame((await erika.caller().delete('/api/auth/oidc/identities/x')).body, errorBody(400, 'Ungültige ID'))
  t.equal(await browser().signIn(person), '/anmelden?fehler=name_vergeben', 'the name is taken by the account')
})

t.test('after a change of provider identities of the old one are no way in', async (t) => {
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
  t.equal(await remove(present), 409, 'the other one lets nobody in')
  t.equal(await remove(past), 200, 'and may always go')
  t.equal(await remove(present), 409)

  const member = await memberBrowser()
  await old(member.id)
  const renamed = await member.caller().patch('/api/accounts/me', { display_name: 'Eigener Name' })
  t.equal(renamed.status, 200, 'no provider gives the name')
})

t.test('a first password that must be changed stops nobody who comes by the provider', async (t) => {
  const person = { sub: 'must', preferred_username: 'must' }
  const erika = browser()
  await erika.signIn(person)
  const { user } = (await erika.caller().get('/api/auth/me')).body
  await db.updateTable('users').set({ must_change_password: true }).where('id', '=', user.id).execute()
  const me = await erika.caller().get('/api/auth/me')
  t.equal(me.body.must_change_password, false)
  t.equal((await erika.caller().get('/api/decks')).status, 200)
})
