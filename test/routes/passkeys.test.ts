import { sql } from 'kysely'
import pino from 'pino'
import t from 'tap'
import { relyingPartyOf } from '../../src/domain/accounts/passkeys.js'
import { Authenticator } from '../support/authenticator.js'
import { createUser, hashOfPassword, PASSWORD } from '../support/factories.js'
import { holdLoginLimits } from '../support/login-limits.js'
import { type Caller, callerOf, cookieOf, errorBody, startService } from '../support/service.js'

const ORIGIN = 'https://training.example.org'
const HOST = 'training.example.org'
const INVALID = errorBody(400, 'Der Passkey ließ sich nicht einrichten')
const REFUSED = errorBody(401, 'Die Anmeldung mit Passkey ist fehlgeschlagen')
const TOO_OLD = errorBody(403, 'Bitte erneut anmelden')

const log: { reason?: string }[] = []
const logger = pino({ level: 'warn' }, { write: (line: string) => log.push(JSON.parse(line)) })
const service = await startService(t, { config: { publicUrl: `${ORIGIN}/` }, logger })
const lastReason = () => log.at(-1)?.reason
const { app, db, anonymous } = service

const newAuthenticator = () => new Authenticator(ORIGIN, HOST)

async function register(caller: Caller, authenticator = newAuthenticator(), name = 'Telefon') {
  const options = (await caller.post('/api/auth/passkeys/options')).body
  const response = await caller.post('/api/auth/passkeys', { name, credential: authenticator.register(options) })
  return { authenticator, response, options }
}

const loginOptions = async (by = anonymous) => (await by.post('/api/auth/passkeys/login-options')).body
const logIn = async (authenticator: Authenticator, behaviour?: Parameters<Authenticator['logIn']>[1], by = anonymous) =>
  by.post('/api/auth/passkeys/login', { credential: authenticator.logIn(await loginOptions(by), behaviour) })

const signInOf = async (caller: Caller) => (await caller.get('/api/auth/me')).body.sign_in
const ageLogins = (user_id: number) =>
  db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(Date.now() - 11 * 60_000) })
    .where('user_id', '=', user_id)
    .execute()

t.test('offers no passkeys at an origin without support', async (t) => {
  const other = await startService(t, { config: { publicUrl: 'http://training.example.org/' } })
  const { body } = await other.anonymous.get('/api/auth/methods')
  t.match(body, { password: true, passkeys: false, oidc: null })
  const absent = errorBody(404, 'Passkeys werden hier nicht angeboten')
  t.strictSame((await other.anonymous.post('/api/auth/passkeys/login-options')).body, absent)
  const credential = newAuthenticator().logIn({ challenge: 'x' })
  t.strictSame((await other.anonymous.post('/api/auth/passkeys/login', { credential })).body, absent)
  const member = await other.member()
  t.strictSame((await member.post('/api/auth/passkeys/options')).body, absent)
  t.strictSame((await member.get('/api/auth/passkeys')).body, { passkeys: [] })
  t.equal((await member.patch('/api/accounts/me', { passkey_only: true })).status, 409)
  t.match((await anonymous.get('/api/auth/methods')).body, { password: true, passkeys: true, oidc: null })
})

t.test('an origin supports passkeys by https with a name, and by the local host', async (t) => {
  for (const [publicUrl, id] of [
    [undefined, undefined],
    ['http://training.example.org/', undefined],
    ['http://127.0.0.1:3000/', undefined],
    ['https://10.0.0.7/', undefined],
    ['https://[fd00::7]/', undefined],
    ['http://localhost:3000/', 'localhost'],
    ['https://example.org/training/', 'example.org'],
  ] as const) {
    t.equal(relyingPartyOf(publicUrl)?.id, id, String(publicUrl))
  }
})

