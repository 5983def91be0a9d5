import { sql } from 'kysely'
import t from 'tap'
import { SCOPES } from '../../../src/domain/accounts/scopes.js'
import { createToken as generateToken, hashToken } from '../../../src/domain/accounts/tokens.js'
import { createUser, hashOfPassword, PASSWORD, unique } from '../../support/factories.js'
import { callerOf, cookieOf } from '../../support/service.js'
import { type Browser, startSignIn } from '../../support/sign-in.js'

const NEEDED = { status: 401, code: 'provider_login_needed' }

const service = await startSignIn(t, { OIDC_RECHECK_DAYS: 7 })
const { db } = service

/** Moves the last confirmation of every identity into the past. */
const age = (days: number, on = db) =>
  on
    .updateTable('identities')
    .set({ confirmed_at: sql<Date>`now() - make_interval(hours => ${24 * days + 1})` })
    .execute()

const outcome = ({ status, headers }: { status: number; headers: Record<string, unknown> }) => ({
  status,
  code: headers['x-error-code'],
})

/** Stores an API token of the user. Creating it by a request would need a recent login. */
async function createToken(user_id: number, name: string, { app, db } = service) {
  const token = generateToken()
  const row = { user_id, name, token_hash: hashToken(token) as Buffer, scopes: [...SCOPES] }
  const { id } = await db.insertInto('api_tokens').values(row).returning('id').executeTakeFirstOrThrow()
  return { id, get: callerOf(app, undefined, token).get }
}

/** Returns a person who is new to the service. */
function newPerson() {
  const sub = unique('person')
  return { sub, preferred_username: sub }
}

const idOf = async (browser: Browser) => (await browser.caller().get('/api/auth/me')).body.user.id as number

t.test('a session and a token wait for the provider after the days', async (t) => {
  const browser = service.browser()
  const erika = newPerson()
  await browser.signIn(erika)
  const id = await idOf(browser)
  const token = await createToken(await idOf(browser), 'nightly')
  const script = await createToken(await idOf(browser), 'script')
  const admin = await service.admin()
  const marked = await admin.patch(`/api/accounts/${id}/tokens/${script.id}`, { is_service: true })
  t.match(marked.body, { id: script.id, name: 'script', is_service: true })

  await age(6)
  t.equal((await browser.caller().get('/api/auth/me')).status, 200)
  t.equal((await token.get('/api/decks')).status, 200)

  await age(7)
  t.strictSame(outcome(await browser.caller().get('/api/auth/me')), NEEDED)
  t.strictSame(outcome(await browser.caller().post('/api/review', {})), NEEDED)
  t.strictSame(outcome(await token.get('/api/decks')), NEEDED)
  t.equal((await script.get('/api/decks')).status, 200, 'a service token goes on')

  await admin.patch(`/api/accounts/${id}/tokens/${script.id}`, { is_service: false })
  t.strictSame(outcome(await script.get('/api/decks')), NEEDED)

  const toProvider = new URL(await browser.visit('/api/auth/oidc/start?weiter=/decks'))
  t.equal(toProvider.searchParams.get('prompt'), 'none', 'asks the provider without a page first')
  service.provider.person = erika
  const back = await service.provider.follow(toProvider.href, { cookies: browser.ofProvider })
  t.equal(await browser.visit(back), '/decks', 'its session confirms the person')
  t.equal((await browser.caller().get('/api/auth/me')).status, 200)
  t.equal((await token.get('/api/decks')).status, 200)
})

t.test('shows the pages of the provider if it needs the person', async (t) => {
  const browser = service.browser()
  await browser.signIn(newPerson())
  await age(8)
  browser.ofProvider.clear()
  const silent = await browser.visit('/api/auth/oidc/start?weiter=/decks')
  const refused = await service.provider.follow(silent, { cookies: browser.ofProvider })
  t.match(refused, /error=login_required/)
  const visible = await browser.visit(refused)
  t.equal(new URL(visible).searchParams.get('prompt'), null)
  const back = await service.provider.follow(visible, { cookies: browser.ofProvider })
  t.equal(await browser.visit(back), '/decks')
  t.equal((await browser.caller().get('/api/auth/me')).status, 200)
})

t.test('a person who is blocked at the provider stays out', async (t) => {
  const browser = service.browser()
  await browser.signIn(newPerson())
  const token = await createToken(await idOf(browser), 'nightly')
  await age(8)
  const silent = await browser.visit('/api/auth/oidc/start')
  const denied = `${new URL(silent).searchParams.get('redirect_uri')}?error=access_denied&state=${new URL(silent).searchParams.get('state')}`
  const visible = await browser.visit(denied)
  const state = new URL(visible).searchParams.get('state')
  const again = `${new URL(visible).searchParams.get('redirect_uri')}?error=access_denied&state=${state}&iss=${encodeURIComponent(service.provider.issuer)}`
  t.equal(await browser.visit(again), '/anmelden?fehler=abgebrochen')
  t.strictSame(outcome(await browser.caller().get('/api/decks')), NEEDED)
  t.strictSame(outcome(await token.get('/api/decks')), NEEDED)
})

