import { sql } from 'kysely'
import t from 'tap'
import { createCard, createDeck, createProgress, createUser, unique } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { anonymous, db } = service
const admin = await service.admin()

const validUser = () => ({ username: unique('neu'), display_name: 'Neue Person', password: 'sechs6' })

t.test('lists users by id', async (t) => {
  await createUser(db)
  await createUser(db, { id: -7 })
  const response = await admin.get('/api/admin/users')
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'display_name', 'is_admin', 'created_at'])
    .orderBy('id')
    .execute()
  t.equal(response.status, 200)
  t.strictSame(response.body, { users: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })) })
})

t.test('lists more users than one statement reads', async (t) => {
  await sql`
    insert into users (id, username, display_name)
    select number, 'viele-' || number, 'Viele ' || number from generate_series(-1499, -500) as number`.execute(db)
  const { users } = (await admin.get('/api/admin/users')).body
  const { rows } = await sql<{ id: number }>`select id from users order by id`.execute(db)
  t.strictSame(
    users.map(({ id }: { id: number }) => id),
    rows.map(({ id }) => id),
  )
  await sql`delete from users where id < 0`.execute(db)
})

t.test('a created user can log in and is no administrator', async (t) => {
  const { username, ...rest } = validUser()
  const response = await admin.post('/api/admin/users', { ...rest, username: `  ${username}\t`, display_name: ' Ä ' })
  t.equal(response.status, 200)
  t.strictSame(response.body, { id: response.body.id, message: 'Benutzer erstellt' })
  t.type(response.body.id, 'number')
  const row = await db.selectFrom('users').selectAll().where('id', '=', response.body.id).executeTakeFirstOrThrow()
  t.match(row, { username, display_name: 'Ä', is_admin: false, password_hash: /^\$argon2id\$/ })
  const login = await anonymous.post('/api/auth/login', { username, password: rest.password })
  t.equal(login.status, 200)
})

t.test("is_admin follows JavaScript's truthiness", async (t) => {
  for (const [value, expected] of [
    [true, true],
    ['false', true],
    ['0', true],
    [1, true],
    [{}, true],
    [[], true],
    [false, false],
    [0, false],
    ['', false],
    [null, false],
  ] as const) {
    const { body } = await admin.post('/api/admin/users', { ...validUser(), is_admin: value })
    const row = await db.selectFrom('users').select('is_admin').where('id', '=', body.id).executeTakeFirstOrThrow()
    t.equal(row.is_admin, expected, JSON.stringify(value))
  }
})

t.test('reports missing, empty and non-text fields in one message', async (t) => {
  const valid = validUser()
  for (const body of [
    undefined,
    {},
    { ...valid, username: undefined },
    { ...valid, username: '  \n' },
    { ...valid, username: 5 },
    { ...valid, display_name: '' },
    { ...valid, display_name: null },
    { ...valid, password: '' },
    { ...valid, password: 123456 },
    { ...valid, password: undefined, username: 'x'.repeat(300) },
  ]) {
    const response = await admin.post('/api/admin/users', body)
    t.strictSame(
      response.body,
      errorBody(400, 'Benutzername, Anzeigename und Passwort erforderlich'),
      JSON.stringify(body) ?? 'no body',
    )
  }
})

t.test('limits count code points after trimming', async (t) => {
  const ok = await admin.post('/api/admin/users', {
    username: ` ${'😀'.repeat(189)}${unique('')} `,
    display_name: `${'ä'.repeat(200)}   `,
    password: '😀'.repeat(1000),
  })
  t.equal(ok.status, 200, ok.text)
  const refuse = async (overrides: object, message: string) =>
    t.strictSame((await admin.post('/api/admin/users', { ...validUser(), ...overrides })).body, errorBody(400, message))
  await refuse({ username: 'x'.repeat(201) }, 'Das Feld „username“ darf höchstens 200 Zeichen haben')
  await refuse({ display_name: 'x'.repeat(201) }, 'Das Feld „display_name“ darf höchstens 200 Zeichen haben')
  await refuse({ password: 'x'.repeat(1001) }, 'Das Feld „password“ darf höchstens 1000 Zeichen haben')
  await refuse({ password: '😀😀😀😀😀' }, 'Passwort muss mindestens 6 Zeichen haben')
  await refuse({ username: 'nul\0' }, 'Das Feld „username“ enthält unzulässige Zeichen')
  await refuse({ display_name: '\ud800' }, 'Das Feld „display_name“ enthält unzulässige Zeichen')
})

t.test('checks the rules in their order', async (t) => {
  const { username } = await createUser(db)
  const long = 'x'.repeat(201)
  for (const [body, message] of [
    [{ username: long, display_name: ' ', password: '12345' }, 'Benutzername, Anzeigename und Passwort erforderlich'],
    [{ username: long, display_name: long, password: '12345' }, 'Das Feld „username“ darf höchstens 200 Zeichen haben'],
    [{ username, display_name: long, password: '12345' }, 'Das Feld „display_name“ darf höchstens 200 Zeichen haben'],
    [{ username, display_name: 'x', password: '12345' }, 'Passwort muss mindestens 6 Zeichen haben'],
    [{ username, display_name: 'x', password: '123456' }, 'Benutzername existiert bereits'],
  ] as const) {
    t.strictSame((await admin.post('/api/admin/users', body)).body, errorBody(400, message))
  }
})