t.test('registers, lists, uses and removes a passkey', async (t) => {
  const member = await service.member()
  const { authenticator, response, options } = await register(member, newAuthenticator(), '  Telefon ')
  t.match(options, {
    rp: { id: HOST, name: 'Training' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  })
  t.equal(Buffer.from(options.user.id, 'base64url').length, 32, 'random, so that it does not identify the user')
  t.strictSame(response.body, {
    id: response.body.id,
    name: 'Telefon',
    backed_up: false,
    created_at: response.body.created_at,
    last_used_at: null,
  })
  t.strictSame((await member.get('/api/auth/passkeys')).body, { passkeys: [response.body] })
  t.match(await signInOf(member), { password: true, passkeys: 1, passkey_only: false, identities: 0, emergency: false })

  const asked = await loginOptions()
  t.match(asked, { rpId: HOST, userVerification: 'required' })
  t.notOk(asked.allowCredentials?.length, 'the options do not reveal which users have passkeys')
  const login = await logIn(authenticator)
  t.equal(login.status, 200)
  t.match(login.body, { user: { id: member.id }, must_change_password: false })
  const by = callerOf(app, cookieOf(login))
  t.equal((await by.get('/api/auth/me')).body.user.id, member.id)
  const sessions = await db.selectFrom('sessions').selectAll().where('user_id', '=', member.id).orderBy('id').execute()
  t.equal(sessions.at(-1)?.authenticated_by, 'passkey')
  t.ok((await member.get('/api/auth/passkeys')).body.passkeys[0].last_used_at)

  t.strictSame((await by.delete(`/api/auth/passkeys/${response.body.id}`)).body, { ok: true })
  t.strictSame((await by.delete(`/api/auth/passkeys/${response.body.id}`)).body, { ok: true }, 'again')
  t.strictSame((await logIn(authenticator)).body, REFUSED)
  t.strictSame((await by.delete('/api/auth/passkeys/x')).body, errorBody(400, 'Ungültige Passkey-ID'))
})

t.test('a required password change does not affect passkey logins', async (t) => {
  const admin = await service.admin()
  const member = await service.member()
  const { authenticator } = await register(member)
  await admin.patch(`/api/accounts/${member.id}`, { must_change_password: true })
  const login = await logIn(authenticator)
  t.match(login.body, { user: { id: member.id }, must_change_password: false })
  const caller = callerOf(app, cookieOf(login))
  t.equal((await caller.get('/api/auth/me')).body.must_change_password, false)
  t.equal((await caller.get('/api/decks')).status, 200)
  const change = (new_password: string) =>
    caller.post('/api/auth/password', { current_password: PASSWORD, new_password })
  t.strictSame(
    (await change(PASSWORD)).body,
    errorBody(400, 'Das neue Passwort muss ein anderes sein als das aktuelle'),
  )
  const mustChange = async () =>
    (await db.selectFrom('users').select('must_change_password').where('id', '=', member.id).execute())[0]
  t.strictSame(await mustChange(), { must_change_password: true })
  t.equal((await change('ein-anderes-Passwort')).status, 200)
  t.strictSame(await mustChange(), { must_change_password: false })
})

t.test('several passkeys of a user share one user handle', async (t) => {
  const member = await service.member()
  const first = await register(member)
  const second = await register(member, newAuthenticator(), 'Notebook')
  t.equal(first.options.user.id, second.options.user.id)
  t.strictSame(second.options.excludeCredentials, [
    { id: first.authenticator.id, type: 'public-key', transports: ['internal'] },
  ])
  for (const { authenticator } of [first, second]) t.equal((await logIn(authenticator)).body.user.id, member.id)
  const again = await register(member, first.authenticator)
  t.strictSame(again.response.body, errorBody(409, 'Dieser Passkey ist schon eingerichtet'))
  const stranger = await service.member()
  const stolen = await register(stranger, first.authenticator)
  t.equal(stolen.response.status, 409, 'a credential cannot belong to two users')
  t.strictSame((await stranger.delete(`/api/auth/passkeys/${first.response.body.id}`)).body, { ok: true })
  t.equal((await member.get('/api/auth/passkeys')).body.passkeys.length, 2, 'other users cannot remove the passkey')
})

t.test('limits names to 1–200 characters and reports invalid fields', async (t) => {
  const member = await service.member()
  for (const [name, message] of [
    ['  ', 'Das Feld „name“ darf nicht leer sein'],
    ['x'.repeat(201), 'Das Feld „name“ darf höchstens 200 Zeichen haben'],
    ['nul\0', 'Das Feld „name“ enthält unzulässige Zeichen'],
  ] as const) {
    t.strictSame((await register(member, newAuthenticator(), name)).response.body, errorBody(400, message))
  }
  t.equal((await register(member, newAuthenticator(), 'ü'.repeat(200))).response.status, 200)
  for (const body of [{}, { name: 'x' }, { name: 'x', credential: {} }, { name: 'x', credential: { id: 5 } }]) {
    t.match((await member.post('/api/auth/passkeys', body)).body, { statusCode: 400, message: /^Das Feld „/ })
  }
  const nonsense = {
    id: 'x',
    rawId: 'x',
    type: 'public-key',
    response: { clientDataJSON: 'x', attestationObject: 'x' },
  }
  t.strictSame((await member.post('/api/auth/passkeys', { name: 'x', credential: nonsense })).body, INVALID)
  for (const clientDataJSON of ['', 'bnVsbA', 'e30', '!', Buffer.from('{"challenge":5}').toString('base64url')]) {
    const response = { clientDataJSON, authenticatorData: '', signature: '', userHandle: null }
    const credential = { ...nonsense, response }
    t.strictSame((await anonymous.post('/api/auth/passkeys/login', { credential })).body, REFUSED, clientDataJSON)
  }
})

t.test('refuses malformed transports, and stores unknown ones', async (t) => {
  const member = await service.member()
  const registerWith = async (transports: string[]) => {
    const options = (await member.post('/api/auth/passkeys/options')).body
    const credential = newAuthenticator().register(options)
    credential.response.transports = transports
    return (await member.post('/api/auth/passkeys', { name: 'x', credential })).status
  }
  for (const transport of ['a\0b', '', 'x'.repeat(51), 'a b']) t.equal(await registerWith([transport]), 400, transport)
  t.equal(await registerWith(['internal', 'smart-card', 'not-yet-known']), 200)
})

t.test('of several concurrent confirmations, one starts a session', async (t) => {
  const member = await service.member()
  const { authenticator } = await register(member)
  const sessions = () => db.selectFrom('sessions').select('id').where('user_id', '=', member.id).execute()
  const confirm = () => member.post('/api/auth/confirm', { password: PASSWORD })
  const responses = await Promise.all([confirm(), confirm(), confirm(), confirm()])
  t.equal((await sessions()).length, 1)
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 401, 401, 401])
  const winner = callerOf(app, cookieOf(responses.find(({ status }) => status === 200) as never))
  const byPasskey = await Promise.all([logIn(authenticator, {}, winner), confirm(), logIn(authenticator, {}, winner)])
  const begun = byPasskey.filter(({ status }) => status === 200)
  t.ok(begun.length > 0)
  // If another request has already replaced the session, a passkey login starts an additional session.
  t.equal((await sessions()).length, begun.length)
})

