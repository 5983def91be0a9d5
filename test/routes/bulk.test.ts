import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import argon2 from 'argon2'
import t from 'tap'
import { createUser, PASSWORD, unique } from '../support/factories.js'
import { callerOf, errorBody, startService } from '../support/service.js'
import { until } from '../support/until.js'

const URL = '/api/accounts/bulk'
/** Resolves when the latest request for a list has ended. */
let ended: Promise<unknown> = Promise.resolve()
const service = await startService(t, {
  onRoute: (route) => {
    if (route.url !== URL) return
    const { handler } = route
    route.handler = function (request, reply) {
      const answer = Promise.resolve(handler.call(this, request, reply))
      ended = answer.catch(() => {})
      return answer
    }
  },
})
const { anonymous, app, db } = service
const admin = await service.admin()

const send = (text: string | Buffer, query = '', headers: Record<string, string> = {}) =>
  admin.send({ method: 'POST', url: URL + query, payload: text, headers: { 'content-type': 'text/csv', ...headers } })
const countUsers = async () => (await db.selectFrom('users').select('id').execute()).length
const refused = (errors: object[]) => ({
  ...errorBody(400, `Kein Benutzer angelegt: ${errors.length} Fehler in der Liste`),
  errors,
})

t.test('checks a list, then creates it as a whole with audit entries, and the users can log in', async (t) => {
  const [anna, bert] = [unique('anna'), unique('bert')]
  const file = `\ufeffBenutzername;Name;Administrator;Autor;Passwort\r\n${anna};Änne;ja;;\r\n${bert};;;ja;passwort\r\n`
  const before = await countUsers()
  const preview = await send(file, '?check=true')
  const base = {
    is_auditor: false,
    auditor_until: null,
    must_change_password: true,
    disabled_on: null,
    email: null,
    personnel_number: null,
    external_id: null,
    team: null,
    teams: [],
    password: null,
    id: null,
  }
  t.strictSame(preview.body, {
    check: true,
    users: [
      { line: 2, ...base, username: anna, display_name: 'Änne', is_admin: true, is_author: false },
      { line: 3, ...base, username: bert, display_name: bert, is_admin: false, is_author: true },
    ],
    hints: [],
  })
  t.equal(preview.headers['x-password-warning'], 'common')
  t.equal(await countUsers(), before)

  const response = await send(file)
  const { users } = response.body
  t.equal(response.status, 200)
  t.match(users, [
    { id: Number, password: /^(\w{4}-){3}\w{4}$/ },
    { id: Number, password: null },
  ])
  for (const [username, password] of [
    [anna, users[0].password],
    [bert, 'passwort'],
  ]) {
    t.match((await anonymous.post('/api/auth/login', { username, password })).body, { must_change_password: true })
  }
  const { entries } = (await admin.get('/api/accounts/audit?action=user.create&limit=2')).body
  t.match(entries, [
    { actor_id: admin.id, target_id: users[1].id, target: bert, details: { is_admin: false, is_author: true } },
    { actor_id: admin.id, target_id: users[0].id, target: anna, details: { is_admin: true } },
  ])
  t.strictSame(
    (await send(file, '?check=true')).body,
    refused(
      [2, 3].map((line) => ({
        line,
        field: 'username',
        code: 'username_taken',
        details: null,
        message: 'Benutzername existiert bereits',
      })),
    ),
  )
})

t.test('hints at user names with a blank, which are allowed', async (t) => {
  const { status, body } = await send('benutzername\nmax muster\nmax\nmax\u00a0m\n', '?check=true')
  t.equal(status, 200)
  t.strictSame(
    body.hints.map(({ line, field }: { line: number; field: string }) => [line, field]),
    [
      [2, 'username'],
      [4, 'username'],
    ],
  )
  t.match(body.hints[0].message, /^Der Benutzername enthält ein Leerzeichen/)
})

t.test('creates nothing if there is a fault, and reports each', async (t) => {
  const { username } = await createUser(db, { username: unique('ä') })
  const before = await countUsers()
  const users = [
    { username: unique('gut') },
    { username: username.normalize('NFD') },
    { username: 'x', password: 'kurz' },
  ]
  t.strictSame(
    (await admin.post(URL, { users })).body,
    refused([
      { line: 2, field: 'username', code: 'username_taken', details: null, message: 'Benutzername existiert bereits' },
      {
        line: 3,
        field: 'password',
        code: 'invalid_input',
        details: { minimum: 6 },
        message: 'Passwort muss mindestens 6 Zeichen haben',
      },
    ]),
  )
  t.strictSame((await admin.post(URL)).body, errorBody(400, 'Das Feld „users“ fehlt'))
  t.equal((await send('username\nx', '?check=maybe')).status, 400)
  t.equal((await send('username\nx', '', { 'content-encoding': 'gzip' })).status, 415)
  t.equal(await countUsers(), before)
})

