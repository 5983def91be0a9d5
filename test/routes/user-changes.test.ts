import type { Transaction } from 'kysely'
import t from 'tap'
import type { Database } from '../../db/types.js'
import { MAX_CHANGED_USERS } from '../../src/domain/accounts/user-list.js'
import { standingClock } from '../support/clock.js'
import { countStatements, createMigratedDatabase, startBehindLock, TEST_DATABASE_URL } from '../support/database.js'
import { createUser, unique } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'

const URL = '/api/accounts/bulk?mode=update'
const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { database: counter.database, now: standingClock() })
const { db } = service
const admin = await service.admin()

const send = (text: string, query = '') =>
  admin.send({ method: 'POST', url: URL + query, payload: text, headers: { 'content-type': 'text/csv' } })
const refused = (errors: object[]) => ({
  ...errorBody(400, `Nichts geändert: ${errors.length} Fehler in der Liste`),
  errors,
})
const rowOf = (id: number) => db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const createTeam = async () => (await admin.post('/api/teams', { name: unique('Team') })).body.team
const teamsOf = async (id: number) =>
  (await admin.get(`/api/accounts/${id}`)).body.teams.map(({ name }: { name: string }) => name)

const addMember = (url: string, role: string) => admin.send({ method: 'PUT', url, payload: { role } })

t.test('the check shows each change, and applying the list makes exactly these', async (t) => {
  const [shop, store] = [await createTeam(), await createTeam()]
  const anna = await createUser(db, {
    email: 'anna@example.org',
    email_confirmed_at: new Date(),
    personnel_number: 'A-1',
  })
  const bert = await createUser(db, { personnel_number: 'B-1' })
  const same = await createUser(db)
  await addMember(`/api/teams/${shop.id}/members/${anna.id}`, 'member')
  const list =
    `Benutzername;Vorname;Nachname;E-Mail;Personalnummer;Autor;Teams\n` +
    `${anna.username};Änne;Groß;neu@example.org;;;${store.name}\n` +
    `;;;;B-1;ja;\n` +
    `${same.username};;;;;nein;\n`
  const checked = await send(list, '&check=true')
  const changes = [
    { line: 2, id: anna.id, username: anna.username, field: 'display_name', from: 'Erika Muster', to: 'Änne Groß' },
    { line: 2, id: anna.id, username: anna.username, field: 'email', from: 'anna@example.org', to: 'neu@example.org' },
    { line: 2, id: anna.id, username: anna.username, field: 'teams', from: [shop.name], to: [store.name] },
    { line: 3, id: bert.id, username: bert.username, field: 'is_author', from: false, to: true },
  ]
  t.match(checked.body, { check: true, users: { length: 0 }, changes, too_many_missing: false })
  t.equal(checked.body.changes.length, 4)
  t.equal((await rowOf(anna.id)).display_name, 'Erika Muster')
  const [before, missing] = [await rowOf(same.id), checked.body.missing]

  t.strictSame((await send(list)).body, {
    check: false,
    users: [],
    hints: [],
    changes,
    missing,
    too_many_missing: false,
    service_tokens: [],
  })
  t.match(await rowOf(anna.id), {
    display_name: 'Änne Groß',
    email: 'neu@example.org',
    email_confirmed_at: null,
    personnel_number: 'A-1',
  })
  t.match(await rowOf(bert.id), { is_author: true, display_name: 'Erika Muster', personnel_number: 'B-1' })
  t.strictSame(await rowOf(same.id), before)
  t.strictSame(await teamsOf(anna.id), [store.name])
  const { entries } = (await admin.get('/api/accounts/audit?limit=4')).body
  t.match(entries, [
    { action: 'user.update', target: bert.username, details: { fields: ['is_author'], is_author: true } },
    { action: 'user.update', target: anna.username, details: { fields: ['display_name', 'email'] } },
    { action: 'team.join', target: store.name, details: { username: anna.username, role: 'member' } },
    { action: 'team.leave', target: shop.name, details: { username: anna.username } },
  ])
  t.strictSame((await send(list, '&check=true')).body.changes, [], 'nothing is left to change')
})