t.test("registration requires a fresh login, a session and the service's origin", async (t) => {
  const member = await service.member()
  const options = (await member.post('/api/auth/passkeys/options')).body
  const credential = newAuthenticator().register(options)
  await ageLogins(member.id)
  t.strictSame((await member.post('/api/auth/passkeys/options')).body, TOO_OLD)
  t.strictSame((await member.post('/api/auth/passkeys', { name: 'x', credential })).body, TOO_OLD)
  const fresh = callerOf(app, cookieOf(await member.post('/api/auth/confirm', { password: PASSWORD })))
  t.equal((await fresh.post('/api/auth/passkeys', { name: 'x', credential })).status, 200)
  const { token } = (await fresh.post('/api/auth/tokens', { name: 'x' })).body
  const script = callerOf(app, undefined, token)
  t.equal((await script.post('/api/auth/passkeys/options')).status, 403)
  t.equal((await script.delete('/api/auth/passkeys/1')).status, 403)
  t.equal((await script.get('/api/auth/passkeys')).body.passkeys.length, 1)
  t.equal((await script.patch('/api/accounts/me', { passkey_only: true })).status, 403)
  t.match((await script.get('/api/auth/me')).body, { sign_in: { passkeys: 1, authenticated_at: null } })
})

t.test('a registration is valid once, for five minutes and for its user', async (t) => {
  const member = await service.member()
  const stranger = await service.member()
  const begin = async () => (await member.post('/api/auth/passkeys/options')).body
  const finish = (credential: object, by = member) => by.post('/api/auth/passkeys', { name: 'x', credential })

  const foreign = newAuthenticator().register(await begin())
  t.strictSame((await finish(foreign, stranger)).body, INVALID)
  t.strictSame((await finish(foreign)).body, INVALID, 'the failed attempt has used up the challenge')

  const options = await begin()
  t.equal((await finish(newAuthenticator().register(options))).status, 200)
  t.strictSame((await finish(newAuthenticator().register(options))).body, INVALID)

  const late = await begin()
  await db
    .updateTable('passkey_challenges')
    .set({ expires_at: new Date(Date.now() - 1000) } as never)
    .execute()
  t.strictSame((await finish(newAuthenticator().register(late))).body, INVALID)

  const wrongPurpose = { ...(await loginOptions()), user: options.user }
  t.strictSame((await finish(newAuthenticator().register(wrongPurpose))).body, INVALID)
  t.strictSame((await finish(newAuthenticator().register({ ...options, challenge: 'AAAA' }))).body, INVALID)
})