t.test('does not trim the password and ignores unknown keys', async (t) => {
  const { username, ...rest } = validUser()
  const response = await admin.post('/api/admin/users', { ...rest, username, password: '      ', id: 1, extra: [] })
  t.equal(response.status, 200)
  t.equal((await anonymous.post('/api/auth/login', { username, password: '      ' })).status, 200)
  t.equal((await anonymous.post('/api/auth/login', { username, password: '' })).status, 400)
})

t.test('a name is unique exactly as written', async (t) => {
  const user = validUser()
  t.equal((await admin.post('/api/admin/users', user)).status, 200)
  t.strictSame((await admin.post('/api/admin/users', user)).body, errorBody(400, 'Benutzername existiert bereits'))
  t.equal((await admin.post('/api/admin/users', { ...user, username: user.username.toUpperCase() })).status, 200)
})

t.test('of six concurrent creations of one name, one succeeds', async (t) => {
  const user = validUser()
  const all = await Promise.all(Array.from({ length: 6 }, () => admin.post('/api/admin/users', user)))
  t.equal(all.filter((response) => response.status === 200).length, 1)
  const lost = all.filter((response) => response.status !== 200)
  t.ok(lost.every((response) => response.body.message === 'Benutzername existiert bereits' && response.status === 400))
  const rows = await db.selectFrom('users').select('id').where('username', '=', user.username).execute()
  t.equal(rows.length, 1)
})

t.test('deleting a user deletes all of its data', async (t) => {
  const user = await createUser(db)
  const caller = await service.loginAs(user.username)
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id })
  await createProgress(db, { user_id: user.id, card_id: card.id, last_rating: 'easy', next_review: '2026-01-01' })
  await caller.post('/api/quiz/submit', { total: 1, correct: 1 })

  const response = await admin.delete(`/api/admin/users/${user.id}`)
  t.strictSame([response.status, response.body], [200, { ok: true }])
  t.equal((await caller.get('/api/decks')).status, 401)
  for (const table of ['sessions', 'card_progress', 'quiz_results'] as const) {
    t.strictSame(await db.selectFrom(table).selectAll().where('user_id', '=', user.id).execute(), [], table)
  }
})

t.test("deleting an unknown user succeeds, and deleting one's account is refused", async (t) => {
  for (const id of ['999999', '-5', '+77777', '2147483648', '9'.repeat(40), '000']) {
    t.strictSame((await admin.delete(`/api/admin/users/${id}`)).body, { ok: true }, id)
  }
  const { id: signed } = await createUser(db)
  t.strictSame((await admin.delete(`/api/admin/users/+00${signed}`)).body, { ok: true })
  t.strictSame(await db.selectFrom('users').select('id').where('id', '=', signed).execute(), [])
  for (const id of ['abc', '1.5', '1e3', '%20', '0x1', '1%202', '٣']) {
    t.strictSame(
      (await admin.delete(`/api/admin/users/${encodeURI(decodeURI(id))}`)).body,
      errorBody(400, 'Ungültige Benutzer-ID'),
      id,
    )
  }
  for (const id of [`${admin.id}`, `+${admin.id}`, `0${admin.id}`]) {
    t.strictSame(
      (await admin.delete(`/api/admin/users/${id}`)).body,
      errorBody(400, 'Eigenen Account kann man nicht loeschen'),
    )
  }
  t.equal((await admin.get('/api/auth/me')).status, 200)
})

t.test('a former administrator is refused from the next request on', async (t) => {
  const former = await service.admin()
  t.equal((await former.get('/api/admin/users')).status, 200)
  await db.updateTable('users').set({ is_admin: false }).where('id', '=', former.id).execute()
  t.strictSame((await former.get('/api/admin/users')).body, errorBody(403, 'Administratorrechte erforderlich'))
})

t.test('an empty body counts as absent', async (t) => {
  const { id } = await createUser(db)
  const headers = { 'content-type': 'application/json' }
  t.equal((await admin.delete(`/api/admin/users/${id}`, { headers })).status, 200)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  t.equal((await admin.delete(`/api/admin/users/${id}`, { headers: form, payload: '' })).status, 200)
})

t.test('names that look the same are equal but stored as sent', async (t) => {
  const caller = await service.admin()
  const name = unique('Müller')
  const [composed, decomposed] = [name.normalize('NFC'), name.normalize('NFD')]
  const create = (username: string, password = 'pässwörter'.normalize('NFD')) =>
    caller.post('/api/admin/users', { username, display_name: 'x', password })
  const { id } = (await create(decomposed)).body
  t.strictSame((await create(composed)).body, errorBody(400, 'Benutzername existiert bereits'))
  const { users } = (await caller.get('/api/admin/users')).body
  t.equal(users.find((one: { id: number }) => one.id === id).username, decomposed)
  const login = async (username: string, password: string) =>
    (await service.anonymous.post('/api/auth/login', { username, password })).status
  for (const username of [composed, decomposed]) {
    for (const form of ['NFC', 'NFD']) t.equal(await login(username, 'pässwörter'.normalize(form)), 200, form)
  }
  t.equal(await login(composed, 'passworter'), 401)

  const racing = unique('Größe')
  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, i) => create(racing.normalize(i % 2 === 0 ? 'NFC' : 'NFD'))),
  )
  t.equal(responses.filter(({ status }) => status === 200).length, 1)
  for (const { status, body } of responses) {
    if (status !== 200) t.strictSame(body, errorBody(400, 'Benutzername existiert bereits'))
  }
  t.equal((await create(unique('kurz'), 'ä'.normalize('NFD').repeat(3))).status, 200, 'the length as sent counts')
  t.equal((await create(unique('kurz'), 'ä'.repeat(5))).status, 400)
})