t.test('keeps teams that the person leads or has by a group of the provider', async (t) => {
  const [led, claimed, other] = [await createTeam(), await createTeam(), await createTeam()]
  const user = await createUser(db)
  await addMember(`/api/teams/${led.id}/members/${user.id}`, 'lead')
  for (const origin of ['claim', 'hand'] as const) {
    const values = { team_id: claimed.id, user_id: user.id, role: 'member', origin, from_on: '2026-01-01' } as const
    await db.insertInto('team_members').values(values).execute()
  }
  const users = [{ username: user.username, teams: [other.name] }]
  const all = [led.name, claimed.name, other.name].sort()
  t.match((await admin.post(URL, { users })).body.changes, [
    { from: all.filter((name) => name !== other.name), to: all },
  ])
  t.strictSame((await teamsOf(user.id)).sort(), all)
  t.match((await admin.post(URL, { users: [{ username: user.username, teams: [] }] })).body.changes, [
    { from: all, to: all.filter((name) => name !== other.name) },
  ])
})

t.test('null removes a value, an empty one leaves it', async (t) => {
  const user = await createUser(db, {
    email: 'x@example.org',
    personnel_number: unique('n'),
    disabled_on: '2020-01-01',
  })
  const { username } = user
  const kept = await admin.post(`${URL}&check=true`, {
    users: [{ username, email: ' ', display_name: null, disabled_on: '' }],
  })
  t.strictSame(kept.body.changes, [])
  await admin.post(URL, { users: [{ username, email: null, disabled_on: null, personnel_number: null }] })
  t.match(await rowOf(user.id), { email: null, disabled_on: null, personnel_number: null })
  const last = await admin.post(`${URL}&check=true`, { users: [{ username, auditor_until: '2999-12-31' }] })
  t.strictSame(last.body.changes, [], 'a last day needs the role')
})

t.test('personnel numbers move between persons of the list, but none is taken twice', async (t) => {
  const [one, two, three] = [unique('eins'), unique('zwei'), unique('drei')]
  const [ada, bob] = [await createUser(db, { personnel_number: one }), await createUser(db, { personnel_number: two })]
  const heading = 'Benutzername;Personalnummer\n'
  t.strictSame(
    (await send(`${heading}${ada.username};${two}\n`)).body,
    refused([
      {
        line: 2,
        field: 'personnel_number',
        code: 'personnel_number_taken',
        details: null,
        message: 'Personalnummer ist schon vergeben',
      },
    ]),
  )
  t.strictSame(
    (await send(`${heading}${ada.username};${three}\n${bob.username};${three}\n`)).body,
    refused([
      {
        line: 3,
        field: 'personnel_number',
        code: 'personnel_number_twice',
        details: { earlier: 2 },
        message: `Die Personalnummer steht schon in Zeile 2`,
      },
    ]),
  )
  t.strictSame(
    (await send(`${heading}${ada.username};${three}\n;${one}\n${unique('fremd')};\n;gibt-es-nicht\n`)).body.errors.map(
      ({ line, message }: { line: number; message: string }) => [line, message],
    ),
    [
      [3, 'Diese Person steht schon in Zeile 2'],
      [4, 'Diesen Benutzer gibt es nicht'],
      [5, 'Diese Personalnummer hat niemand'],
    ],
  )
  t.equal((await send(`${heading}${ada.username};${two}\n${bob.username};${one}\n`)).status, 200)
  t.strictSame([(await rowOf(ada.id)).personnel_number, (await rowOf(bob.id)).personnel_number], [two, one])
  t.equal((await send(`${heading}${ada.username};${one}\n${bob.username};${three}\n`)).status, 200)
  t.strictSame([(await rowOf(ada.id)).personnel_number, (await rowOf(bob.id)).personnel_number], [one, three])
})

// The embedded database has a single connection, which the reference would hold.
const skip = TEST_DATABASE_URL === undefined && 'needs a server'

t.test('locks persons in the order of their ids, as jobs do', { skip }, async (t) => {
  const [first, second] = [await createUser(db), await createUser(db)]
  const lock = (transaction: Transaction<Database>, id: number) =>
    transaction.selectFrom('users').select('id').where('id', '=', id).forKeyShare().noWait().executeTakeFirst()
  const rows = [second, first].map(({ username }) => `${username};${unique('nummer')}`)
  // The row of the first is now stored behind that of the second.
  await db.updateTable('users').set({ display_name: 'Neu' }).where('id', '=', first.id).execute()
  const [changed] = await startBehindLock(
    service.database,
    (transaction) => lock(transaction, first.id),
    [() => send(['Benutzername;Personalnummer', ...rows].join('\n'))],
    async (transaction) => t.strictSame(await lock(transaction, second.id), { id: second.id }),
  )
  t.equal(changed?.status, 200)
})