t.test('a text that no database stores is a fault', async (t) => {
  const spoilt = unique('person\0')
  for (const [field, given] of [
    ['username', { username: spoilt }],
    ['display_name', { display_name: spoilt }],
    ['email', { email: `${spoilt}@example.org` }],
    ['personnel_number', { personnel_number: spoilt }],
    ['external_id', { external_id: spoilt }],
    ['team', { team: spoilt }],
    ['team', { teams: [spoilt] }],
  ] as const) {
    for (const query of ['', '?check=true', '?mode=update&check=true']) {
      const { status, body } = await admin.post(URL + query, { users: [{ username: unique('person'), ...given }] })
      t.equal(status, 400, `${field} ${query}`)
      t.strictSame(
        body.errors.map((fault: { field: string; code: string }) => [fault.field, fault.code]),
        [[field, 'invalid_input']],
      )
    }
  }
})

t.test('a personnel number belongs to one account', async (t) => {
  const [one, two, three] = [unique('nummer'), unique('nummer'), unique('nummer')]
  const created = await admin.post(URL, { users: [{ username: one, personnel_number: ' 00417 ' }] })
  t.match(created.body, { users: [{ personnel_number: '00417' }] })
  const list = `Benutzername;Personalnummer\n${two};00417\n${three};00418\n${unique('nummer')};00418\n`
  t.strictSame(
    (await send(list, '?check=true')).body,
    refused([
      {
        line: 2,
        field: 'personnel_number',
        code: 'personnel_number_taken',
        details: null,
        message: 'Personalnummer ist schon vergeben',
      },
      {
        line: 4,
        field: 'personnel_number',
        code: 'personnel_number_twice',
        details: { earlier: 3 },
        message: 'Die Personalnummer steht schon in Zeile 3',
      },
    ]),
  )
})

t.test('only administrators may send a list, and only this route accepts up to a mebibyte', async (t) => {
  const member = await service.member()
  const large = { users: [{ username: 'x', padding: 'x'.repeat(1024 * 1024 - 42) }] }
  const size = JSON.stringify(large).length
  t.ok(size > 1_000_000 && size <= 1024 * 1024)
  t.equal((await admin.post(`${URL}?check=true`, large)).status, 200)
  large.users[0] = { username: 'x', padding: 'x'.repeat(1024 * 1024) }
  t.strictSame((await admin.post(URL, large)).body, errorBody(413, 'Anfrage zu groß'))
  t.equal((await admin.post('/api/admin/users', { username: 'x'.repeat(70_000) })).status, 413)
  const csv = { method: 'POST', payload: 'username', headers: { 'content-type': 'text/csv' } } as const
  t.equal((await admin.send({ ...csv, url: '/api/admin/users' })).status, 415)
  t.strictSame((await member.send({ ...csv, url: URL })).body, errorBody(403, 'Administratorrechte erforderlich'))
  t.strictSame((await callerOf(app).post(URL, large)).body, errorBody(401, 'Nicht angemeldet'))
})

t.test('of two concurrent lists with common names, one succeeds', async (t) => {
  const names = Array.from({ length: 5 }, () => unique('zwei'))
  const lists = [names, names.toReversed()].map((some) => ({
    users: some.map((username) => ({ username, password: PASSWORD })),
  }))
  const before = await countUsers()
  const responses = await Promise.all(lists.map((list) => admin.post(URL, list)))
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 400])
  t.equal(responses.find(({ status }) => status === 400)?.body.errors.length, 5)
  t.equal(await countUsers(), before + 5)
})

t.test('a closed connection creates nothing and stops hashing', async (t) => {
  const { hash } = argon2
  let hashed = 0
  argon2.hash = ((...parameters: Parameters<typeof hash>) => {
    hashed++
    return hash(...parameters)
  }) as typeof hash
  t.teardown(() => {
    argon2.hash = hash
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const users = Array.from({ length: 100 }, () => ({ username: unique('weg') }))
  const body = JSON.stringify({ users })
  const { username } = await createUser(db)
  const before = await countUsers()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const head = `POST ${URL} HTTP/1.1\r\nHost: localhost\r\nCookie: ${admin.cookie}\r\nContent-Type: application/json\r\n`
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  await until(() => hashed > 0)
  t.equal((await anonymous.post('/api/auth/login', { username, password: PASSWORD })).status, 200)
  t.ok(hashed < users.length, `a login is served after ${hashed} hashes`)
  socket.destroy()
  await ended
  t.ok(hashed < users.length, `${hashed} hashes`)
  t.equal(await countUsers(), before)
})
