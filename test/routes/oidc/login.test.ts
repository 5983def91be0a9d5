import { sql } from 'kysely'
import t from 'tap'
import { startBehindLock } from '../../support/database.js'
import { createUser } from '../../support/factories.js'
import { errorBody } from '../../support/service.js'
import { startSignIn } from '../../support/sign-in.js'

const service = await startSignIn(t, {
  OIDC_ADMIN_CLAIM: 'groups',
  OIDC_ADMIN_VALUE: 'training-admins',
  OIDC_AUTHOR_CLAIM: 'groups',
  OIDC_AUTHOR_VALUE: 'training-authors',
  OIDC_AUDITOR_CLAIM: 'groups',
  OIDC_AUDITOR_VALUE: 'training-auditors',
  OIDC_PERSONNEL_CLAIM: 'employee.number',
})
const { db, browser } = service

const identitiesOf = (username: string) =>
  db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['issuer', 'subject'])
    .where('username', '=', username)
    .execute()

const auditOf = (username: string) =>
  db
    .selectFrom('audit_log')
    .select(['actor', 'via', 'action', 'details'])
    .where('target', '=', username)
    .orderBy('id')
    .execute()

t.test("the login methods contain the button's label", async (t) => {
  const { body } = await service.anonymous.get('/api/auth/methods')
  t.match(body, { password: true, oidc: { label: 'Firmenkonto' } })
})

t.test('a new person gets an account and later logs in to it again', async (t) => {
  const erika = browser()
  const person = { sub: 'u-1', preferred_username: ' erika ', name: 'Erika\tMuster\n', groups: ['alle'] }
  t.equal(await erika.signIn(person, { query: '?weiter=/decks/git%3Fkarte=4' }), '/decks/git?karte=4')
  const { body } = await erika.caller().get('/api/auth/me')
  t.match(body, { user: { username: 'erika', display_name: 'Erika Muster', is_admin: false } })
  t.strictSame(await identitiesOf('erika'), [{ issuer: service.provider.issuer, subject: 'u-1' }])
  t.match(await auditOf('erika'), [{ actor: 'erika', via: 'oidc', action: 'user.create' }])
  t.strictSame([...erika.cookies.keys()], ['svc_training_session'], 'the cookie of the started login is deleted')

  const first = erika.cookies.get('svc_training_session')
  t.equal(await erika.signIn({ ...person, preferred_username: 'umbenannt' }), '/')
  t.not(erika.cookies.get('svc_training_session'), first, 'a new session')
  const again = await erika.caller().get('/api/auth/me')
  t.equal(again.body.user.id, body.user.id, 'even if the name has changed')
  t.equal(again.body.user.username, 'erika')
  const old = await service.anonymous.get('/api/auth/me', { headers: { cookie: `svc_training_session=${first}` } })
  t.equal(old.status, 401, 'the previous session has ended')
})

t.test('an account created by the provider cannot log in with a password', async (t) => {
  const login = { username: 'erika', password: 'null' }
  const response = await service.anonymous.post('/api/auth/login', login)
  t.strictSame(response.body, errorBody(401, 'Benutzername oder Passwort falsch'))
})

t.test('name and administrator right follow the provider, with audit entries', async (t) => {
  const otto = browser()
  const person = { sub: 'u-2', preferred_username: 'otto', name: 'Otto' }
  await otto.signIn(person)
  await otto.signIn({ ...person, name: 'Otto Neu', groups: ['training-admins'] })
  t.match((await otto.caller().get('/api/auth/me')).body.user, { display_name: 'Otto Neu', is_admin: true })
  await otto.signIn({ ...person, name: 'Otto Neu', groups: 'andere' })
  t.match((await otto.caller().get('/api/auth/me')).body.user, { is_admin: true }, 'the only administrator')
  t.match(service.log.join(''), 'the last administrator keeps the right')
  await createUser(db, { is_admin: true })
  await otto.signIn({ ...person, name: 'Otto Neu' })
  t.match((await otto.caller().get('/api/auth/me')).body.user, { is_admin: false })
  t.strictSame(
    (await auditOf('otto')).map(({ action, details }) => [action, details]),
    [
      ['user.create', { is_admin: false }],
      ['user.update', { fields: ['display_name', 'is_admin'], is_admin: true }],
      ['user.update', { fields: ['is_admin'], is_admin: false }],
    ],
  )
})

t.test('the address follows the provider, unless it is not verified or absent', async (t) => {
  const wanda = browser()
  const person = { sub: 'u-10', preferred_username: 'wanda', name: 'Wanda' }
  const emailAfter = async (claims: object) => {
    await wanda.signIn({ ...person, ...claims })
    return (await db.selectFrom('users').select('email').where('username', '=', 'wanda').executeTakeFirstOrThrow())
      .email
  }
  t.equal(
    await emailAfter({ email: 'wanda@example.org', email_verified: true }),
    'wanda@example.org',
    'at the first login',
  )
  t.equal(await emailAfter({ email: 'neu@example.org' }), 'neu@example.org')
  t.equal(await emailAfter({ email: 'fremd@example.org', email_verified: false }), 'neu@example.org')
  t.equal(await emailAfter({}), 'neu@example.org')
  t.match((await auditOf('wanda')).at(-1), { action: 'user.update', details: { fields: ['email'] } })
})

