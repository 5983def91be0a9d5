import t from 'tap'
import { lockLoginMethods } from '../../db/queries/accounts/passkeys.js'
import { insertSession, type LoginCredential } from '../../db/queries/accounts/sessions.js'
import { addDays, calendarIn, noonOf } from '../../src/domain/time/calendar.js'
import { makeCalendar } from '../../src/services/calendar/calendar.js'
import { Authenticator } from '../support/authenticator.js'
import { waitUntilBlocked } from '../support/database.js'
import { createUser, hashOfPassword, PASSWORD, unique } from '../support/factories.js'
import { holdLoginLimits } from '../support/login-limits.js'
import { callerOf, cookieOf, errorBody } from '../support/service.js'
import { startSignIn } from '../support/sign-in.js'

const ORIGIN = 'http://localhost:3999'
const DAY_MS = 24 * 60 * 60 * 1000

// At noon, so that a day of 23 or 25 hours moves no instant to another date.
const today = calendarIn('Europe/Berlin')(new Date())
const begun = noonOf(today).getTime()
let daysLater = 0
const later = () => new Date(begun + daysLater * DAY_MS)
const service = await startSignIn(t, {}, { config: { publicUrl: `${ORIGIN}/` }, now: later })
const { anonymous, app, browser, db } = service
const admin = await service.admin()

const disable = (id: number, disabled_on: string | null) => admin.patch(`/api/accounts/${id}`, { disabled_on })
const logIn = (username: string, password = PASSWORD) =>
  anonymous.post('/api/auth/login', { username, password }, { remoteAddress: '198.51.100.7' })

const WRONG_LOGIN = errorBody(401, 'Benutzername oder Passwort falsch')
const NOT_LOGGED_IN = errorBody(401, 'Nicht angemeldet')

async function createPerson() {
  const user = await createUser(db)
  const caller = await service.loginAs(user.username)
  const authenticator = new Authenticator(ORIGIN, 'localhost')
  const options = (await caller.post('/api/auth/passkeys/options')).body
  await caller.post('/api/auth/passkeys', { name: 'Telefon', credential: authenticator.register(options) })
  await db
    .insertInto('identities')
    .values({ user_id: user.id, issuer: service.provider.issuer, subject: user.username })
    .execute()
  const { token } = (await caller.post('/api/auth/tokens', { name: 'Skript' })).body
  return { user, caller, authenticator, script: callerOf(app, undefined, token) }
}

type Person = Awaited<ReturnType<typeof createPerson>>

async function isAdmittedByProvider(person: { sub: string; preferred_username: string }): Promise<boolean> {
  const visitor = browser()
  await visitor.signIn(person)
  return (await visitor.caller().get('/api/auth/me')).status === 200
}

/**
 * Functions for the public operations, by operation id. Each tries to log a person in, or to read the person's
 * calendar, and returns whether this succeeded; null for operations that give no access to an account. Each new public
 * operation needs an entry.
 */
const LOGINS: Record<string, ((person: Person) => Promise<boolean>) | null> = {
  getOpenapi: null,
  getHealth: null,
  getReadiness: null,
  listLoginMethods: null,
  getLogo: null,
  // Does not log a user in: the content of a certificate is public to everyone with its code.
  verifyProof: null,
  // Neither operation logs a user in. The test own-mail.test.ts checks that the service does not confirm addresses
  // of disabled accounts.
  confirmAddress: null,
  unsubscribe: null,
  getCalendar: async ({ user }) =>
    (await anonymous.get(`/api/calendar/${await makeCalendar(db, user.id)}.ics`)).status === 200,
  logout: null,
  logoutOidc: null,
  backChannelLogout: null,
  beginPasskeyLogin: null,
  startOidc: null,
  login: async ({ user }) => cookieOf(await logIn(user.username)) !== undefined,
  logInByPasskey: async ({ authenticator }) => {
    const options = (await anonymous.post('/api/auth/passkeys/login-options')).body
    const response = await anonymous.post('/api/auth/passkeys/login', { credential: authenticator.logIn(options) })
    return cookieOf(response) !== undefined
  },
  finishOidc: async ({ user }) => isAdmittedByProvider({ sub: user.username, preferred_username: user.username }),
}

/** Functions by security scheme; each returns whether a request with the credential is accepted. */
const CREDENTIALS: Record<string, (person: Person) => Promise<boolean>> = {
  session: async ({ caller }) => (await caller.get('/api/auth/me')).status === 200,
  token: async ({ script }) => (await script.get('/api/decks')).status === 200,
}