t.test('refuses registration from another page or host, or without user verification', async (t) => {
  const member = await service.member()
  for (const [behaviour, reason] of [
    [{ origin: 'https://evil.example' }, /origin "https:\/\/evil\.example"/],
    [{ origin: `${ORIGIN}:8443` }, /origin/],
    [{ rpId: 'example.org' }, /RP ID/],
    [{ verifies: false }, /could not be verified/],
    [{ crossOrigin: true }, /in a frame/],
    [{ innerId: Buffer.alloc(3_000, 7) }, /another id|too large|Leftover/],
    [{ innerId: Buffer.alloc(32, 7) }, /another id/],
    [{ y: Buffer.alloc(32, 1) }, /the key cannot be used/],
  ] as const) {
    const options = (await member.post('/api/auth/passkeys/options')).body
    const credential = newAuthenticator().register(options, behaviour)
    t.strictSame((await member.post('/api/auth/passkeys', { name: 'x', credential })).body, INVALID)
    t.match(lastReason(), reason)
  }
  t.strictSame((await member.get('/api/auth/passkeys')).body, { passkeys: [] })
})

t.test('every attack on a login fails, and the passkey still works', async (t) => {
  const member = await service.member()
  const { authenticator, options } = await register(member)
  const stranger = await register(await service.member())
  const works = async (message: string) => t.equal((await logIn(authenticator)).status, 200, message)
  await works('before')
  for (const [behaviour, reason] of [
    [{ origin: 'https://evil.example' }, /origin "https:\/\/evil\.example"/],
    [{ origin: 'http://training.example.org' }, /origin/],
    [{ rpId: 'evil.example' }, /RP ID/],
    [{ verifies: false }, /could not be verified/],
    [{ userHandle: stranger.options.user.id }, /of another user/],
    [{ userHandle: '' }, /of another user/],
    [{ crossOrigin: true }, /in a frame/],
    [{ challenge: Buffer.alloc(32, 1).toString('base64url') }, /no such challenge/],
  ] as const) {
    t.strictSame((await logIn(authenticator, behaviour)).body, REFUSED, JSON.stringify(behaviour))
    t.match(lastReason(), reason)
    await works('after')
  }
  const send = (credential: object) => anonymous.post('/api/auth/passkeys/login', { credential })
  const forged = authenticator.logIn(await loginOptions())
  forged.response.signature = stranger.authenticator.logIn({ challenge: 'x' }).response.signature
  t.strictSame((await send(forged)).body, REFUSED)
  t.match(lastReason(), /wrong signature/)
  const posed = stranger.authenticator.logIn(await loginOptions(), { userHandle: options.user.id })
  t.strictSame((await send({ ...posed, id: authenticator.id, rawId: authenticator.id })).body, REFUSED)
  t.match(lastReason(), /wrong signature/)
  const unknown = newAuthenticator().logIn(await loginOptions())
  t.strictSame((await send(unknown)).body, REFUSED)
  t.match(lastReason(), /no such passkey/)
  const made = authenticator.register({ ...options, ...(await loginOptions()) })
  const { clientDataJSON } = made.response
  const other = authenticator.logIn(await loginOptions())
  t.strictSame((await send({ ...other, response: { ...other.response, clientDataJSON } })).body, REFUSED)
  t.match(lastReason(), /response type/, 'a registration response is not accepted as a login')
  await works('at the end')
})