t.test('the personnel number follows the provider, unless another account has it', async (t) => {
  const numberOf = async (username: string) =>
    (await db.selectFrom('users').select('personnel_number').where('username', '=', username).executeTakeFirstOrThrow())
      .personnel_number
  const person = { sub: 'u-31', preferred_username: 'petra' }
  await browser().signIn({ ...person, employee: { number: 417 } })
  t.equal(await numberOf('petra'), '417', 'at the first login')
  t.match((await auditOf('petra')).at(-1), { action: 'user.update', details: { fields: ['personnel_number'] } })
  await browser().signIn({ ...person, employee: { number: 'x'.repeat(41) } })
  await browser().signIn(person)
  t.equal(await numberOf('petra'), '417', 'an invalid or missing number changes nothing')
  await browser().signIn({ sub: 'u-32', preferred_username: 'nils', employee: { number: '417' } })
  t.equal(await numberOf('nils'), null, 'a number that is taken is not stored')
})

t.test('the right to write follows the provider, from the first login on', async (t) => {
  const nora = browser()
  const person = { sub: 'u-9', preferred_username: 'nora', name: 'Nora' }
  const isAuthor = async () => (await nora.caller().get('/api/auth/me')).body.roles.author
  await nora.signIn({ ...person, groups: ['training-authors'] })
  t.equal(await isAuthor(), true)
  await nora.signIn({ ...person, groups: [] })
  t.equal(await isAuthor(), false)
  await nora.signIn({ ...person, groups: ['alle', 'training-authors'] })
  t.equal(await isAuthor(), true)
  t.strictSame(
    (await auditOf('nora')).map(({ action, details }) => [action, details]),
    [
      ['user.create', { is_admin: false, is_author: true }],
      ['user.update', { fields: ['is_author'], is_author: false }],
      ['user.update', { fields: ['is_author'], is_author: true }],
    ],
  )
})

t.test('the role of an auditor follows the provider; a last day set by hand stays', async (t) => {
  const paula = browser()
  const person = { sub: 'u-33', preferred_username: 'paula', name: 'Paula' }
  const groups = ['training-auditors']
  const isAuditor = async () => (await paula.caller().get('/api/auth/me')).body.roles.auditor
  await paula.signIn({ ...person, groups })
  t.equal(await isAuditor(), true)
  await db.updateTable('users').set({ auditor_until: '2020-01-01' }).where('username', '=', 'paula').execute()
  await paula.signIn({ ...person, groups })
  t.equal(await isAuditor(), false)
  await paula.signIn({ ...person, groups: [] })
  await paula.signIn({ ...person, groups })
  t.equal(await isAuditor(), true, 'a new grant has no end')
})

t.test('a name from the provider is read-only', async (t) => {
  const ida = browser()
  await ida.signIn({ sub: 'u-3', preferred_username: 'ida', name: 'Ida' })
  const response = await ida.caller().patch('/api/accounts/me', { display_name: 'Anders' })
  t.strictSame(response.body, errorBody(403, 'Der Anzeigename kommt vom Anbieter der Anmeldung'))
})

t.test('refuses a missing, long, invalid or taken name', async (t) => {
  await createUser(db, { username: 'müller' })
  for (const [name, code] of [
    [undefined, 'kein_name'],
    ['  ', 'kein_name'],
    [['liste'], 'kein_name'],
    ['x'.repeat(201), 'name_ungueltig'],
    ['a\u0000b', 'name_ungueltig'],
    ['a\u001bb', 'name_ungueltig'],
    ['mu\u0308ller', 'name_vergeben'],
  ] as const) {
    const guest = browser()
    const place = await guest.signIn({ sub: `x-${code}`, preferred_username: name }, { query: '?weiter=/decks' })
    t.equal(place, `/anmelden?fehler=${code}&weiter=%2Fdecks`)
    t.match(service.refusals(), [{ code, reason: /name/ }])
    t.strictSame([...guest.cookies.keys()], [], 'no session has started')
  }
  t.strictSame(await identitiesOf('müller'), [])
})