t.test('refuses unknown teams, passwords, rows without a person, and lists that are too long', async (t) => {
  const { username } = await createUser(db)
  t.strictSame(
    (await send(`Benutzername;Team;Passwort\n${username};Gibt es nicht;\n;;\nx;;geheim-genug\n;;ohne-namen\n`)).body,
    refused([
      {
        line: 2,
        field: 'team',
        code: 'no_such_team',
        details: { team: 'Gibt es nicht' },
        message: 'Das Team „Gibt es nicht“ gibt es nicht',
      },
      {
        line: 4,
        field: 'password',
        code: 'password_in_list',
        details: null,
        message: 'Ein Passwort lässt sich mit einer Liste nicht ändern',
      },
      {
        line: 5,
        field: 'username',
        code: 'person_missing',
        details: null,
        message: 'Der Benutzername oder die Personalnummer fehlt',
      },
      {
        line: 5,
        field: 'password',
        code: 'password_in_list',
        details: null,
        message: 'Ein Passwort lässt sich mit einer Liste nicht ändern',
      },
    ]),
  )
  const long = Array.from({ length: MAX_CHANGED_USERS + 1 }, (_, index) => index).join('\n')
  t.match((await send(`Personalnummer\n${long}`)).body.errors, [
    { line: MAX_CHANGED_USERS + 2, message: 'Höchstens 10.000 Benutzer auf einmal, bitte die Liste teilen' },
  ])
  t.match(await admin.post('/api/accounts/bulk?missing=disable', { users: [] }), {
    body: errorBody(400, 'Der Parameter „missing“ gilt nur mit „mode=update“'),
  })
})

t.test('ends the access of disabled users, and hands over their assignments', async (t) => {
  const team = await createTeam()
  const [former, next] = [await createUser(db), await createUser(db)]
  for (const { id } of [former, next]) await addMember(`/api/teams/${team.id}/members/${id}`, 'lead')
  const { assignment } = (
    await admin.post('/api/assignments', {
      title: 'Brandschutz',
      parts: [{ kind: 'personal', title: 'Gespräch' }],
      audience: { team_ids: [team.id] },
      starts: '2026-01-01',
      due: { days_after_start: 30 },
      recurrence: null,
      mandatory: true,
      retention_years: 3,
      responsible_id: former.id,
    })
  ).body
  const caller = await service.loginAs(former.username)
  t.equal((await caller.get('/api/auth/me')).status, 200)
  t.equal((await admin.post(URL, { users: [{ username: former.username, disabled_on: '2026-01-01' }] })).status, 200)
  t.equal((await caller.get('/api/auth/me')).status, 401)
  t.match((await admin.get(`/api/assignments/${assignment.id}`)).body, { assignment: { responsible: { id: next.id } } })
})

t.test('keeps the last administrator', async (t) => {
  const { username } = await rowOf(admin.id)
  const second = await createUser(db, { is_admin: true })
  const users = [
    { username: second.username, is_admin: false },
    { username, disabled_on: '2026-01-01' },
  ]
  const message = 'Den letzten Administrator kann man nicht deaktivieren'
  t.strictSame(
    (await admin.post(URL, { users })).body,
    refused([{ line: 2, field: 'disabled_on', code: 'last_admin', details: null, message }]),
  )
  await db.deleteFrom('users').where('id', '=', second.id).execute()
})