t.test('a response is valid once, even if sent twice concurrently', async (t) => {
  const { authenticator } = await register(await service.member())
  const credential = authenticator.logIn(await loginOptions())
  const send = () => anonymous.post('/api/auth/passkeys/login', { credential })
  const responses = await Promise.all([send(), send(), send()])
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 401, 401])
  const late = authenticator.logIn(await loginOptions())
  await db
    .updateTable('passkey_challenges')
    .set({ expires_at: new Date(Date.now() - 1000) } as never)
    .execute()
  t.strictSame((await anonymous.post('/api/auth/passkeys/login', { credential: late })).body, REFUSED)
})

t.test('refuses a counter that decreases or stays', async (t) => {
  const member = await service.member()
  const { authenticator } = await register(member)
  t.equal((await logIn(authenticator, { counter: 7 })).status, 200)
  for (const counter of [7, 6, 0]) {
    t.strictSame((await logIn(authenticator, { counter })).body, REFUSED, `${counter}`)
    t.match(log.at(-1), { reason: /counter went back/, user_id: member.id, counter, stored_counter: 7 })
  }
  t.equal((await logIn(authenticator, { counter: 8 })).status, 200)
  const still = newAuthenticator()
  const options = (await member.post('/api/auth/passkeys/options')).body
  await member.post('/api/auth/passkeys', { name: 'x', credential: still.register(options, { counter: 0 }) })
  for (const counter of [0, 0])
    t.equal((await logIn(still, { counter })).status, 200, 'an authenticator without a counter')
})

t.test('failures count as failed logins of the credential and address', async (t) => {
  const forget = () => db.deleteFrom('login_failures').execute()
  await forget()
  t.teardown(forget)
  const member = await service.member()
  const { authenticator } = await register(member)
  const second = await register(member)
  const statuses: number[] = []
  for (let count = 0; count < 7; count++) {
    statuses.push((await logIn(authenticator, { verifies: false })).status)
    await holdLoginLimits(db)
  }
  t.equal(statuses[0], 401)
  t.equal(statuses.at(-1), 429)
  t.equal((await logIn(authenticator)).status, 429, 'the right response is refused as well')
  t.equal((await logIn(second.authenticator)).status, 200, 'another passkey has a separate limit')
  const { score } = await db
    .selectFrom('login_failures')
    .select('score')
    .where('account_hash', '=', Buffer.alloc(0))
    .executeTakeFirstOrThrow()
  t.ok(score > 5, 'the limit of the address counts all passkeys')
})

t.test('a flood of login options from one address stops neither logins nor registrations', async (t) => {
  await db.deleteFrom('passkey_challenges').execute()
  const member = await service.member()
  const { authenticator } = await register(member)
  const begun = (await member.post('/api/auth/passkeys/options')).body
  const flood = () =>
    sql`
    insert into passkey_challenges (challenge, purpose, network, expires_at)
    select sha256(('flood' || number || random())::bytea), 'login', '127.0.0.1', now() + interval '4 minutes'
    from generate_series(1, 2000) as number`.execute(db)
  await flood()
  const login = await logIn(authenticator)
  t.equal(login.status, 200, 'the oldest challenge was deleted')
  const open = async (purpose: 'login' | 'register') =>
    (await db.selectFrom('passkey_challenges').select('user_id').where('purpose', '=', purpose).execute()).length
  t.equal(await open('login'), 1_999)
  const finished = await member.post('/api/auth/passkeys', {
    name: 'Notebook',
    credential: newAuthenticator().register(begun),
  })
  t.equal(finished.status, 200, 'started registrations do not count as logins')

  const responses = await Promise.all(Array.from({ length: 30 }, () => member.post('/api/auth/passkeys/options')))
  t.ok(responses.every(({ status }) => status === 200))
  await member.post('/api/auth/passkeys/options')
  t.ok((await open('register')) <= 10, 'the newest registrations of one user are kept')
  t.equal((await register(member)).response.status, 200)
})

