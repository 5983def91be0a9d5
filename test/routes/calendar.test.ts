import ICAL from 'ical.js'
import t from 'tap'
import { ASSIGNMENT, sheetPart } from '../support/assignments.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { type Caller, callerOf, startService } from '../support/service.js'

const now = new Date('2026-12-05T10:00:00Z')
const service = await startService(t, { now: () => now, config: { publicUrl: 'https://training.example.org/lernen/' } })
const { anonymous, app, db } = service
const admin = await service.admin()

const make = async (caller: Caller) => new URL((await caller.post('/api/calendar/token')).body.url).pathname.slice(7)
const summaries = (file: string) =>
  new ICAL.Component(ICAL.parse(file)).getAllSubcomponents('vevent').map((one) => one.getFirstPropertyValue('summary'))
const show = async (path: string) => {
  const { status, text } = await anonymous.get(path)
  return status === 200 ? summaries(text) : status
}

t.test('the address shows open tasks without a login, until it is replaced or ended', async (t) => {
  const user = await createUser(db)
  const person = await service.loginAs(user.username)
  const title = 'Prüfung; Teil 1, „Ä“ \\'
  const assignment = { ...ASSIGNMENT, title, parts: [await sheetPart(db)], audience: { user_ids: [user.id] } }
  const { id } = (await admin.post('/api/assignments', assignment)).body.assignment
  t.strictSame((await person.get('/api/calendar/token')).body, { calendar: null })
  const { url } = (await person.post('/api/calendar/token')).body
  t.match(url, /^https:\/\/training\.example\.org\/lernen\/api\/calendar\/[\w-]{43}\.ics$/)
  const token = url.slice(-47, -4)
  const path = `/api/calendar/${token}.ics`
  t.match((await person.get('/api/calendar/token')).body, { calendar: { created_at: /T/ } })
  const stored = await db.selectFrom('calendar_tokens').selectAll().where('user_id', '=', user.id).execute()
  t.notOk(stored[0]?.token_hash.equals(Buffer.from(token, 'base64url')), 'the token is not stored')

  const file = await anonymous.get(path)
  t.match(file.headers, {
    'content-type': 'text/calendar; charset=utf-8',
    'cache-control': 'private, no-cache',
    etag: /^"[\w-]+"$/,
    'referrer-policy': 'no-referrer',
    'set-cookie': undefined,
  })
  t.strictSame(summaries(file.text), [title])
  t.match(file.text, `DTSTART;VALUE=DATE:20261231\r\n`)
  t.match(file.text, /^UID:aufgabe-\d+@training\.example\.org\r$/m)
  const known = await anonymous.get(path, { headers: { 'if-none-match': `W/${file.headers.etag}` } })
  t.strictSame([known.status, known.text], [304, ''])

  const [{ id: occurrence }] = (await person.get('/api/assignments/mine')).body.occurrences
  const extension = { reason: 'Urlaub', until: '2027-01-15' }
  await admin.post(`/api/assignments/occurrences/${occurrence}/extend`, extension)
  const extended = await anonymous.get(path, { headers: { 'if-none-match': file.headers.etag as string } })
  t.match(extended.text, `SEQUENCE:15\r\nDTSTART;VALUE=DATE:20270115\r\n`)
  const shorter = { reason: 'Urlaub', until: '2027-01-14' }
  const shortened = await admin.post(`/api/assignments/occurrences/${occurrence}/extend`, shorter)
  t.equal(shortened.status, 400, 'the due day never moves back, so SEQUENCE never decreases')
  t.equal(/^UID.*$/m.exec(extended.text)?.[0], /^UID.*$/m.exec(file.text)?.[0])
  await admin.patch(`/api/assignments/${id}`, { title: 'Neuer Titel' })
  t.strictSame(await show(path), ['Neuer Titel'])
  await person.post(`/api/assignments/occurrences/${occurrence}/confirm`, { part: 0 })
  t.strictSame(await show(path), [], 'a completed task disappears')

  const replaced = await make(person)
  t.equal(await show(path), 404)
  t.strictSame(await show(replaced), [])
  t.match(JSON.parse((await person.get('/api/accounts/me/data')).text).user, { calendar_since: /T/ })
  t.equal((await person.delete('/api/calendar/token')).status, 200)
  t.equal((await person.delete('/api/calendar/token')).status, 200)
  t.equal(await show(replaced), 404)
})

