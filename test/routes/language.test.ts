import t from 'tap'
import { standingClock } from '../support/clock.js'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { callerOf, errorBody, startService } from '../support/service.js'

const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { database: counter.database, now: standingClock() })
const { db } = service

async function createReader() {
  const user = await createUser(db)
  const caller = await service.loginAs(user.username)
  const stored = () =>
    db.selectFrom('users').select(['language', 'language_used']).where('id', '=', user.id).executeTakeFirstOrThrow()
  const visit = (accepted: string) => caller.get('/api/auth/me', { headers: { 'accept-language': accepted } })
  return { user, caller, stored, visit }
}

t.test('a user chooses the language of the app', async (t) => {
  const { user, caller, stored } = await createReader()
  const account = { id: user.id, username: user.username, display_name: user.display_name, is_admin: false }
  const get = async () => (await caller.get('/api/accounts/me')).body
  t.match(await get(), { user: account, language: null })
  t.strictSame(Object.keys(await get()), ['user', 'language'])
  for (const language of ['en', 'de', null, 'en']) {
    t.match((await caller.patch('/api/accounts/me', { language })).body, { user: account, language })
    t.match(await get(), { language })
  }
  t.match((await caller.patch('/api/accounts/me', { display_name: 'Neu' })).body, { language: 'en' })
  t.match(await stored(), { language: 'en' })
  t.notOk('language' in (await caller.get('/api/auth/me')).body, 'the answer of the login stays as it is')
})

t.test('refuses another language', async (t) => {
  const { caller, stored } = await createReader()
  for (const language of ['tr', '', 'DE', 'de-DE', 7, false, ['de']]) {
    const { body, headers } = await caller.patch('/api/accounts/me', { language, display_name: 'Anders' })
    t.match(body, { statusCode: 400 }, JSON.stringify(language))
    t.equal(headers['x-error-field'], 'language')
  }
  const refused = await caller.patch('/api/accounts/me', { language: 'tr' })
  t.strictSame(refused.body, errorBody(400, 'Das Feld „language“ muss eines von de, en, null sein'))
  t.match(await stored(), { language: null })
  t.not((await caller.get('/api/accounts/me')).body.user.display_name, 'Anders')
})

t.test('records the language of the app when it changes', async (t) => {
  const { caller, stored, visit } = await createReader()
  const { token } = (await caller.post('/api/auth/tokens', { name: 'x' })).body
  t.match(await stored(), { language_used: null }, 'a request without the header')
  const uses = async (accepted: string, language_used: string | null, statements: number) => {
    t.equal(await counter.countOf(() => visit(accepted)), statements, accepted)
    t.match(await stored(), { language_used }, accepted)
  }
  await uses('tr', null, 2)
  await uses('tr,en-GB;q=0.5', 'en', 3)
  await uses('en,de', 'en', 2)
  await uses('de', 'de', 3)
  await uses('tr', 'de', 2)
  const script = callerOf(service.app, undefined, token)
  await script.get('/api/auth/me', { headers: { 'accept-language': 'en' } })
  t.match(await stored(), { language_used: 'de' }, 'the language of a script does not count')
  await caller.patch('/api/accounts/me', { language: 'en' })
  await uses('de', 'en', 3)
  await uses('de', 'en', 2)
  const { user } = (await caller.get('/api/accounts/me/data')).body
  t.match(user, { language: 'en', language_used: 'en' })
})

t.test('records the language of a login', async (t) => {
  const { user, stored } = await createReader()
  const login = { username: user.username, password: PASSWORD }
  await service.anonymous.post('/api/auth/login', login, { headers: { 'accept-language': 'en-US' } })
  t.match(await stored(), { language_used: 'en' })
})