t.test('a login with a passkey renews the authentication time and replaces the session', async (t) => {
  const member = await service.member()
  const { authenticator } = await register(member)
  await ageLogins(member.id)
  t.equal((await member.post('/api/auth/tokens', { name: 'x' })).status, 403)
  const before = Date.now()
  const response = await logIn(authenticator, {}, member)
  t.equal(response.body.user.id, member.id)
  const again = callerOf(app, cookieOf(response))
  t.equal((await again.post('/api/auth/tokens', { name: 'x' })).status, 200)
  t.equal((await member.get('/api/auth/me')).status, 401)
  t.ok(Date.parse((await signInOf(again)).authenticated_at) >= before)
})

t.test('an account can refuse its password until an administrator sets a new one', async (t) => {
  const admin = await service.admin()
  const user = await createUser(db)
  const member = await service.loginAs(user.username)
  const byPassword = (password = PASSWORD) => anonymous.post('/api/auth/login', { username: user.username, password })
  const choose = (passkey_only: unknown) => member.patch('/api/accounts/me', { passkey_only })

  t.strictSame((await choose(true)).body, errorBody(409, 'Dafür braucht das Konto zuerst einen Passkey'))
  t.strictSame((await choose('ja')).body, errorBody(400, 'Das Feld „passkey_only“ muss true oder false sein'))
  const first = await register(member)
  const second = await register(member)
  t.equal((await choose(true)).status, 200)
  t.equal((await signInOf(member)).passkey_only, true)
  t.strictSame((await byPassword()).body, errorBody(401, 'Benutzername oder Passwort falsch'))
  t.equal((await logIn(first.authenticator)).status, 200)
  t.equal((await member.delete(`/api/auth/passkeys/${first.response.body.id}`)).status, 200)
  t.strictSame(
    (await member.delete(`/api/auth/passkeys/${second.response.body.id}`)).body,
    errorBody(409, 'Der letzte Passkey bleibt, solange sich das Konto nur mit Passkey anmeldet'),
  )
  t.match((await admin.get(`/api/accounts/${user.id}`)).body.user.sign_in, { passkeys: 1, passkey_only: true })

  t.equal((await admin.patch(`/api/accounts/${user.id}`, { password: 'vom-chef' })).status, 200)
  t.equal((await byPassword('vom-chef')).status, 200)
  t.match((await admin.get('/api/accounts/audit?limit=1')).body.entries, [
    { action: 'user.password', target_id: user.id, details: { fields: ['password'], passkey_only: false } },
  ])
  t.equal((await logIn(second.authenticator)).status, 200, 'the passkeys stay')
})