t.test('only the owner gets the address, and it ends with the account', async (t) => {
  for (const wrong of ['x', 'A'.repeat(43), `${'A'.repeat(42)}%00`, 'ä'.repeat(43), `${'A'.repeat(43)}/x`]) {
    t.equal((await anonymous.get(`/api/calendar/${wrong}.ics`)).status, wrong.includes('/') ? 401 : 404, wrong)
  }
  t.equal((await anonymous.post('/api/calendar/token')).status, 401)
  const user = await createUser(db)
  const person = await service.loginAs(user.username)
  const { token } = (await person.post('/api/auth/tokens', { name: 'Skript' })).body
  const script = callerOf(app, undefined, token)
  t.equal(
    (await script.post('/api/calendar/token')).status,
    403,
    'a token cannot create the address, which would outlive it',
  )
  const path = await make(person)
  t.strictSame(await show(path), [])
  await admin.patch(`/api/accounts/${user.id}`, { disabled_on: '2026-12-05' })
  t.equal(await show(path), 404, 'a disabled account')
  await admin.patch(`/api/accounts/${user.id}`, { disabled_on: null })
  t.equal(await show(path), 404, 'a deactivation ends the address')
  const again = await make(await service.loginAs(user.username))
  await admin.patch(`/api/accounts/${user.id}`, { password: PASSWORD })
  t.equal(await show(again), 404, 'a new password from an administrator ends the address')
  const last = await make(await service.loginAs(user.username))
  t.equal((await admin.delete(`/api/admin/users/${user.id}`)).status, 200)
  t.equal(await show(last), 404, 'a deleted account')
})

t.test('the calendar is in the language of its owner', async (t) => {
  const read = async (owner: Caller, browser: string) => {
    const path = await make(owner)
    const { text, headers } = await anonymous.get(path, { headers: { 'accept-language': browser } })
    const [, name] = /^X-WR-CALNAME:(.*)\r$/m.exec(text) ?? []
    return [name, headers['content-language'], headers['content-disposition'], headers.vary]
  }
  const german = ['Aufgaben', 'de', 'inline; filename="aufgaben.ics"', undefined]
  const english = ['Tasks', 'en', 'inline; filename="tasks.ics"', undefined]
  const person = await service.member()
  t.strictSame(await read(person, 'en'), german, 'whatever the calendar program asks for')
  await person.get('/api/auth/me', { headers: { 'accept-language': 'en-GB' } })
  t.strictSame(await read(person, 'de'), english, 'the language last used in the app')
  await person.patch('/api/accounts/me', { language: 'de' })
  const path = await make(person)
  const { headers } = await anonymous.get(path)
  t.equal(headers['content-language'], 'de', 'the setting')
  await person.patch('/api/accounts/me', { language: 'en' })
  const changed = await anonymous.get(path, { headers: { 'if-none-match': headers.etag as string } })
  t.strictSame([changed.status, changed.headers['content-language']], [200, 'en'])
})

t.test('the calendar of a person without a known language is in that of the service', async (t) => {
  const abroad = await startService(t, { config: { defaultLanguage: 'en' } })
  const { url } = (await (await abroad.member()).post('/api/calendar/token')).body
  const { text, headers } = await abroad.anonymous.get(new URL(url).pathname)
  t.equal(headers['content-language'], 'en')
  t.match(text, 'NAME:Tasks\r\n')
})