t.test('links an existing account once after an administrator has allowed it', async (t) => {
  const user = await createUser(db, { username: 'karl' })
  const admin = await service.admin()
  t.equal((await admin.patch(`/api/accounts/${user.id}`, { link_next_login: true })).status, 200)
  const karl = browser()
  t.equal(await karl.signIn({ sub: 'k-1', preferred_username: 'karl' }), '/')
  t.equal((await karl.caller().get('/api/auth/me')).body.user.id, user.id)
  const thief = browser()
  t.equal(await thief.signIn({ sub: 'k-2', preferred_username: 'karl' }), '/anmelden?fehler=name_vergeben')
  t.match(service.refusals(), [{ code: 'name_vergeben', reason: /exists and is not linked/ }])
  t.match(await auditOf('karl'), [
    { action: 'user.update', details: { fields: ['link_next_login'] } },
    { actor: 'karl', via: 'oidc', action: 'identity.link', details: { allowed: 'link_next_login' } },
  ])
})

t.test('the permission to link expires after seven days', async (t) => {
  const admin = await service.admin()
  const { id, username } = await createUser(db)
  await admin.patch(`/api/accounts/${id}`, { link_next_login: true })
  const isAllowed = async () => (await admin.get(`/api/accounts/${id}`)).body.user.sign_in.link_next_login
  t.equal(await isAllowed(), true)
  const link_allowed_at = new Date(Date.now() - 7 * 24 * 3_600_000 - 1_000)
  await db.updateTable('users').set({ link_allowed_at }).where('id', '=', id).execute()
  t.equal(await isAllowed(), false)
  const late = { sub: 'late', preferred_username: username }
  t.equal(await browser().signIn(late), '/anmelden?fehler=name_vergeben')
  await admin.patch(`/api/accounts/${id}`, { link_next_login: true })
  t.equal(await browser().signIn(late), '/')
  service.refusals()
})

t.test('the permission to link ends with the next login', async (t) => {
  const admin = await service.admin()
  const person = { sub: 'lena-1', preferred_username: 'lena' }
  const lena = browser()
  await lena.signIn(person)
  const { id } = (await lena.caller().get('/api/auth/me')).body.user
  const allow = () => admin.patch(`/api/accounts/${id}`, { link_next_login: true })
  const isAllowed = async () => (await admin.get(`/api/accounts/${id}`)).body.user.sign_in.link_next_login
  const signInAsOther = () => browser().signIn({ sub: 'lena-2', preferred_username: 'lena' })
  t.equal((await allow()).status, 200)
  t.equal(
    await signInAsOther(),
    '/anmelden?fehler=name_vergeben',
    'an account linked to another person cannot be linked',
  )
  t.equal(await isAllowed(), true)
  t.equal(await lena.signIn(person), '/')
  t.equal(await isAllowed(), false)
  await allow()
  await db.updateTable('sessions').set({ authenticated_at: new Date() }).where('user_id', '=', id).execute()
  t.equal(await lena.link(person), 'ok')
  t.equal(await isAllowed(), false, 'linking ends the permission as well')
  t.equal(await signInAsOther(), '/anmelden?fehler=name_vergeben')
  t.match(service.refusals().at(-1), { reason: /exists and is not linked/ })
  t.equal((await identitiesOf('lena')).length, 1)
})

t.test('of two persons with one name at once, one gets the account', async (t) => {
  const admin = await service.admin()
  for (let round = 0; round < 5; round++) {
    const { id, username } = await createUser(db)
    await admin.patch(`/api/accounts/${id}`, { link_next_login: true })
    const pair = [browser(), browser()]
    const back: string[] = []
    for (const [index, one] of pair.entries()) {
      back.push(await one.goToProvider({ sub: `${username}-${index}`, preferred_username: username }))
    }
    const places = await Promise.all(pair.map((one, index) => one.visit(back[index] ?? '')))
    t.strictSame(places.toSorted(), ['/', '/anmelden?fehler=name_vergeben'])
    t.equal((await identitiesOf(username)).length, 1)
  }
})

t.test('two first logins of one person at once create one account', async (t) => {
  const person = { sub: 'twice', preferred_username: 'zweimal' }
  const pair = [browser(), browser()]
  const back: string[] = []
  for (const one of pair) back.push(await one.goToProvider(person))
  const places = await startBehindLock(
    service.database,
    (transaction) => sql`lock table users in share mode`.execute(transaction),
    pair.map((one, index) => () => one.visit(back[index] ?? '')),
  )
  t.strictSame(places, ['/', '/'])
  t.equal((await identitiesOf('zweimal')).length, 1)
})

t.test('two tabs do not interfere, and many tabs leave few cookies', async (t) => {
  const tabs = browser()
  const person = { sub: 'tabs', preferred_username: 'tabs' }
  const first = await tabs.goToProvider(person, '?weiter=/decks')
  const second = await tabs.goToProvider(person, '?weiter=/quiz')
  t.equal(await tabs.visit(first), '/decks')
  t.equal(await tabs.visit(second), '/quiz')
  for (let count = 0; count < 10; count++) await tabs.visit('/api/auth/oidc/start')
  t.equal([...tabs.cookies.keys()].filter((name) => name.startsWith('svc_training_oidc_')).length, 4)
})