t.test('an administrator removes all passkeys of others only', async (t) => {
  const admin = await service.admin()
  const member = await service.member()
  const { authenticator } = await register(member)
  const other = await register(member, newAuthenticator(), 'Notebook')
  const stranger = await register(await service.member())
  await member.patch('/api/accounts/me', { passkey_only: true })
  const url = `/api/accounts/${member.id}/passkeys`
  t.strictSame((await member.delete(url)).body, errorBody(403, 'Administratorrechte erforderlich'))
  t.strictSame((await admin.delete(url)).body, { ok: true })
  for (const one of [authenticator, other.authenticator]) t.strictSame((await logIn(one)).body, REFUSED)
  t.equal((await logIn(stranger.authenticator)).status, 200)
  const { sign_in, username } = (await admin.get(`/api/accounts/${member.id}`)).body.user
  t.match(sign_in, { password: true, passkeys: 0, passkey_only: false }, 'the password is accepted again')
  t.equal((await anonymous.post('/api/auth/login', { username, password: PASSWORD })).status, 200)
  t.strictSame((await admin.delete(url)).body, { ok: true }, 'again')
  const { entries } = (await admin.get('/api/accounts/audit?limit=2')).body
  const details = { ended: 2, passkey_only: false }
  t.match(entries[0], { action: 'user.passkeys', target_id: member.id, target: username, details })
  t.not(entries[1]?.action, 'user.passkeys', 'no audit entry without a change')

  const own = await register(admin)
  t.equal((await admin.delete(`/api/accounts/${admin.id}/passkeys`)).status, 400)
  t.equal((await logIn(own.authenticator)).status, 200)
  for (const id of ['999999', '-1']) {
    const response = await admin.delete(`/api/accounts/${id}/passkeys`)
    t.strictSame(response.body, errorBody(404, 'Benutzer nicht gefunden'))
  }
})

t.test('keeps the last login method', async (t) => {
  const member = await service.member()
  const { response } = await register(member)
  await db.updateTable('users').set({ password_hash: null }).where('id', '=', member.id).execute()
  const remove = () => member.delete(`/api/auth/passkeys/${response.body.id}`)
  t.strictSame((await remove()).body, errorBody(409, 'Ohne diesen Weg könnte sich niemand mehr anmelden'))
  await db.insertInto('identities').values({ user_id: member.id, issuer: 'https://idp', subject: 'x' }).execute()
  t.equal((await remove()).status, 409, 'an identity of a provider that is not configured')
  await db
    .updateTable('users')
    .set({ password_hash: await hashOfPassword() })
    .where('id', '=', member.id)
    .execute()
  t.equal((await remove()).status, 200)
})

t.test('audits passkey changes of administrators', async (t) => {
  const admin = await service.admin()
  const { response } = await register(admin)
  await admin.patch('/api/accounts/me', { passkey_only: true })
  await admin.patch('/api/accounts/me', { passkey_only: true })
  await admin.patch('/api/accounts/me', { passkey_only: false })
  await admin.delete(`/api/auth/passkeys/${response.body.id}`)
  t.match((await admin.get('/api/accounts/audit?limit=4')).body.entries.reverse(), [
    { action: 'passkey.create', target_id: response.body.id, target: 'Telefon', details: null },
    { action: 'user.update', target_id: admin.id, details: { fields: ['passkey_only'], passkey_only: true } },
    { action: 'user.update', target_id: admin.id, details: { fields: ['passkey_only'], passkey_only: false } },
    { action: 'passkey.delete', target_id: response.body.id },
  ])
})

t.test('limits the passkeys of a user to fifty', async (t) => {
  const member = await service.member()
  await register(member)
  const [row] = await db.selectFrom('passkeys').selectAll().where('user_id', '=', member.id).execute()
  const { id: _, ...values } = row as NonNullable<typeof row>
  const others = Array.from({ length: 49 }, (_, at) => ({
    ...values,
    credential_id: Buffer.from(`other-${member.id}-${at}`),
  }))
  await db.insertInto('passkeys').values(others).execute()
  t.match((await register(member)).response.body, { statusCode: 409, message: /^Es gibt schon 50 Passkeys/ })
})

t.test("passkeys are part of the user's data without secrets, and are deleted with the account", async (t) => {
  const admin = await service.admin()
  const member = await service.member()
  const { authenticator, response } = await register(member)
  const { passkeys } = (await member.get('/api/accounts/me/data')).body
  t.match(passkeys, [{ id: response.body.id, name: 'Telefon', transports: ['internal'] }])
  t.notMatch(JSON.stringify(passkeys), /public_key|user_handle/)
  await admin.delete(`/api/admin/users/${member.id}`)
  t.strictSame((await logIn(authenticator)).body, REFUSED)
  t.strictSame(await db.selectFrom('passkeys').selectAll().where('user_id', '=', member.id).execute(), [])
})