const ways = () => Object.entries(LOGINS).flatMap(([name, admits]) => (admits === null ? [] : [{ name, admits }]))

t.test('the tables cover all public operations and credentials', async (t) => {
  const { components, paths } = app.swagger() as unknown as {
    components: { securitySchemes: object }
    paths: Record<string, Record<string, { operationId: string; security?: object[] }>>
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const open = operations.filter(({ security }) => security?.length === 0).map(({ operationId }) => operationId)
  t.strictSame(Object.keys(LOGINS).sort(), open.sort(), 'a new operation needs a check of disabled accounts')
  t.strictSame(Object.keys(CREDENTIALS).sort(), Object.keys(components.securitySchemes).sort())
})

t.test('a disabled account cannot log in; after an undo it can, without its old sessions and tokens', async (t) => {
  const person = await createPerson()
  for (const { name, admits } of ways()) t.ok(await admits(person), name)
  for (const [name, admits] of Object.entries(CREDENTIALS)) t.ok(await admits(person), name)

  t.equal((await disable(person.user.id, today)).status, 200)
  for (const { name, admits } of ways()) t.notOk(await admits(person), name)
  for (const [name, admits] of Object.entries(CREDENTIALS)) t.notOk(await admits(person), name)
  for (const table of ['sessions', 'api_tokens'] as const) {
    const rows = await db.selectFrom(table).select('id').where('user_id', '=', person.user.id).execute()
    t.strictSame(rows, [], `${table} end at once`)
  }

  t.equal((await disable(person.user.id, null)).status, 200)
  for (const [name, admits] of Object.entries(CREDENTIALS)) t.notOk(await admits(person), name)
  for (const { name, admits } of ways()) t.ok(await admits(person), name)
})

t.test('each login responds as for a wrong credential, and the failures count', async (t) => {
  const { user, caller, authenticator, script } = await createPerson()
  await disable(user.id, '2020-01-01')
  t.strictSame((await logIn(user.username)).body, WRONG_LOGIN)
  t.strictSame((await logIn(user.username, 'falsch')).body, WRONG_LOGIN)
  const options = (await anonymous.post('/api/auth/passkeys/login-options')).body
  const byPasskey = await anonymous.post('/api/auth/passkeys/login', { credential: authenticator.logIn(options) })
  t.strictSame(byPasskey.body, errorBody(401, 'Die Anmeldung mit Passkey ist fehlgeschlagen'))
  for (const one of [caller, script]) t.strictSame((await one.get('/api/decks')).body, NOT_LOGGED_IN)
  service.refusals()
  const page = await browser().signIn({ sub: user.username, preferred_username: user.username })
  t.match(page, /^\/anmelden\?fehler=nicht_angelegt/, 'as for a person without an account')
  t.strictSame(service.refusals(), [{ code: 'nicht_angelegt', reason: 'the account is disabled' }])

  const statuses = []
  for (let attempt = 0; attempt < 7; attempt++) {
    statuses.push((await logIn(user.username)).status)
    await holdLoginLimits(db)
  }
  t.equal(statuses.at(-1), 429, 'the right password counts as a wrong one')
})

t.test('a sign-in neither links a disabled account nor spends the permission to do so', async (t) => {
  const username = unique('neu')
  const { id } = await createUser(db, { username })
  await admin.patch(`/api/accounts/${id}`, { link_next_login: true, disabled_on: today })
  t.notOk(await isAdmittedByProvider({ sub: unique('s'), preferred_username: username }))
  const identities = await db.selectFrom('identities').select('id').where('user_id', '=', id).execute()
  t.strictSame(identities, [])
  t.equal((await admin.get(`/api/accounts/${id}`)).body.user.sign_in.link_next_login, true)
})

/** Stores a session as if the credential had just been verified. */
function startSession(user_id: number, credential: LoginCredential, day: string): Promise<boolean> {
  const session = { id_hash: Buffer.from(unique('id')), user_id, expires_at: new Date(Date.now() + DAY_MS) }
  return insertSession(db, { ...session, address: null, user_agent: null }, credential, day)
}

t.test('no credential starts a session of an account that is disabled after its verification', async (t) => {
  const { user } = await createPerson()
  const passkey = await db.selectFrom('passkeys').select('id').where('user_id', '=', user.id).executeTakeFirstOrThrow()
  const identity = await db
    .selectFrom('identities')
    .select('id')
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  const hash = await hashOfPassword()
  const credentials: LoginCredential[] = [
    ...[{ passwordHash: hash }, { newPasswordHash: hash }, { passkeyId: passkey.id }],
    { identityId: identity.id, authenticatedAt: undefined },
  ]
  await disable(user.id, addDays(today, 1))
  for (const credential of credentials)
    t.equal(await startSession(user.id, credential, today), true, Object.keys(credential).join())
  for (const credential of credentials)
    t.equal(await startSession(user.id, credential, addDays(today, 1)), false, Object.keys(credential).join())
})

t.test('no credential starts a session if it is removed while the session waits to be stored', async (t) => {
  for (const table of ['passkeys', 'identities'] as const) {
    const { user } = await createPerson()
    const { id } = await db.selectFrom(table).select('id').where('user_id', '=', user.id).executeTakeFirstOrThrow()
    const credential = table === 'passkeys' ? { passkeyId: id } : { identityId: id, authenticatedAt: undefined }
    let started: Promise<boolean> | undefined
    await db.transaction().execute(async (transaction) => {
      await lockLoginMethods(transaction, user.id)
      await transaction.deleteFrom(table).where('id', '=', id).execute()
      started = startSession(user.id, credential, today)
      await waitUntilBlocked(service.database)
    })
    t.equal(await started, false, table)
  }
})

t.test('a planned day takes effect at its start and can be moved and undone before', async (t) => {
  t.teardown(() => {
    daysLater = 0
  })
  const person = await createPerson()
  const isIn = async () => (await person.caller.get('/api/auth/me')).status === 200
  await disable(person.user.id, addDays(today, 3))
  t.ok(await isIn(), 'a later day ends nothing yet')
  t.equal((await person.caller.get('/api/accounts/me/data')).body.user.disabled_on, addDays(today, 3))
  await disable(person.user.id, null)
  await disable(person.user.id, addDays(today, 2))
  t.ok(await isIn())
  daysLater = 1
  t.ok(await isIn())
  daysLater = 2
  for (const { name, admits } of ways()) t.notOk(await admits(person), name)
  for (const [name, admits] of Object.entries(CREDENTIALS)) t.notOk(await admits(person), name)
  await disable(person.user.id, null)
  for (const [name, admits] of Object.entries(CREDENTIALS)) t.notOk(await admits(person), `${name} is not restored`)
  t.ok(await LOGINS.login?.(person))
})

t.test('is shown to administrators and written to the audit trail', async (t) => {
  const user = await createUser(db)
  await disable(user.id, '2026-01-31')
  t.equal((await admin.get(`/api/accounts/${user.id}`)).body.user.disabled_on, '2026-01-31')
  t.match((await admin.get(`/api/accounts?q=${user.username}`)).body.users, [{ disabled_on: '2026-01-31' }])
  const details = { fields: ['disabled_on'], disabled_on: '2026-01-31' }
  const [entry] = (await admin.get('/api/accounts/audit?limit=1')).body.entries
  t.match(entry, { action: 'user.update', target: user.username, details })
  await disable(user.id, null)
  const [undo] = (await admin.get('/api/accounts/audit?limit=1')).body.entries
  t.strictSame(undo.details, { fields: ['disabled_on'], disabled_on: null })
  for (const day of ['', '2026-02-29', '31.12.2026', '0000-01-01', 'gestern', '2026-12-31T00:00:00Z']) {
    const response = await disable(user.id, day)
    t.strictSame(response.body, errorBody(400, 'Das Feld „disabled_on“ muss ein Tag sein, etwa 2026-12-31'), day)
  }
  for (const value of [5, true, []]) {
    t.equal((await admin.patch(`/api/accounts/${user.id}`, { disabled_on: value })).status, 400)
  }
})

t.test('a list of new users may name the day', async (t) => {
  const [leaving, staying] = [unique('azubi'), unique('bleibt')]
  const password = PASSWORD
  const { body } = await admin.post('/api/accounts/bulk', {
    users: [
      { username: leaving, password, disabled_on: '2026-01-31' },
      { username: staying, password },
    ],
  })
  t.match(body.users, [{ disabled_on: '2026-01-31' }, { disabled_on: null }])
  t.strictSame((await logIn(leaving)).body, WRONG_LOGIN)
  t.equal((await logIn(staying)).status, 200)
  const wrong = await admin.post('/api/accounts/bulk', { users: [{ username: unique('x'), disabled_on: 'bald' }] })
  t.match(wrong.body.errors, [{ line: 1, field: 'disabled_on' }])
})
