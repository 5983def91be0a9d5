import t from 'tap'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { callerOf, cookieOf, errorBody, startService } from '../support/service.js'

const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { database: counter.database })
const { anonymous, app, db } = service
const admin = await service.admin()

const REFUSED = errorBody(403, 'Passwort muss zuerst geändert werden')
const ADMINS_ONLY = errorBody(403, 'Administratorrechte erforderlich')

/** Creates a user who must change the password, and a session and a token of this user. */
async function createRestrictedUser(is_admin = false) {
  const user = await createUser(db, { is_admin })
  const caller = await service.loginAs(user.username)
  const { token } = (await caller.post('/api/auth/tokens', { name: 'Skript' })).body
  const response = await admin.patch(`/api/accounts/${user.id}`, { must_change_password: true })
  t.equal(response.body.user.id, user.id)
  return { user, caller, script: callerOf(app, undefined, token) }
}

t.test('no user has to change the password by default', async (t) => {
  const { username } = await createUser(db)
  const response = await anonymous.post('/api/auth/login', { username, password: PASSWORD })
  t.equal(response.body.must_change_password, false)
  const body = { username: 'ohne-zwang', display_name: 'x', password: PASSWORD, must_change_password: true }
  await admin.post('/api/admin/users', body)
  const free = await service.loginAs('ohne-zwang')
  t.equal((await free.get('/api/auth/me')).body.must_change_password, false)
  t.equal((await free.get('/api/decks')).status, 200)
})

t.test('refuses everything else until the password is changed, by session and token', async (t) => {
  const { user, caller, script } = await createRestrictedUser()
  for (const one of [caller, script]) {
    t.match((await one.get('/api/auth/me')).body, { user: { id: user.id }, must_change_password: true })
    for (const url of ['/api/decks', '/api/accounts/me/sessions', '/api/auth/tokens', '/api/review/queue']) {
      t.strictSame((await one.get(url)).body, REFUSED, url)
    }
    t.strictSame((await one.patch('/api/accounts/me', { display_name: 'x' })).body, REFUSED)
  }
  const login = await anonymous.post('/api/auth/login', { username: user.username, password: PASSWORD })
  t.match(login.body, { user: { id: user.id }, must_change_password: true })
  const again = await caller.post('/api/auth/login', { username: user.username, password: PASSWORD })
  t.equal(again.status, 200, 'the user may log in again')
})

t.test('checks it after authorization, before fallback and validation', async (t) => {
  const { caller, script } = await createRestrictedUser()
  for (const one of [caller, script]) {
    for (const url of ['/api/admin/users', '/api/admin/unknown', '/api/accounts/service', '/api/accounts/1']) {
      t.strictSame((await one.get(url)).body, ADMINS_ONLY, url)
    }
    for (const group of [
      'quiz',
      'review',
      'decks/a/b',
      'cheatsheets/a/b',
      'accounts/a/b',
      'content/unknown',
      'search/unknown',
    ]) {
      for (const method of ['GET', 'PUT', 'OPTIONS', 'HEAD'] as const) {
        const response = await one.send({ method, url: `/api/${group}` })
        t.equal(response.status, 403, `${method} ${group}`)
        if (method !== 'HEAD') t.strictSame(response.body, REFUSED)
      }
    }
    t.strictSame((await one.get('/api/quiz/generate?count=x')).body, REFUSED)
    t.strictSame((await one.post('/api/quiz/submit', { deck: 5 })).body, REFUSED)
    t.strictSame((await one.get('/api/unknown')).body, errorBody(404, 'Nicht gefunden'), 'a path outside all groups')
    t.strictSame(
      (await one.get('/api/auth/unknown')).body,
      errorBody(404, 'Unbekannter Auth-Endpunkt'),
      'for any caller',
    )
  }
  const chief = await createRestrictedUser(true)
  for (const url of ['/api/admin/users', '/api/admin/unknown', '/api/accounts/audit?limit=x', '/api/accounts']) {
    t.strictSame((await chief.caller.get(url)).body, REFUSED, url)
  }
  t.strictSame((await chief.caller.post('/api/accounts/bulk', { users: [] })).body, REFUSED)
  const { token } = (await admin.post('/api/auth/tokens', { name: 'x', scopes: ['read'] })).body
  await db.updateTable('users').set({ must_change_password: true }).where('id', '=', admin.id).execute()
  const refused = await callerOf(app, undefined, token).get('/api/admin/users')
  await db.updateTable('users').set({ must_change_password: false }).where('id', '=', admin.id).execute()
  t.strictSame(refused.body, errorBody(403, 'Der API-Token darf das nicht'), 'the scope is checked first')
})

t.test('a different password satisfies it, the same one does not, and no token can', async (t) => {
  const { caller, script } = await createRestrictedUser()
  const change = (current_password: string, new_password: string, by = caller) =>
    by.post('/api/auth/password', { current_password, new_password })
  t.strictSame(
    (await change(PASSWORD, 'ein-anderes', script)).body,
    errorBody(403, 'Mit einem API-Token nicht erlaubt'),
  )
  t.strictSame((await change('falsches Wort', 'ein-anderes')).body, errorBody(400, 'Aktuelles Passwort ist falsch'))
  t.strictSame(
    (await change(PASSWORD, PASSWORD)).body,
    errorBody(400, 'Das neue Passwort muss ein anderes sein als das aktuelle'),
  )
  t.equal((await caller.get('/api/decks')).status, 403)
  const changed = await change(PASSWORD, 'ein-anderes')
  t.equal(changed.status, 200)
  for (const one of [callerOf(app, cookieOf(changed)), script]) {
    t.equal((await one.get('/api/auth/me')).body.must_change_password, false)
    t.equal((await one.get('/api/decks')).status, 200)
  }
})

t.test('logout stays possible', async (t) => {
  const { caller } = await createRestrictedUser()
  t.strictSame((await caller.post('/api/auth/logout')).body, { ok: true })
  t.equal((await caller.get('/api/auth/me')).status, 401)
})

t.test('an administrator requires and revokes the change, with audit entries', async (t) => {
  const user = await createUser(db)
  const url = `/api/accounts/${user.id}`
  await admin.patch(url, { password: 'vom-chef', must_change_password: true })
  const login = await anonymous.post('/api/auth/login', { username: user.username, password: 'vom-chef' })
  t.equal(login.body.must_change_password, true)
  await admin.patch(url, { display_name: 'Otto' })
  const caller = callerOf(app, String(login.headers['set-cookie']).split(';', 1)[0])
  t.equal((await caller.get('/api/decks')).status, 403, 'other changes do not affect it')
  await admin.patch(url, { must_change_password: false })
  t.equal((await caller.get('/api/decks')).status, 200)
  const wrong = await admin.patch(url, { must_change_password: 'ja' })
  t.strictSame(wrong.body, errorBody(400, 'Das Feld „must_change_password“ muss true oder false sein'))
  const { entries } = (await admin.get('/api/accounts/audit?limit=3')).body
  t.match(entries.reverse(), [
    { action: 'user.password', target_id: user.id, details: { fields: ['password', 'must_change_password'] } },
    { action: 'user.update', details: { fields: ['display_name'] } },
    { action: 'user.update', details: { fields: ['must_change_password'] } },
  ])
})

t.test('needs no additional statement', async (t) => {
  const { caller, script } = await createRestrictedUser()
  for (const one of [caller, script]) {
    const refused = async () => t.equal((await one.get('/api/decks')).status, 403)
    t.equal(await counter.countOf(refused), 1, 'the flag is read with the session or the token')
  }
})