t.test('disables persons who are missing only with their confirmed number', async (t) => {
  await db.deleteFrom('users').where('id', '<>', admin.id).execute()
  const emergency = await createUser(db, { emergency: true })
  const chief = await createUser(db, { is_admin: true })
  const gone = await createUser(db, { disabled_on: '2020-01-01' })
  const persons = Array.from({ length: 340 }, (_, index) => ({
    username: unique('person'),
    display_name: 'Erika Muster',
    personnel_number: String(index),
  }))
  const staff = await db.insertInto('users').values(persons).returning('id').execute()
  const listOf = (kept: number) =>
    `Personalnummer\n${staff
      .slice(0, kept)
      .map((_, index) => index)
      .join('\n')}\n`
  const countDisabled = async () =>
    (await db.selectFrom('users').select('id').where('disabled_on', 'is not', null).execute()).length

  const few = await send(listOf(320), '&check=true&missing=disable')
  t.match(few.body, { missing: 20, too_many_missing: false })
  t.strictSame(
    few.body.changes.map(({ line, id, field, from }: Record<string, unknown>) => [line, id, field, from]),
    staff.slice(320).map(({ id }) => [null, id, 'disabled_on', null]),
    'neither administrators nor emergency accounts nor disabled ones',
  )
  t.match(await send(listOf(320)), { status: 200, body: { missing: 20, changes: { length: 0 } } })
  for (const query of ['', '&confirm_disabled=19']) {
    const { status, headers } = await send(listOf(320), `&missing=disable${query}`)
    t.match(
      [status, headers['x-error-code'], headers['x-error-field']],
      [409, 'missing_not_confirmed', 'confirm_disabled'],
    )
    t.equal(headers['x-error-details'], '{"missing":20}')
  }
  t.equal((await send(listOf(40), '&check=true&missing=disable')).body.too_many_missing, true)
  for (const query of ['', '&confirm_disabled=299']) {
    const { status, headers } = await send(listOf(40), `&missing=disable${query}`)
    t.match([status, headers['x-error-code'], headers['x-error-details']], [409, 'too_many_missing', '{"missing":300}'])
  }
  t.equal(await countDisabled(), 1)
  const applied = await send(listOf(40), '&missing=disable&confirm_disabled=300')
  t.match(applied, { status: 200, body: { missing: 300 } })
  t.equal(applied.body.changes.length, 300)
  t.equal(await countDisabled(), 301)
  for (const { id } of [emergency, chief]) t.equal((await rowOf(id)).disabled_on, null)
  t.equal((await rowOf(gone.id)).disabled_on, '2020-01-01')
  t.match((await send(listOf(40), '&missing=disable&confirm_disabled=300')).status, 409, 'the number is of another day')
  t.match(await send(listOf(40), '&missing=disable'), { status: 200, body: { missing: 0, changes: { length: 0 } } })
})

t.test('the number of statements does not depend on the length of the list', async (t) => {
  const team = await createTeam()
  const countFor = async (length: number, query: string) => {
    const users: object[] = []
    for (let index = 0; index < length; index++) {
      const { username } = await createUser(db)
      users.push({
        username,
        display_name: 'Neu',
        personnel_number: username,
        teams: [team.name],
        disabled_on: '2026-01-01',
      })
    }
    return counter.countOf(async () => {
      t.equal((await admin.post(URL + query, { users })).body.changes.length, 4 * length)
    })
  }
  for (const query of ['&check=true', '']) t.equal(await countFor(40, query), await countFor(2, query))
})

t.test('changes more accounts than a statement reads', async (t) => {
  const team = await createTeam()
  const prefix = unique('viele')
  const names = Array.from({ length: 520 }, (_, index) => `${prefix}-${index}`)
  await db
    .insertInto('users')
    .values(names.map((username) => ({ username, display_name: username, password_hash: null })))
    .execute()
  const rows = names.map((name, index) => `${name};Person ${index};${team.name}`)
  const list = ['Benutzername;Name;Team', ...rows].join('\n')
  // Two changes of each person, in the order of the list.
  const expected = names.flatMap((username, index) => {
    const person = { line: index + 2, username }
    return [
      { ...person, field: 'display_name', from: username, to: `Person ${index}` },
      { ...person, field: 'teams', from: [], to: [team.name] },
    ]
  })
  const withoutId = ({ id: _, ...change }: { id: number }) => change
  const checked = await send(list, '&check=true')
  t.equal(checked.status, 200)
  t.strictSame(checked.body.changes.map(withoutId), expected)
  const applied = await send(list)
  t.strictSame(applied.body.changes, checked.body.changes)
  const stored = await db
    .selectFrom('users')
    .innerJoin('team_members', 'team_members.user_id', 'users.id')
    .select(['username', 'display_name'])
    .where('team_id', '=', team.id)
    .orderBy('users.id')
    .execute()
  t.strictSame(
    stored,
    names.map((username, index) => ({ username, display_name: `Person ${index}` })),
  )
  t.strictSame((await send(list, '&check=true')).body.changes, [], 'a repeated list changes nothing')
})