t.test('a password works only after the provider has confirmed the person', async (t) => {
  const { anonymous, provider } = service
  const user = await createUser(db, { password_hash: await hashOfPassword() })
  const chef = await createUser(db, { emergency: true, password_hash: await hashOfPassword() })
  const free = await createUser(db, { password_hash: await hashOfPassword() })
  const logIn = ({ username }: { username: string }, password = PASSWORD) =>
    anonymous.post('/api/auth/login', { username, password })
  for (const { id } of [user, chef]) {
    await db
      .insertInto('identities')
      .values({ user_id: id, issuer: provider.issuer, subject: `s${id}` })
      .execute()
  }
  const other = { user_id: free.id, issuer: 'https://former.example', subject: 'x' }
  await db.insertInto('identities').values(other).execute()
  const before = await logIn(user)
  t.equal(before.status, 200)
  await age(8)
  t.strictSame(outcome(await logIn(user)), NEEDED)
  t.equal((await logIn(user, 'falsch')).headers['x-error-code'], 'wrong_login', 'a wrong password reveals nothing')
  t.equal((await logIn(chef)).status, 200, 'emergency access is exempt')
  t.equal((await logIn(free)).status, 200, 'an identity of a former provider does not count')
  const session = callerOf(service.app, cookieOf(before))
  t.strictSame(outcome(await session.get('/api/auth/me')), NEEDED)

  const browser = service.browser()
  t.equal(await browser.signIn({ sub: `s${user.id}` }), '/')
  t.equal((await logIn(user)).status, 200)
  t.equal((await session.get('/api/auth/me')).status, 200, 'the former session is valid again')
})

t.test('nothing is checked without OIDC_RECHECK_DAYS', async (t) => {
  const unchecked = await startSignIn(t)
  const browser = unchecked.browser()
  await browser.signIn(newPerson())
  await age(1000, unchecked.db)
  t.equal((await browser.caller().get('/api/auth/me')).status, 200)
})

t.test('disabling an account lists its service tokens', async (t) => {
  const browser = service.browser()
  await browser.signIn(newPerson())
  const id = await idOf(browser)
  await createToken(await idOf(browser), 'nightly')
  const script = await createToken(await idOf(browser), 'script')
  const admin = await service.admin()
  const mark = (userId: number, tokenId: number) =>
    admin.patch(`/api/accounts/${userId}/tokens/${tokenId}`, { is_service: true })
  t.equal((await mark(id, script.id)).status, 200)
  t.equal((await mark(id, 2_000_000)).status, 404)
  t.equal((await browser.caller().patch(`/api/accounts/${id}/tokens/${script.id}`, { is_service: true })).status, 403)
  const { body } = await admin.get('/api/accounts/audit?action=token.service&limit=1')
  t.match(body.entries, [{ target_id: script.id, target: 'script', details: { user_id: id, is_service: true } }])
  const disabled = await admin.patch(`/api/accounts/${id}`, { disabled_on: '2020-01-01' })
  t.strictSame(disabled.body.service_tokens, [{ id: script.id, name: 'script' }])
  t.equal((await script.get('/api/decks')).headers['x-error-code'], 'not_logged_in', 'it ended with the account')
})

t.test('another person at the provider does not take over the session', async (t) => {
  const browser = service.browser()
  await browser.signIn(newPerson())
  await age(8)
  const silent = await browser.visit('/api/auth/oidc/start?weiter=/decks')
  // Max is logged in at the provider.
  const max = service.browser()
  await max.signIn(newPerson())
  const back = await service.provider.follow(silent, { cookies: max.ofProvider })
  const asked = new URL(await browser.visit(back))
  t.equal(asked.searchParams.get('max_age'), '0', 'the provider must ask who it is')
  t.strictSame(outcome(await browser.caller().get('/api/auth/me')), NEEDED)
})

t.test('only an administrator unlinks the provider', async (t) => {
  const browser = service.browser()
  await browser.signIn(newPerson())
  const id = await idOf(browser)
  await db
    .updateTable('users')
    .set({ password_hash: await hashOfPassword() })
    .where('id', '=', id)
    .execute()
  const { identities } = (await browser.caller().get('/api/auth/oidc/identities')).body
  const own = await browser.caller().delete(`/api/auth/oidc/identities/${identities[0].id}`)
  t.strictSame(outcome(own), { status: 409, code: 'identity_needed' })
  const admin = await service.admin()
  t.equal((await admin.delete(`/api/accounts/${id}/identities`)).status, 200)
  t.strictSame((await browser.caller().get('/api/auth/oidc/identities')).body.identities, [])
  const { body } = await admin.get('/api/accounts/audit?action=user.identities&limit=1')
  t.match(body.entries, [{ target_id: id, details: { ended: 1 } }])
})

t.test('nothing ends while the provider does not respond', async (t) => {
  // Its own service, because the other one has just reached the provider.
  const service = await startSignIn(t, { OIDC_RECHECK_DAYS: 7 })
  const browser = service.browser()
  const erika = newPerson()
  await browser.signIn(erika)
  const token = await createToken(await idOf(browser), 'nightly', service)
  const id = await idOf(browser)
  await service.db
    .updateTable('users')
    .set({ password_hash: await hashOfPassword() })
    .where('id', '=', id)
    .execute()
  await age(100, service.db)
  await service.provider.stop()
  t.equal((await browser.caller().get('/api/auth/me')).status, 200)
  t.equal((await token.get('/api/decks')).status, 200)
  const byPassword = await service.anonymous.post('/api/auth/login', { username: erika.sub, password: PASSWORD })
  t.equal(byPassword.status, 200)
})
